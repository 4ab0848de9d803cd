"""python -m tests.torture: every row of the catalogue in its large size. Exit code 0 only if all rows are green.

--only TEXT    rows whose section or fault contains the text
--kills N      kills a crash point (20)
--list         name the rows and stop
"""

import argparse
import os
import sys
import time
import traceback
from dataclasses import replace
from io import StringIO

from tests.plugin import SERVICES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.torture.bench import Bench, drift_micros  # noqa: E402
from tests.torture.rows import ALL  # noqa: E402
from tests.torture.table import LARGE, Row, Size  # noqa: E402


def main() -> int:
    options = _options()
    chosen = [row for row in ALL if options.only.lower() in f"{row.section} {row.fault}".lower()]
    if options.list:
        for row in chosen:
            print(f"{row.section}: {row.fault}{' (also in make test)' if row.fast else ''}")
        return 0
    size = replace(
        LARGE,
        kills=options.kills,
        live_runs=options.live_runs,
        rounds=options.rounds,
        histories=1 if options.seed else options.histories,
        first_seed=options.seed or 1,
    )
    lines: list[str] = []
    failures: list[str] = []
    SERVICES.start()
    try:
        call_command("migrate", verbosity=0)
        call_command("bootstrap_storage", stdout=StringIO())
        _tell("| section | fault | tries | healed within | drift | verdict |")
        _tell("|---|---|---|---|---|---|")
        for row in chosen:
            line, failure = _torture(row, size)
            lines.append(line)
            _tell(line)
            if failure:
                failures.append(f"{row.fault}\n{failure}")
    finally:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        SERVICES.stop()
    for failure in failures:
        print(f"\nFAILED: {failure}", file=sys.stderr)
    _tell(f"\n{len(chosen) - len(failures)} of {len(chosen)} rows green.")
    return 1 if failures or not chosen else 0


def _torture(row: Row, size: Size) -> tuple[str, str | None]:
    """Each row on a bench of its own: what one fault left behind cannot help or hinder the next."""
    began = time.monotonic()
    failure = None
    tries, healed, drift = "-", "-", "-"
    try:
        with Bench(SERVICES).running() as bench:
            figures = row.inflict(bench, size)
            bench.audit()
            lost = drift_micros()
            tries, healed, drift = str(figures.tries), f"{figures.healed_sec:.1f} s", str(lost)
            assert lost == 0, f"{lost} micros lost or invented"
    except Exception:
        failure = traceback.format_exc()
    print(f"  {row.fault}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    verdict = "FAILED" if failure else "green"
    return f"| {row.section} | {row.fault} | {tries} | {healed} | {drift} | {verdict} |", failure


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.torture", description="Inflict every fault of the catalogue."
    )
    parser.add_argument("--only", default="", help="rows whose section or fault contains this text")
    parser.add_argument("--kills", type=int, default=LARGE.kills, help="kills a crash point")
    parser.add_argument("--live-runs", type=int, default=LARGE.live_runs, help="runs in flight under load")
    parser.add_argument("--rounds", type=int, default=LARGE.rounds, help="rounds of a race")
    parser.add_argument("--histories", type=int, default=LARGE.histories, help="random histories")
    parser.add_argument("--seed", type=int, help="live through one history again")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    return parser.parse_args()


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
