"""Statements of fixed text on the hot paths, prepared once per connection: no parsing, no planning, no query building.

They run on Django's connection, inside its transaction if there is one, and fail with its exceptions.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from psycopg import Cursor


def fetch_one(sql: str, params: Sequence[Any] | Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The first row of the statement's result; None if there is none."""
    rows = fetch_all(sql, params)
    return rows[0] if rows else None


def fetch_all(sql: str, params: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    connection.ensure_connection()
    with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
        cursor.execute(sql, params, prepare=True)
        if connection.queries_logged:  # for tests that count them
            connection.queries_log.append({"sql": sql})
        return cursor.fetchall()
