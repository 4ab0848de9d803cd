"""Submits that are under way at the same time share the call to the database; each gets its own outcome.

Nobody waits for company: who finds a line free goes at once. Called by `submit`. Refusals look as if the call had been
made for one run alone: a `DatabaseError` with the SQLSTATE of what stopped it.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from dpp_project.batching import BatchedCalls, NoAnswer
from dpp_project.dependency import POSTGRESQL, DependencySilent
from dpp_project.metrics import RUNS_PER_ACCEPT
from dpp_project.money import Micros
from dpp_project.ttl_cache import TtlCache
from runs.lifecycle import statements, transitions
from runs.lifecycle.transitions import Created
from runs.models import Run, RunPayload

_CONNECTION_LOST = ("08", "57P")

# Chosen by measurement, as for polls: a submit takes the least processor time with one call at a time, shared by all.
_CALLS_AT_A_TIME = 1
_MOST_IN_A_CALL = 16
_PATIENCE_SEC = 40
# The row of such a tenant was held for longer than others should wait for it: its submits are made alone for a while.
_ALONE_FOR_SEC = 1


class NotAsked(OperationalError):
    """The database was not asked at all: no run came of it, for certain."""


class _Request(NamedTuple):
    run: Run
    payload: RunPayload


# What a request is answered with: what the tenant has left, what came of it beside others, the error, or None: it is
# to be made alone.
_Answer = Micros | Created | Exception | None


def accept(run: Run, payload: RunPayload) -> Micros:
    """none -> QUEUED/RESERVED, with its money. Returns what the tenant has left; fails as `transitions.create` does."""
    if connection.in_atomic_block or _alone.fresh(run.tenant_id):
        return transitions.create(run, payload)
    answer = _ask(_Request(run, payload))
    if isinstance(answer, Exception):
        raise answer
    if answer is None:
        return transitions.create(run, payload)
    if not isinstance(answer, Created):
        return answer
    if answer.outcome == statements.ROW_IS_LOCKED:
        _alone.put(run.tenant_id, True, read_at=time.monotonic())
        return transitions.create(run, payload)
    if answer.outcome != statements.ACCEPTED:
        raise _error(answer.outcome)
    transitions.note_created(run, answer.at)
    return answer.remaining


def has_unknown_outcome(error: Exception) -> bool:
    """The connection broke: the commit may have happened."""
    state = sqlstate(error)
    return not isinstance(error, NotAsked) and (state is None or state.startswith(_CONNECTION_LOST))


def sqlstate(error: Exception) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)


def _ask(request: _Request) -> _Answer:
    try:
        # A place for each of them, not only for the one who calls: all of them wait for the database.
        with POSTGRESQL.call() as left:
            return _calls.ask(request, patience_sec=min(left, _PATIENCE_SEC))
    except DependencySilent as error:
        raise NotAsked(str(error)) from error
    except NoAnswer as error:
        message = "the database did not answer in time"
        raise (InterfaceError(message) if error.was_asked else NotAsked(message)) from error


def _accept_batch(requests: Sequence[_Request]) -> list[_Answer]:
    RUNS_PER_ACCEPT.observe(len(requests))
    try:
        connection.ensure_connection()
    except (DatabaseError, InterfaceError) as error:
        return [NotAsked(str(error)) for _ in requests]
    try:
        if len(requests) == 1:
            return [transitions.create(*requests[0])]
    except Exception as error:
        return [error]
    try:
        return list(transitions.create_together(requests))
    except (DatabaseError, InterfaceError) as error:
        # Undone for certain, for a reason that is one request's own: each finds out alone. Or nobody knows.
        return [error if has_unknown_outcome(error) else None for _ in requests]


def _error(state: str) -> DatabaseError:
    """As the database would have raised it."""
    message = statements.ONE_KEY_CONSTRAINT if state == statements.KEY_IS_TAKEN else state
    error, cause = DatabaseError(message), psycopg.Error(message)
    cause.sqlstate = state
    error.__cause__ = cause
    return error


_calls = BatchedCalls(_accept_batch, lines=_CALLS_AT_A_TIME, most=_MOST_IN_A_CALL)
_alone: TtlCache[str, bool] = TtlCache(_ALONE_FOR_SEC, most=1_000)
