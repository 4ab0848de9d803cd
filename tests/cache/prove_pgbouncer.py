"""Single flight behind a real PgBouncer in transaction mode. Run by `make prove-pgbouncer`.

Not part of `make test`, which needs nothing but Python: there is no package of PgBouncer among Python's.
"""

from pathlib import Path
from uuid import uuid4

import psycopg

from packs.cache import CACHE
from runs.documents.flights import _ABORT, _ACQUIRE, _COMPLETE
from tests.cache.fleet import PROCESSES, assert_each_downloaded_once, fifty_runs
from tests.cache.pgbouncer import transaction_pool
from tests.packs.fetch.zoo import Zoo
from tests.services import SessionServices

KEY = "a" * 64


def acquire(client: "psycopg.Connection[tuple[object, ...]]", owner: object) -> object:
    values = {"key": KEY, "owner": owner, "takeover_sec": CACHE.flight_takeover_sec, "copy_missing_of": None}
    row = client.execute(_ACQUIRE, values).fetchone()
    return row[0] if row else "DOWNLOADING"


def session_of(client: "psycopg.Connection[tuple[object, ...]]") -> object:
    row = client.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return row[0]


def test_a_session_lock_is_worth_nothing_here(fleet: SessionServices, tmp_path: Path) -> None:
    """The control: two clients in one session of the server, and the second gets the first one's lock."""
    with (
        transaction_pool(fleet.postgres.url, tmp_path, server_connections=1) as url,
        psycopg.connect(url, autocommit=True, prepare_threshold=None) as alice,
        psycopg.connect(url, autocommit=True, prepare_threshold=None) as bob,
    ):
        assert session_of(alice) == session_of(bob)
        assert alice.execute("SELECT pg_try_advisory_lock(1)").fetchone() == (True,)
        assert bob.execute("SELECT pg_try_advisory_lock(1)").fetchone() == (True,)
        alice.execute("SELECT pg_advisory_unlock_all()")


def test_the_row_keeps_two_clients_of_one_session_apart(fleet: SessionServices, tmp_path: Path) -> None:
    with (
        transaction_pool(fleet.postgres.url, tmp_path, server_connections=1) as url,
        psycopg.connect(url, autocommit=True, prepare_threshold=None) as alice,
        psycopg.connect(url, autocommit=True, prepare_threshold=None) as bob,
    ):
        ours, theirs = uuid4(), uuid4()
        assert session_of(alice) == session_of(bob)
        assert acquire(alice, ours) == "ACQUIRED"
        assert acquire(bob, theirs) == "DOWNLOADING"
        assert bob.execute(_ABORT, {"key": KEY, "owner": theirs}).rowcount == 0
        done = {"key": KEY, "owner": ours, "state": "CACHED", "settled_sec": 900}
        assert alice.execute(_COMPLETE, done).rowcount == 1
        assert acquire(bob, theirs) == "CACHED"


def test_fifty_runs_in_five_processes_through_four_sessions(fleet: SessionServices, zoo: Zoo, tmp_path: Path) -> None:
    with transaction_pool(fleet.postgres.url, tmp_path, server_connections=4) as url:
        assert_each_downloaded_once(fifty_runs(zoo, tmp_path, DATABASE_URL=url, DPP_DB_PREPARE="0"))
    assert (tmp_path / "pgbouncer.log").read_text().count("login attempt") > PROCESSES, "they went another way"
