"""What PostgreSQL and Redis hold, as a value: taken, kept, put back. What a failover brings back is such a value."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from budget import redis_keys
from dpp_project.redis import client

# Everything that an ending, a rebuild or a job of these touches; parents first.
_TABLES = (
    *("tenant_balances", "runs", "run_payloads", "stored_objects", "ledger_entries", "run_transitions"),
    *("voided_reservations", "audit_positions", "book_findings"),
)


@dataclass(frozen=True)
class SavedRows:
    """All rows of all tables, as JSON text."""

    by_table: Mapping[str, str | None]


class Owner:
    """The owner's connection, whose triggers look the other way: what is put back is put back as it was."""

    def __init__(self) -> None:
        self._connection = psycopg.connect(
            os.environ["DATABASE_OWNER_URL"], autocommit=True, cursor_factory=psycopg.ClientCursor
        )
        self._connection.execute("SET session_replication_role = replica")
        # Rows of a value may hang on nothing; and no plan is worth the time for a handful of rows.
        self._connection.execute("SET synchronous_commit = off")
        columns = (f"(SELECT jsonb_agg(t) FROM {table} t)::text" for table in _TABLES)
        self._take = "SELECT " + ", ".join(columns)

    def take(self) -> SavedRows:
        row: Any = self._connection.execute(self._take).fetchone()
        return SavedRows(dict(zip(_TABLES, row, strict=True)))

    def put_back(self, rows: SavedRows) -> None:
        steps = [sql.SQL("DELETE FROM {}").format(sql.Identifier(table)) for table in reversed(_TABLES)]
        for table, text in rows.by_table.items():
            if text:
                steps.append(
                    sql.SQL("INSERT INTO {0} SELECT * FROM jsonb_populate_recordset(NULL::{0}, {1})").format(
                        sql.Identifier(table), sql.Literal(text)
                    )
                )
        with self._connection.transaction():
            self._connection.execute(sql.SQL("; ").join(steps))

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True)
class SavedKeys:
    """The ledger's keys in Redis, serialised. All others are caches, hints and events, and are lost."""

    by_key: Mapping[str, bytes]
    meaning: tuple[object, ...]
    """What they say, without the moments at which it was said."""


_LEDGER = ("budget:", "reserve:", "receipt:", *redis_keys.all_open_holds(), *redis_keys.all_unsent())


def take_keys() -> SavedKeys:
    names = sorted(name for key in client().keys("*") if (name := str(key)).startswith(_LEDGER))
    pipe: Any = client().pipeline(transaction=False)
    for name in names:
        pipe.execute_command("DUMP", name, NEVER_DECODE=True)
        _ask_meaning(pipe, name)
    answers = pipe.execute()
    by_key = dict(zip(names, answers[::2], strict=True))
    meaning = tuple((name, _plain(answer)) for name, answer in zip(names, answers[1::2], strict=True))
    return SavedKeys(by_key, meaning)


def _ask_meaning(pipe: Any, name: str) -> None:
    if name.endswith(":balance_usd_micros"):
        pipe.get(name)
    elif name.startswith("reserve:"):
        pipe.hmget(name, "reserved_usd_micros")
    elif name.startswith("receipt:"):
        pipe.hmget(name, "kind", "charge", "refund")
    elif name.startswith("budget:"):
        pipe.smembers(name)
    else:
        pipe.zrange(name, 0, -1)


def _plain(answer: Any) -> object:
    return tuple(sorted(map(str, answer))) if isinstance(answer, set | list) else answer


def put_keys_back(keys: SavedKeys) -> None:
    pipe = client().pipeline(transaction=False)
    pipe.flushall()
    for name, value in keys.by_key.items():
        pipe.restore(name, 0, value)
    pipe.execute()
