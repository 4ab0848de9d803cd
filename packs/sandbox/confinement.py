"""What a child does to itself before it looks at anything, and which of it this machine cannot do."""

import os
import resource
import signal
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packs.sandbox import kernel, landlock, own_user, system_calls

_CODE_ROOT = Path(__file__).resolve().parent.parent.parent


class Mechanism(StrEnum):
    HARD_LIMITS = "hard_limits"
    PARENT_DEATH_SIGNAL = "parent_death_signal"
    NO_NEW_PRIVILEGES = "no_new_privileges"
    SYSTEM_CALL_FILTER = "system_call_filter"
    LANDLOCK = "landlock"
    OWN_USER = "own_user"


@dataclass(frozen=True)
class Limits:
    """All are hard limits: nothing inside can raise them again."""

    memory_bytes: int
    """Of address space, which bounds what is resident too."""
    cpu_sec: int
    open_files: int = 32
    threads: int = 64
    """Counted per user: enforced where the child has a user of its own."""


def confine(parent: int, limits: Limits, *, readable: tuple[Path, ...] = ()) -> None:
    """From here on: no file written, none read but code and `readable`, no network, no new process, bounded use.

    The order matters: each step takes away what the steps before it still needed.
    """
    lacking = missing(readable)
    os.umask(0o777)
    if Mechanism.OWN_USER not in lacking:
        own_user.become(os.getpid())
    _set_limits(limits, has_own_user=Mechanism.OWN_USER not in lacking)
    if kernel.is_linux():
        kernel.drop_capabilities()
        kernel.hide_from_siblings()
        # After the change of user, which clears it.
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if os.getppid() != parent:
        raise SystemExit("The worker is gone already.")
    if Mechanism.LANDLOCK not in lacking:
        landlock.restrict(readable=_needed(readable), listable=_listed())
    if Mechanism.SYSTEM_CALL_FILTER not in lacking:
        system_calls.install()


def missing(readable: tuple[Path, ...] = ()) -> list[Mechanism]:
    """What this machine lacks, for the log at start and for operators."""
    has = {
        Mechanism.HARD_LIMITS: True,
        Mechanism.PARENT_DEATH_SIGNAL: kernel.is_linux(),
        Mechanism.NO_NEW_PRIVILEGES: kernel.is_linux(),
        Mechanism.SYSTEM_CALL_FILTER: system_calls.is_available(),
        Mechanism.LANDLOCK: landlock.version() > 0,
        Mechanism.OWN_USER: own_user.is_possible((*_code(), *readable)),
    }
    return [mechanism for mechanism, is_there in has.items() if not is_there]


def _set_limits(limits: Limits, *, has_own_user: bool) -> None:
    values = {
        resource.RLIMIT_AS: limits.memory_bytes,
        resource.RLIMIT_CPU: limits.cpu_sec,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    if has_own_user:
        values[resource.RLIMIT_NPROC] = limits.threads
    for kind, most in values.items():
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


def _code() -> tuple[Path, ...]:
    """The interpreter's own files, installed packages, and of this repository what readers are made of."""
    packages = (Path(entry) for entry in sys.path if "site-packages" in entry)
    installed = {Path(sys.prefix), Path(sys.base_prefix), *packages}
    return (*(path.resolve() for path in sorted(installed)), _CODE_ROOT / "packs", _CODE_ROOT / "dpp_project")


def _needed(readable: tuple[Path, ...]) -> tuple[Path, ...]:
    """Shared libraries, time zones, and what numeric libraries ask about the processor; never another process."""
    system = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share", "/etc/ld.so.cache")
    asked = ("/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/dev/urandom", "/dev/null")
    return (*_code(), *(Path(path) for path in (*system, *asked)), *readable)


def _listed() -> tuple[Path, ...]:
    """Imports look for packages in the repository's folder; its files (settings of a development stack) stay closed."""
    return (_CODE_ROOT,)
