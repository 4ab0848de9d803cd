"""What is lost, and for how long nobody is served: a standby that lagged is promoted; a backup is restored.

python -m tests.torture.recovery [--docs]

RPO is the time whose acknowledged commits are gone, RTO the time from the disaster to the first run that is accepted
again. Both with the machine, the sizes and the procedure of this program: it proves the way, not your hardware.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from devstack.postgres import Postgres, _binaries
from tests.plugin import SERVICES
from tests.ports import free_port
from tests.services import CLONE, FAST_POSTGRES
from tests.torture.own_platform import own_platform, put_into_page
from tests.torture.pairs import PostgresPair, account_of, base_backup

if TYPE_CHECKING:
    from tests.torture.chaos import Chaos

_LOAD_SEC = 15.0
_LAG_SEC = 2.0
_ARCHIVE_TIMEOUT_SEC = 5


@dataclass(frozen=True)
class Recovered:
    what: str
    rpo_sec: float
    rto_sec: float
    accepted: int
    lost: int
    """Runs that were accepted and do not exist any more."""
    disputed: int

    @property
    def line(self) -> str:
        return (
            f"| {self.what} | {self.accepted} | {self.lost} | {self.disputed} | {self.rpo_sec:.1f} s | "
            f"{self.rto_sec:.1f} s |"
        )


# --- a standby that lagged --------------------------------------------------------------------------------------------


def lagging_standby(postgres: PostgresPair, chaos: "Chaos") -> Recovered:
    """Nothing is stopped: the platform heals by itself, and people decide what Redis alone remembers."""
    postgres.add_standby()
    chaos.begin_load(seed=1, agents=6)
    time.sleep(_LOAD_SEC)
    postgres.lag_behind()
    behind_since = time.time()
    time.sleep(_LAG_SEC)
    disaster = time.time()
    postgres.fail_over()
    rto_sec = _first_accepted(chaos) - disaster
    time.sleep(5)
    _end_agents(chaos)
    disputed = _settle_by_people(chaos)
    return _judge(chaos, "asynchronous standby promoted, 2 s behind", disaster - behind_since, rto_sec, disputed)


def _settle_by_people(chaos: "Chaos") -> int:
    """Reconcile leaves to a person what it may not decide; that person believes Redis, which moved the money."""
    from django.db import connection

    from budget import scripts
    from runs.lifecycle import disputes
    from runs.models import Run

    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    count = 0
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        for run in Run.objects.filter(money_state="DISPUTED"):
            receipt = scripts.receipt(run.tenant_id, run.pk)
            disputes.resolve(
                run, charge=receipt.charge if receipt else None, reason="the database lost its last commits"
            )
            count += 1
        if not Run.objects.filter(status__in=["QUEUED", "PROCESSING"]).exists():
            return count
        time.sleep(1)
    raise AssertionError("some runs never end")


# --- a backup, and the log since then ---------------------------------------------------------------------------------


def restored(postgres: PostgresPair, chaos: "Chaos", archive: Path, *, to: str) -> Recovered:
    """By the drill of docs/operations.md: stop, restore, empty Redis, purge the queues, audit, start."""
    from django.db import connection

    from dpp_project.redis import client

    home = SERVICES.home / f"restored-{to}"
    into = home / "data" / "postgres"
    into.mkdir(parents=True, mode=0o755)
    home.chmod(0o755)
    account = account_of(into)
    into.chmod(0o700)
    if account:
        os.chown(into, account.uid, account.gid)
    base_backup(_binaries(), account, into, postgres.leader)
    chaos.begin_load(seed=2, agents=6)
    time.sleep(_LOAD_SEC)
    target = datetime.now(UTC)
    time.sleep(_ARCHIVE_TIMEOUT_SEC + 3 if to == "moment" else 1)
    disaster = time.time()
    postgres.leader.kill()
    shutil.rmtree(postgres.leader.data)
    for process in (chaos.api, chaos.worker, chaos.jobs):
        process.stop()
    _end_agents(chaos)

    _write_recovery_settings(into, archive, target if to == "moment" else None)
    server = Postgres(
        home,
        free_port(),
        password=postgres.leader.password,
        serving_password=postgres.leader.serving_password,
        settings=FAST_POSTGRES,
    )
    server._database_made = True
    server.start()
    server.wait_ready(120)
    _until_promoted(server)
    postgres.leader = server
    postgres.proxy.lead_new_connections_to(server.port)
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    client().flushall()
    chaos.prepare_queues()
    _manage("audit_ledger", "--repair")
    chaos.restart_everything()
    rto_sec = _first_accepted(chaos) - disaster

    last = _last_commit_before(disaster)
    if to == "moment":
        exact = target.timestamp()
        assert last <= exact, "something of after the moment is there"
        assert last > exact - 3, "something of before the moment is missing"
        rpo_sec = disaster - exact
    else:
        rpo_sec = disaster - last
    what = "backup restored to a moment" if to == "moment" else "backup restored, with all of the archived log"
    return _judge(chaos, what, rpo_sec, rto_sec, 0)


def _write_recovery_settings(data: Path, archive: Path, target: datetime | None) -> None:
    lines = [f"restore_command = 'cp {archive}/%f %p'", "recovery_target_action = 'promote'"]
    if target:
        lines.append(f"recovery_target_time = '{target.isoformat()}'")
    with (data / "postgresql.auto.conf").open("a") as settings:
        settings.write("\n" + "\n".join(lines) + "\n")
    (data / "recovery.signal").touch()


def _until_promoted(server: Postgres) -> None:
    import psycopg

    ends = time.monotonic() + 120
    while True:
        with psycopg.connect(server.owner_url_of("postgres"), autocommit=True) as connection:
            row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
        if row == (False,):
            return
        assert time.monotonic() < ends, "it stays in recovery"
        time.sleep(0.1)


def _manage(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=CLONE, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def _last_commit_before(moment: float) -> float:
    from runs.models import RunTransition

    until = datetime.fromtimestamp(moment, UTC) + timedelta(milliseconds=1)
    known = RunTransition.objects.filter(at__lt=until).order_by("-at").values_list("at", flat=True).first()
    return known.timestamp() if known else 0.0


# --- what both measure ------------------------------------------------------------------------------------------------


def _first_accepted(chaos: "Chaos") -> float:
    """When a run is accepted again, of a tenant who was there before."""
    owner = chaos.histories[0].owner
    chaos.submit(owner, within=180)
    return time.time()


def _end_agents(chaos: "Chaos") -> None:
    for agent in chaos.agents:
        agent.stop()
    for agent in chaos.agents:
        agent.join(60)


def _judge(chaos: "Chaos", what: str, rpo_sec: float, rto_sec: float, disputed: int) -> Recovered:
    """What exists has ended and is paid exactly. What does not exist was lost, and cost nobody anything."""
    from runs.models import Run
    from runs.reports.invariants import audit_ledger
    from tests.torture.bench import drift_micros

    since = time.monotonic()
    lost = accepted = 0
    for history in chaos.histories:
        chaos.healed(history.owner, since=since, within=180)
        known = {str(pk) for pk in Run.objects.filter(tenant=history.owner.tenant).values_list("pk", flat=True)}
        accepted += len(history.key_of_run)
        lost += len(history.key_of_run.keys() - known)
    assert audit_ledger().is_clean
    assert drift_micros() == 0
    return Recovered(what, rpo_sec, rto_sec, accepted, lost, disputed)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.recovery")
    parser.add_argument("--docs", action="store_true", help="put the figures into docs/reliability.md, too")
    parser.add_argument("--only", choices=("standby", "latest", "moment"), help="one of them")
    options = parser.parse_args()
    if options.only:
        print(_one(options.only).line, flush=True)
        return 0
    lines = []
    for name in ("standby", "latest", "moment"):
        # A process of its own each: the settings are read once.
        done = subprocess.run(
            [sys.executable, "-m", "tests.torture.recovery", "--only", name], cwd=CLONE, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        lines.append(done.stdout.strip().splitlines()[-1])
        print(lines[-1], flush=True)
    head = ["| what happened | runs accepted | of them lost | disputes | RPO | RTO |", "|---|---|---|---|---|---|"]
    if options.docs:
        put_into_page("recovery", "\n".join([*head, *lines]))
    return 0


def _one(name: str) -> Recovered:
    archive = SERVICES.home / "archive"
    settings = {}
    if name != "standby":
        settings = {
            "archive_mode": "on",
            "archive_command": f"cp %p {archive}/%f",
            "archive_timeout": str(_ARCHIVE_TIMEOUT_SEC),
        }
    with own_platform(synchronous=False, postgres_settings=settings) as (postgres, valkey, aws):
        _make_archive(archive)
        from tests.torture.chaos import Chaos

        with Chaos.on_pairs(postgres, valkey, aws) as chaos:
            if name == "standby":
                return lagging_standby(postgres, chaos)
            return restored(postgres, chaos, archive, to=name)


def _make_archive(archive: Path) -> None:
    archive.mkdir(exist_ok=True)
    account = account_of(archive / "x")
    if account:
        os.chown(archive, account.uid, account.gid)


if __name__ == "__main__":
    sys.exit(main())
