"""`make bench-plans`: what every beat job reads, with a thousand and with a million runs in the table.

Runs each job for real, keeps every SELECT it sent, and asks PostgreSQL for the plan and the pages it touched. A scan
that grows with the table, not with what it finds, shows up as more pages.
"""

import re
import sys
from pathlib import Path

from bench.embedded import embedded_stack

SIZES = (1_000, 1_000_000)
# An index over a thousand times as many rows is one or two levels deeper, for each of the few rows looked up in it.
_DEEPER_INDEX_PAGES = 60
PAGE = Path(__file__).resolve().parent.parent / "docs" / "query-plans.md"


def main() -> int:
    pages: dict[tuple[str, str], dict[int, int]] = {}
    plans: dict[tuple[str, str], str] = {}
    with embedded_stack():
        from bench.population import populate_to

        for size in SIZES:
            populate_to(size)
            for statement, (touched, plan) in _measure().items():
                pages.setdefault(statement, {})[size] = touched
                plans[statement] = plan
    rows, grown = [], []
    for number, (statement, touched_at) in enumerate(sorted(pages.items()), start=1):
        small, large = (touched_at.get(size) for size in SIZES)
        rows.append(f"| {statement[0]} | {_told(small)} | {_told(large)} | {plans[statement]} |")
        if small is not None and large is not None and large > small + _DEEPER_INDEX_PAGES:
            grown.append(f"row {number}")
    text = "\n".join(["| job | pages, 1,000 runs | pages, 1,000,000 runs | access |", "|---|---|---|---|", *rows])
    print(text)
    PAGE.write_text(_INTRODUCTION + text + "\n", encoding="utf-8")
    if grown:
        print(f"These read more of a larger table: {', '.join(grown)}", file=sys.stderr)
    return 1 if grown else 0


def _told(pages: int | None) -> str:
    return "not asked" if pages is None else str(pages)


_INTRODUCTION = """# What the beat jobs read

Written by `make bench-plans`. Each job is run for real on a table of ended runs with a few live ones; every SELECT on
`runs` or `ledger_entries` that it sends is explained with its buffers. A job costs what it finds, not what the table
holds: the pages stay the same (an index gets one or two levels deeper).

"""


def _measure() -> dict[tuple[str, str], tuple[int, str]]:
    """(job, form of the statement) -> pages touched, access path."""
    from django.db import connection, reset_queries
    from django.test.utils import CaptureQueriesContext

    from bench.live_runs import some_live_runs
    from runs.jobs.table import JOBS

    found: dict[tuple[str, str], tuple[int, str]] = {}
    for name, job in JOBS.items():
        some_live_runs()
        reset_queries()  # the log is bounded: a long job before this one would have filled it
        with CaptureQueriesContext(connection) as captured:
            job.one_pass()
        statements = [query["sql"] for query in captured if _is_a_read(query["sql"])]
        for sql in statements:
            if (name, _shape(sql)) not in found:
                found[name, _shape(sql)] = _explain(sql)
    return found


def _is_a_read(sql: str) -> bool:
    return (
        sql.startswith("SELECT")
        and ('FROM "runs"' in sql or 'FROM "ledger_entries"' in sql)
        and "FOR UPDATE" not in sql
    )


def _shape(sql: str) -> str:
    """One statement per form: literals do not matter."""
    return re.sub(r"'[^']*'(::uuid)?|\b\d+\b", "?", re.sub(r"\(\s*'[^)]*\)", "(?)", sql))


def _explain(sql: str) -> tuple[int, str]:
    from django.db import connection

    with connection.cursor() as cursor:
        # Twice: the first look also reads the catalogue.
        for _ in range(2):
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.replace("%", "%%"), [])
            plan = cursor.fetchone()[0][0]["Plan"]
    touched = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return touched, ", ".join(sorted(set(_access(plan))))


def _access(plan: dict) -> list[str]:  # type: ignore[type-arg]
    own = [f"{plan['Node Type']} {plan.get('Index Name', plan.get('Relation Name', ''))}".strip()]
    scans = [name for name in own if "Scan" in name]
    for inner in plan.get("Plans", []):
        scans += _access(inner)
    return scans


if __name__ == "__main__":
    sys.exit(main())
