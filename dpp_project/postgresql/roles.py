"""Two roles of the database: the owner makes and changes tables, the serving role only works with them.

`DATABASE_URL` is the serving role's; every process that faces the outside has nothing else. `manage.py setup_database`
works as the owner, of `DATABASE_OWNER_URL`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg import sql

# Which kinds of change a trigger refuses, by the bits of `pg_trigger.tgtype`.
_REFUSED = {8: "DELETE", 16: "UPDATE", 32: "TRUNCATE"}


@dataclass(frozen=True)
class RoleFacts:
    name: str
    is_superuser: bool
    owns_tables: bool

    @property
    def is_confined(self) -> bool:
        return not self.is_superuser and not self.owns_tables


def connected_role() -> RoleFacts:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolname, rolsuper OR rolbypassrls OR rolcreaterole,"
            " EXISTS (SELECT FROM pg_class WHERE pg_has_role(current_user, relowner, 'USAGE')"
            " AND relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p'))"
            " FROM pg_roles WHERE rolname = current_user"
        )
        return RoleFacts(*cursor.fetchone())


@contextmanager
def as_owner() -> Iterator[None]:
    """This process's default connection is the owner's inside the block; as it was where no owner is configured."""
    if settings.DATABASE_OWNER is None:
        yield
        return
    before = {name: connection.settings_dict[name] for name in settings.DATABASE_OWNER}
    _reconnect(settings.DATABASE_OWNER)
    try:
        yield
    finally:
        _reconnect(before)


def prepare_serving_role(role: str, password: str) -> list[str]:
    """Make the role if it is missing, and grant it what it needs and no more. Returns the tables that it can only
    append to. Called by the owner."""
    appended: list[str] = []
    with connection.cursor() as cursor:
        _make(cursor, role, password)
        name = sql.Identifier(role)
        for statement in (
            "GRANT CONNECT ON DATABASE {database} TO {role}",
            "GRANT USAGE ON SCHEMA public TO {role}",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            # A table of the session's own comes before ours of the same name, also for what our triggers look up.
            "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
            "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
            # The record of what was migrated is the owner's.
            "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}",
        ):
            database = sql.Identifier(str(connection.settings_dict["NAME"]))
            cursor.execute(sql.SQL(statement).format(role=name, database=database))
        # A trigger already refuses these changes to everybody. Without the right to them, and without owning the
        # table, the serving role cannot switch the trigger off either.
        cursor.execute(
            "SELECT relname, bit_or(tgtype::int) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
            " WHERE tgfoid = 'dpp_refuse_change'::regproc AND relnamespace = 'public'::regnamespace"
            " GROUP BY relname ORDER BY relname"
        )
        for table, bits in cursor.fetchall():
            refused = sql.SQL(", ").join(sql.SQL(kind) for bit, kind in _REFUSED.items() if bits & bit)
            cursor.execute(sql.SQL("REVOKE {} ON {} FROM {}").format(refused, sql.Identifier(table), name))
            appended.append(table)
    return appended


def _make(cursor: Any, role: str, password: str) -> None:
    cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [role])
    if cursor.fetchone() is not None:
        return
    cursor.execute(
        sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD {}").format(
            sql.Identifier(role), sql.Literal(password)
        )
    )


def _reconnect(address: dict[str, Any]) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict.update(address)
