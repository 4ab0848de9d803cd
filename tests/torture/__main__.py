"""python -m tests.torture: every row of the catalogue in its large size. Exit code 0 only if all rows are green.

--only TEXT    rows whose section or fault contains the text
--kills N      kills a crash point (20)
--lanes N      rows at the same time, each with servers of its own (3)
--docs         put the table into docs/reliability.md, too
--list         name the rows and stop
"""

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from tests.torture import lane
from tests.torture.rows import ALL
from tests.torture.table import LARGE, Size, Verdict, as_table, together

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
_BEGIN, _END = "<!-- torture -->", "<!-- end of torture -->"


def main() -> int:
    options = _options()
    chosen = [
        position for position, row in enumerate(ALL) if options.only.lower() in f"{row.section} {row.fault}".lower()
    ]
    if options.list:
        for position in chosen:
            row = ALL[position]
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
    began = time.monotonic()
    verdicts = _inflict(chosen, size, lanes=options.lanes)
    table = as_table(verdicts)
    if options.docs:
        _put_into_docs(f"{_told(size, options.lanes, time.monotonic() - began)}\n\n{table}")
    green = sum(not verdict.failure for verdict in verdicts)
    print(f"\n{table}\n{green} of {len(chosen)} rows green in {(time.monotonic() - began) / 60:.0f} min.", flush=True)
    return 0 if chosen and green == len(chosen) else 1


def _inflict(chosen: list[int], size: Size, *, lanes: int) -> list[Verdict]:
    """The verdicts of the rows, in the order of the catalogue; progress is told as it comes."""
    began = time.monotonic()
    parts = in_turn(chosen, size)
    seen: dict[int, list[Verdict]] = {position: [] for position in chosen}
    # Spawned, not forked: each lane chooses its own ports and opens its own connections.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(lanes, mp_context=context, initializer=lane.begin) as pool:
        asked: dict[Future[Verdict], int] = {
            pool.submit(lane.inflict, position, part): position for position, part in parts
        }
        for number, future in enumerate(as_completed(asked), start=1):
            verdict = future.result()
            seen[asked[future]].append(verdict)
            minutes = (time.monotonic() - began) / 60
            print(f"[{minutes:4.1f} min, {number}/{len(parts)}] {verdict.seconds:4.0f} s {verdict.line}", flush=True)
            if verdict.failure:
                print(verdict.failure, file=sys.stderr, flush=True)
    return [together(seen[position]) for position in chosen]


def in_turn(chosen: list[int], size: Size) -> list[tuple[int, Size]]:
    """The parts of all rows in the order of the catalogue, those of a long row spread over the whole time.

    Histories keep the processor busy, most other rows wait for a lease to end: together they take less time.
    """
    keyed: list[tuple[float, int, Size]] = []
    for place, position in enumerate(chosen):
        parts = ALL[position].parts(size)
        keyed += [((number + place / len(chosen)) / len(parts), position, part) for number, part in enumerate(parts)]
    return [(position, part) for _, position, part in sorted(keyed, key=lambda item: item[0])]


def _told(size: Size, lanes: int, seconds: float) -> str:
    return (
        f"{size.kills} kills a crash point, {size.live_runs} live runs, {size.rounds:,} rounds a race, "
        f"{size.histories:,} histories of 100 steps; {lanes} rows at the same time, {seconds / 60:.0f} minutes."
    )


def _put_into_docs(text: str) -> None:
    before, _, rest = _PAGE.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    _PAGE.write_text(f"{before}{_BEGIN}\n{text.strip()}\n{_END}{after}")


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
    parser.add_argument("--lanes", type=int, default=3, help="rows at the same time, each with servers of its own")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/reliability.md, too")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
