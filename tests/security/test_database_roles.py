"""The role that serves owns nothing: what is append-only stays so, whoever gets hold of its connection."""

import os
import subprocess
import sys
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command
from django.db import ProgrammingError, connection

from dpp_project.postgresql.roles import as_owner, connected_role
from runs.models import Run
from tests.owner import owner_cursor
from tests.processes import CLONE
from tests.services import SessionServices

APPEND_ONLY = ("ledger_entries", "run_transitions", "switch_changes")
REFUSED = r"permission denied|must be owner"


def test_the_application_is_neither_owner_nor_superuser(platform: SessionServices) -> None:
    role = connected_role()
    assert (role.name, role.is_superuser, role.owns_tables, role.is_confined) == ("dpp_serving", False, False, True)
    with as_owner():
        assert not connected_role().is_confined
    assert connected_role().is_confined


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {} SET id = id",
        "DELETE FROM {}",
        "TRUNCATE {}",
        "ALTER TABLE {} DISABLE TRIGGER ALL",
        "ALTER TABLE {} ADD COLUMN smuggled int",
        "DROP TABLE {}",
        "CREATE TRIGGER ours BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION dpp_refuse_change()",
    ],
)
def test_append_only_tables_cannot_be_changed_by_the_serving_role(queued_run: Run, table: str, statement: str) -> None:
    with pytest.raises(ProgrammingError, match=REFUSED), connection.cursor() as cursor:
        cursor.execute(statement.format(table))


def test_it_cannot_grant_itself_more(queued_run: Run) -> None:
    """PostgreSQL only warns of a GRANT by somebody who may not, and grants nothing."""
    with pytest.raises(ProgrammingError, match=REFUSED), connection.cursor() as cursor:
        cursor.execute("GRANT ALL ON ledger_entries TO dpp_serving")
        cursor.execute("DELETE FROM ledger_entries")


@pytest.mark.parametrize(
    "statement",
    [
        "SET session_replication_role = replica",
        "DELETE FROM runs",
        "CREATE TABLE smuggled (n int)",
        "CREATE TEMPORARY TABLE ledger_entries (LIKE ledger_entries)",
        "CREATE FUNCTION smuggled() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE OR REPLACE FUNCTION dpp_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "DROP TRIGGER runs_follow_the_edges ON runs",
        "SET ROLE dpp",
        "CREATE ROLE smuggled SUPERUSER",
        "ALTER ROLE dpp_serving SUPERUSER",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('/etc/passwd')",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('runs', 'x', now())",
    ],
)
def test_nor_can_it_get_around_them(queued_run: Run, statement: str) -> None:
    with pytest.raises(ProgrammingError, match=REFUSED), connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_new_append_only_table_is_covered_by_its_trigger(platform: SessionServices) -> None:
    """Given a table with the trigger, Expect the setup to take the rights away: nobody has to keep a list."""
    with owner_cursor() as cursor:
        cursor.execute("CREATE TABLE later_book (id int)")
        cursor.execute(
            "CREATE TRIGGER later_book_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON later_book"
            " FOR EACH STATEMENT EXECUTE FUNCTION dpp_refuse_change()"
        )
    try:
        told = StringIO()
        call_command("setup_database", verbosity=0, stdout=told)
        assert "later_book" in told.getvalue()
        with connection.cursor() as serving:
            serving.execute("INSERT INTO later_book VALUES (1)")
            with pytest.raises(ProgrammingError, match=REFUSED):
                serving.execute("UPDATE later_book SET id = 2")
    finally:
        with owner_cursor() as cursor:
            cursor.execute("DROP TABLE later_book")


def test_the_setup_makes_a_missing_role_and_can_be_repeated(platform: SessionServices) -> None:
    url = platform.postgres.url.replace("dpp_serving:", "another_serving:")
    environment = {**os.environ, "DATABASE_URL": url}
    for _ in range(2):
        command = [sys.executable, "manage.py", "setup_database"]
        result = subprocess.run(command, cwd=CLONE, env=environment, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        assert "another_serving serves" in result.stdout
    with psycopg.connect(url) as served:
        assert served.execute("SELECT count(*) FROM runs").fetchone() == (0,)
    with owner_cursor() as cursor:
        cursor.execute("DROP OWNED BY another_serving")
        cursor.execute("DROP ROLE another_serving")
