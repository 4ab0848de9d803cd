"""`make bench-audit`: what a pass of the standing audit costs, with few and with many tenants and entries in the books.

Fills the journal as years of work would, chained, verified up to now. Then some tenants work, and each pass of the two
audit jobs is timed: the first after the work, and those that find nothing new. Sizes by argument:
`python -m bench.audit --tenants 1000 --entries 100000 --runs 20000`.
"""

import argparse
import sys
import time

from bench.books import fill_books
from bench.embedded import embedded_stack

_LIMIT_SEC = 10.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Time the passes of the standing audit.")
    parser.add_argument("--tenants", type=int, default=100_000)
    parser.add_argument("--entries", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=1_000_000, help="ended runs; each has two of the entries")
    parser.add_argument("--active", type=int, default=500, help="runs between two passes")
    parser.add_argument("--passes", type=int, default=3)
    given = parser.parse_args()
    assert given.entries >= 2 * given.runs + given.tenants
    with embedded_stack():
        began = time.monotonic()
        fill_books(given.tenants, given.entries, given.runs)
        print(
            f"{given.tenants:,} tenants, {given.entries:,} journal entries, {given.runs:,} runs,"
            f" filled in {time.monotonic() - began:.0f} s"
        )
        slowest = max(_measure(number, given.active) for number in range(given.passes))
    print(f"slowest pass {slowest:.1f} s, limit {_LIMIT_SEC:.0f} s")
    return 0 if slowest < _LIMIT_SEC else 1


def _measure(number: int, active: int) -> float:
    """Seconds of the slowest pass after this much work."""
    from runs.jobs.audit_books import audit_books
    from runs.jobs.drift_repair import repair_drift
    from tests.builders import customer, submitted
    from tests.race import actors

    workers = [customer(f"busy{number}-{one}", budget="100.0000") for one in range(10)]
    for one in range(active):
        actors.owner_cancels(submitted(workers[one % len(workers)]))
    slowest = 0.0
    for job, told in ((audit_books, "journal, balance rows and runs"), (repair_drift, "Redis")):
        began = time.monotonic()
        counts = job()
        took = time.monotonic() - began
        slowest = max(slowest, took)
        print(f"pass {number + 1}, {told}: {took:.2f} s, {counts}")
    return slowest


if __name__ == "__main__":
    sys.exit(main())
