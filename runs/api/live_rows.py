"""Live runs as a poll shows them: looked up for all polls that arrive together, made ready to be sent once a change."""

import functools
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from dpp_project.money import Micros
from dpp_project.postgresql.lookup import Lookup, Row
from dpp_project.sharing import SharedCalls
from runs.api import render
from runs.api.costs import Costs
from runs.buckets import Answer
from runs.limits import Gate, ask_to_poll
from runs.states import LIVE


class _Run(NamedTuple):
    """What is shown of a live run."""

    pk: UUID
    pack_type: str
    money_state: str
    progress: float
    minimum_fee_usd_micros: int
    created_at: datetime
    updated_at: datetime
    trace_id: str
    profile_version: str
    retention_until: datetime

    @classmethod
    def of(cls, *texts: str) -> "_Run":
        run_id, pack_type, money_state, progress, fee, created_at, updated_at, trace_id, profile_version, until = texts
        return cls(
            UUID(run_id),
            pack_type,
            money_state,
            float(progress),
            int(fee),
            datetime.fromisoformat(created_at),
            datetime.fromisoformat(updated_at),
            trace_id,
            profile_version,
            datetime.fromisoformat(until),
        )


class Shown(NamedTuple):
    """A row, ready to be sent."""

    body: bytes
    etag: str
    costs: dict[str, str]
    until: datetime
    """The retention's end."""


# Chosen by measurement: one call at a time, shared by all who wait, answers more polls than two or four side by side.
_CALLS_AT_A_TIME = 1
_MOST_IN_A_CALL = 64
# Behind a call that hangs. Django has connections of its own.
_PATIENCE_SEC = 1.0

OWN_RUNS = Lookup(
    "dpp_polls",
    """
    SELECT number, own.*
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (run_id, tenant_id, number),
         LATERAL (
             SELECT status, reservation_max_cost_usd_micros, coalesce(available_usd_micros, 0), tokens_consumed,
                    run_id, pack_type, money_state, progress, minimum_fee_usd_micros, created_at, updated_at,
                    trace_id, profile_version, retention_until
             FROM runs LEFT JOIN tenant_balances USING (tenant_id)
             WHERE runs.run_id = asked.run_id AND runs.tenant_id = asked.tenant_id
             LIMIT 1  -- keeps the planner from scanning the table for all of them together
         ) AS own
    """,
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
        number for number, poll in enumerate(polls) if poll.gate.verdict and poll.gate.verdict.answer == Answer.OK
    ]
    rows: list[Row | None] = [None] * len(polls)
    if admitted:
        found = OWN_RUNS([polls[number][1:] for number in admitted])
        for number, row in zip(admitted, found, strict=True):
            rows[number] = row
    return rows


LOOKS = SharedCalls(_look, lines=_CALLS_AT_A_TIME, most=_MOST_IN_A_CALL, patience_sec=_PATIENCE_SEC)


@functools.lru_cache(maxsize=4096)
def shown(row: Row) -> Shown | None:
    """None for a run that has ended. Kept for the very same row: a run is asked for more often than it changes."""
    status, reserved, available, tokens, *of_run = ((value or b"").decode() for value in row)
    if status not in LIVE:
        return None
    run = _Run.of(*of_run)
    # Nothing is used until a run has ended.
    costs = Costs(reserved=Micros(int(reserved)), remaining=Micros(int(available)), tokens=int(tokens))
    body, etag = render.live_status(run, costs, status=status)
    return Shown(body, etag, costs.headers(), run.retention_until)
