"""The owner's connection, for what the application may not do: empty tables, damage books, switch triggers off."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg


@contextmanager
def owner_cursor(*, guards: bool = True) -> Iterator[psycopg.Cursor[Any]]:
    """`guards=False`: triggers look the other way, as only a superuser can make them."""
    with (
        psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        if not guards:
            cursor.execute("SET session_replication_role = replica")
        yield cursor
