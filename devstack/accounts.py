"""The unprivileged account under which PostgreSQL runs when we are root: it refuses to be root itself.

No account is created and no mode of a directory is changed. Where the account cannot reach the clone (it
may lie under /root), it is handed the one capability it lacks.
"""

import contextlib
import os
import pwd
import subprocess
from dataclasses import replace
from pathlib import Path

from devstack.prerequisites import MissingPrerequisite
from devstack.programs import Account, Order

CAP_DAC_OVERRIDE = 1
CAP_DAC_READ_SEARCH = 2


def account_for(data: Path) -> Account | None:
    """Whom PostgreSQL shall run as; None means as ourselves. Data that exists keeps its owner."""
    owner = data.stat().st_uid if data.exists() else None
    if os.geteuid() != 0:
        _require_account_entry()
        if owner not in (None, os.geteuid()):
            raise MissingPrerequisite(
                f"{data} belongs to user {owner}", f"run as that user, or remove {data.parent.parent}"
            )
        return None
    if owner:
        return _by_uid(owner)
    return _first_suitable(data)


def reaching(account: Account, program: Path, directory: Path) -> Account:
    """The account with the least it needs to run `program` in `directory`, where both lie."""
    # Reading anywhere does for a parent of mode 700; a umask of 077 hides the execute bits as well, and some
    # containers know only the wider capability.
    for capabilities in ((), (CAP_DAC_READ_SEARCH,), (CAP_DAC_OVERRIDE,)):
        attempt = replace(account, capabilities=capabilities)
        order = Order(argv=[str(program), "--version"], cwd=directory, account=attempt)
        result = subprocess.run(order.launch_argv(), capture_output=True, check=False)
        # PostgreSQL's programs look themselves up and only mutter when they may not.
        if result.returncode == 0 and b"ermission denied" not in result.stderr:
            return attempt
    raise MissingPrerequisite(
        f"user {account.name}, as whom PostgreSQL must run, cannot reach {program} and {directory}",
        "run as an ordinary user, or clone into a directory that everybody may enter",
    )


def _require_account_entry() -> None:
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise MissingPrerequisite(
            f"user number {os.geteuid()} has no entry in /etc/passwd, which PostgreSQL insists on",
            "run as a user that has one, or give DATABASE_URL of another server",
        ) from None


def _first_suitable(data: Path) -> Account:
    # The owner of the clone can enter it and may remove what is made there; then accounts made for such
    # purposes.
    clone = next(parent for parent in data.parents if parent.exists())
    for name_or_uid in (clone.stat().st_uid, "nobody", "postgres", "daemon"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name_or_uid) if isinstance(name_or_uid, str) else pwd.getpwuid(name_or_uid)
            if entry.pw_uid != 0:
                return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)
    raise MissingPrerequisite(
        "no unprivileged account (nobody, postgres, daemon) for PostgreSQL, which refuses to run as root",
        "run as an ordinary user",
    )


def _by_uid(uid: int) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise MissingPrerequisite(
            f"user number {uid}, who owns the database, has no entry in /etc/passwd",
            "make clean, then make up",
        ) from None
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)
