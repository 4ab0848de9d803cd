"""Single flight: of all that want a document, one downloads it. A table row is the lock.

Every step is one statement that commits by itself, on any connection: there is no session lock, no prepared statement
and no open transaction, so it works behind a transaction-pooling PgBouncer. Times are the database's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.backends.utils import CursorWrapper

from dpp_project.metrics import FLIGHTS
from packs.cache import CacheKey, CacheLimits
from runs.models import DocumentFlight

State = DocumentFlight.State

# Taken if nobody has it, if its owner has been silent for too long, if what it settled has run out, or if the caller
# looked for the copy it promises and found none. The second part reads the row as it was when the statement began: it
# may be one step behind, never wrong for good, and whoever is told asks again.
_ACQUIRE = """
    WITH taken AS (
        INSERT INTO document_flights AS flight (cache_key, state, owner, touched_at, settled_until)
        VALUES (%(key)s, 'DOWNLOADING', %(owner)s, statement_timestamp(), NULL)
        ON CONFLICT (cache_key) DO UPDATE
            SET state = 'DOWNLOADING', owner = EXCLUDED.owner, touched_at = EXCLUDED.touched_at, settled_until = NULL
            WHERE (flight.state = 'DOWNLOADING' AND (
                      flight.owner = EXCLUDED.owner
                      OR flight.touched_at < statement_timestamp() - make_interval(secs => %(takeover_sec)s)))
               OR (flight.state <> 'DOWNLOADING' AND (
                      flight.settled_until < statement_timestamp() OR flight.owner = %(copy_missing_of)s))
        RETURNING owner
    )
    SELECT 'ACQUIRED', owner, 0 FROM taken
    UNION ALL
    SELECT state, owner, EXTRACT(EPOCH FROM statement_timestamp() - touched_at)::float8
    FROM document_flights WHERE cache_key = %(key)s AND NOT EXISTS (SELECT FROM taken)
"""
_COMPLETE = """
    UPDATE document_flights
    SET state = %(state)s, touched_at = statement_timestamp(),
        settled_until = statement_timestamp() + make_interval(secs => %(settled_sec)s)
    WHERE cache_key = %(key)s AND owner = %(owner)s AND state = 'DOWNLOADING'
"""
_ABORT = "DELETE FROM document_flights WHERE cache_key = %(key)s AND owner = %(owner)s AND state = 'DOWNLOADING'"
# Rows of documents nobody asks for any more. Each landing takes two away, so the table cannot outgrow its use.
_SWEEP = """
    DELETE FROM document_flights WHERE cache_key IN (
        SELECT cache_key FROM document_flights
        WHERE touched_at < statement_timestamp() - make_interval(secs => %(old_sec)s)
        ORDER BY touched_at LIMIT 2 FOR UPDATE SKIP LOCKED)
"""


@dataclass(frozen=True)
class Acquired:
    """The document is ours to download. End it by `complete` or `abort`."""


@dataclass(frozen=True)
class Cached:
    """It was downloaded a short while ago."""

    owner: UUID


@dataclass(frozen=True)
class Uncached:
    """It was downloaded a short while ago and could not be kept: there is nothing to wait for."""


@dataclass(frozen=True)
class Downloading:
    silent_sec: float


FlightAnswer = Acquired | Cached | Uncached | Downloading


class Flights:
    """Raises `django.db.Error` when the database is away; the caller then goes alone."""

    def __init__(self, limits: CacheLimits) -> None:
        self._limits = limits

    def acquire(self, key: CacheKey, owner: UUID, *, copy_missing_of: UUID | None = None) -> FlightAnswer:
        """`copy_missing_of`: the owner of a `Cached` answer whose copy was not there (evicted, or Redis forgot)."""
        with _statement() as cursor:
            cursor.execute(
                _ACQUIRE,
                {
                    "key": key.digest,
                    "owner": owner,
                    "takeover_sec": self._limits.flight_takeover_sec,
                    "copy_missing_of": copy_missing_of,
                },
            )
            # No row: another's insert came first and was not yet to be seen when ours began.
            row: tuple[str, UUID, float] = cursor.fetchone() or (State.DOWNLOADING, owner, 0.0)
        state, holder, silent_sec = row
        FLIGHTS.labels(outcome=str(state).lower()).inc()
        match state:
            case "ACQUIRED":
                return Acquired()
            case State.CACHED:
                return Cached(holder)
            case State.UNCACHED:
                return Uncached()
            case State.DOWNLOADING:
                return Downloading(silent_sec)
            case other:
                raise AssertionError(f"a flight in state {other!r}")

    def complete(self, key: CacheKey, owner: UUID, *, stored: bool) -> bool:
        """False if somebody has taken the row over meanwhile: then it is theirs to end."""
        completed = _changes_one(
            _COMPLETE,
            key=key.digest,
            owner=owner,
            state=(State.CACHED if stored else State.UNCACHED).value,
            settled_sec=self._limits.document_ttl_sec if stored else self._limits.flight_uncached_sec,
        )
        _changes_one(_SWEEP, old_sec=self._limits.document_kept_sec)
        return completed

    def abort(self, key: CacheKey, owner: UUID) -> bool:
        """A failure releases the row: the next one may try. False if it is no longer ours."""
        return _changes_one(_ABORT, key=key.digest, owner=owner)


def _changes_one(sql: str, **values: str | int | UUID) -> bool:
    with _statement() as cursor:
        cursor.execute(sql, values)
        return bool(cursor.rowcount == 1)


@contextmanager
def _statement() -> Iterator[CursorWrapper]:
    """A connection for one statement. Fetching threads come and go and wait a lot: none of them keeps one."""
    try:
        with connection.cursor() as cursor:
            yield cursor
    finally:
        if not connection.in_atomic_block:
            connection.close()
