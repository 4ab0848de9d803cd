"""The database's functions and triggers are those of the `.sql` files, to the letter."""

import re
from pathlib import Path

import pytest
from django.db import connection

CLONE = Path(__file__).resolve().parents[2]
_FILES = sorted(path for folder in ("runs", "budget", "storage") for path in (CLONE / folder).glob("sql/*.sql"))
_FUNCTION = re.compile(r"CREATE OR REPLACE FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$;", re.DOTALL)
_TRIGGER = re.compile(r"CREATE OR REPLACE (TRIGGER .*?);", re.DOTALL)


def _rows(sql: str) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return dict(cursor.fetchall())


def _one_line(text: str) -> str:
    """As PostgreSQL prints a trigger: on one line, events in its own order, the schema spelled out."""
    text = " ".join(text.split()).replace("public.", "")
    return text.replace("UPDATE OR DELETE", "DELETE OR UPDATE")


@pytest.mark.usefixtures("platform")
def test_the_databases_functions_are_the_files() -> None:
    in_files = {name: body for path in _FILES for name, body in _FUNCTION.findall(path.read_text(encoding="utf-8"))}
    in_database = _rows(
        "SELECT proname, prosrc FROM pg_proc JOIN pg_namespace AS home ON home.oid = pronamespace "
        "WHERE home.nspname = current_schema()"
    )
    assert in_files
    assert in_database == in_files


@pytest.mark.usefixtures("platform")
def test_the_databases_triggers_are_the_files() -> None:
    texts = [text for path in _FILES for text in _TRIGGER.findall(path.read_text(encoding="utf-8"))]
    in_files = {text.split()[1]: f"CREATE {_one_line(text)}" for text in texts}
    in_database = _rows("SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal")
    assert in_files
    assert {name: _one_line(text) for name, text in in_database.items()} == in_files


def test_every_file_is_executed_by_a_migration() -> None:
    migrations = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("runs", "budget", "storage")
        for path in (CLONE / folder / "migrations").glob("*.py")
    )
    assert [path.name for path in _FILES if path.name not in migrations] == []
