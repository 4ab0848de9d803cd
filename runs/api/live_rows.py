"""Live runs as a poll shows them: looked up for all polls that arrive together, rendered once per change."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from dpp_project.batching import BatchedCalls
from dpp_project.money import Micros
from dpp_project.postgresql.lookup import Lookup, Row
from runs.access.limits import Decision, Gate, ask_to_poll
from runs.api.shown_run import Costs, RunColumns, shown_run


class Shown(NamedTuple):
    """A row, ready to be sent."""

    body: bytes
    etag: str
    costs: dict[str, str]
    run: RunColumns


# Chosen by measurement: one call at a time, shared by all who wait, answers more polls than two or four side by side.
_CALLS_AT_A_TIME = 1
_MOST_IN_A_CALL = 64
# Behind a call that hangs. Django has connections of its own, or knows that there is no answer to be had.
_PATIENCE_SEC = 0.4

OWN_RUNS = Lookup(
    "dpp_polls",
    f"""
    SELECT number, own.*
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (run_id, tenant_id, number),
         LATERAL (
             SELECT coalesce(available_usd_micros, 0), {", ".join(RunColumns._fields)}
             FROM runs LEFT JOIN tenant_balances USING (tenant_id)
             WHERE runs.run_id = asked.run_id AND runs.tenant_id = asked.tenant_id
             LIMIT 1  -- keeps the planner from scanning the table for all of them together
         ) AS own
    """,  # noqa: S608
    connections=_CALLS_AT_A_TIME,
)


class Poll(NamedTuple):
    gate: Gate
    run_id: str
    tenant_id: str


def _look(polls: Sequence[Poll]) -> list[Row | None]:
    """The rows of those that are within their limits."""
    ask_to_poll([poll.gate for poll in polls])
    admitted = [
        number for number, poll in enumerate(polls) if poll.gate.verdict and poll.gate.verdict.answer == Decision.OK
    ]
    rows: list[Row | None] = [None] * len(polls)
    if admitted:
        found = OWN_RUNS([polls[number][1:] for number in admitted])
        for number, row in zip(admitted, found, strict=True):
            rows[number] = row
    return rows


LOOKS = BatchedCalls(_look, lines=_CALLS_AT_A_TIME, most=_MOST_IN_A_CALL, patience_sec=_PATIENCE_SEC)


@functools.lru_cache(maxsize=4096)
def shown(row: Row) -> Shown | None:
    """None for a run that has ended. Kept for the very same row: a run is asked for more often than it changes."""
    available, *columns = row
    run = RunColumns.from_texts(columns)
    if not run.is_live:
        return None
    costs = Costs.of(run, Micros(int(available or 0)))
    # A live run looks the same at all times.
    body, etag = shown_run(run, costs, now=run.updated_at)
    assert etag is not None
    return Shown(body, etag, costs.headers(), run)
