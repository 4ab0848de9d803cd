"""Runs as a poll shows them: looked up for all polls that arrive together; a live one is rendered once per change."""

import functools
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from dpp_project.batching import BatchedCalls
from dpp_project.money import Micros
from dpp_project.postgresql.lookup import Lookup, Row
from runs.access.limits import Decision, Gate, ask_to_poll
from runs.api.json_bodies import json_bytes
from runs.api.shown_run import STORED_ITEMS, Costs, RunColumns, StoredItem, run_document, shown_run, with_links


class PolledRun:
    """A row, read and rendered as far as time does not change it: an ended run gets fresh links with every answer."""

    def __init__(self, row: Row) -> None:
        available, stored, *columns = row
        self.run = RunColumns.from_texts(columns)
        self.costs = Costs.of(self.run, Micros(int(available or 0)))
        self.cost_headers = self.costs.headers()
        self._stored = StoredItem.from_column(stored.decode() if stored else None)
        self._live_answer: tuple[bytes, str | None] | None = None
        if self.run.is_live:
            self._live_answer = shown_run(self.run, self.costs, (), now=self.run.updated_at)
        else:
            self._document = run_document(self.run, self.costs, self._stored)

    def answer(self, *, now: datetime) -> tuple[bytes, str | None]:
        """Body and, of a live run, ETag. Raises `StorageError` where an envelope is to be read and cannot be."""
        return self._live_answer or (
            json_bytes(with_links(self._document, self.run, self._stored, now=now)),
            None,
        )


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
             SELECT coalesce(available_usd_micros, 0), {STORED_ITEMS}, {", ".join(RunColumns._fields)}
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
def polled_run(row: Row) -> PolledRun:
    """Kept for the very same row: a run is asked for more often than it changes. Raises `StorageError` where the result
    is known to be gone or damaged."""
    return PolledRun(row)
