"""What a migration of a table that grows for ever may not do: hold a lock against writers while it reads the table.

An index is built concurrently, a constraint is added unvalidated and validated later, rows are rewritten in batches by
a job.
"""

import re
from collections.abc import Iterator, Sequence

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

GROWING = {
    "run": "runs",
    "runpayload": "run_payloads",
    "runtransition": "run_transitions",
    "ledgerentry": "ledger_entries",
    "storedobject": "stored_objects",
}
"""Models and tables with a row or more per run."""

_TABLE = rf"(?:ONLY\s+)?\"?(?:{'|'.join(GROWING.values())})\"?\b"
_FORBIDDEN_SQL = {
    rf"CREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)[^;]*\bON\s+{_TABLE}": "an index is built CONCURRENTLY",
    rf"ALTER\s+TABLE\s+{_TABLE}[^;]*\bADD\s+CONSTRAINT\b(?![^;]*NOT\s+VALID)(?![^;]*USING\s+INDEX)": (
        "a constraint is added NOT VALID, and validated by itself"
    ),
    rf"ALTER\s+TABLE\s+{_TABLE}[^;]*\b(SET\s+DATA\s+TYPE|TYPE\s+\w|SET\s+NOT\s+NULL)": (
        "a column is rewritten or read through"
    ),
    rf"\b(UPDATE|DELETE\s+FROM)\s+{_TABLE}": "rows are changed in batches, by a job",
    rf"\bLOCK\s+TABLE\s+{_TABLE}": "a lock is taken for as long as the migration lasts",
}
_QUOTED_BODY = re.compile(r"\$(\w*)\$.*?\$\1\$", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")


def problems(migration: migrations.Migration) -> list[str]:
    """In a sentence each. What a migration creates itself is empty, and may be treated in any way."""
    created = {
        operation.name_lower for operation in migration.operations if isinstance(operation, migrations.CreateModel)
    }
    growing = set(GROWING) - created
    return [problem for operation in migration.operations for problem in _of(operation, growing)]


def _of(operation: Operation, growing: set[str]) -> Iterator[str]:
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        for inner in operation.database_operations:
            yield from _of(inner, growing)
    elif isinstance(operation, migrations.RunSQL):
        yield from _of_sql(operation.sql)
    elif isinstance(operation, migrations.RunPython):
        if operation.atomic is not False:
            yield "RunPython: give atomic=False and work in batches, or the locks of all rows last until its end"
    elif getattr(operation, "model_name_lower", None) in growing:
        yield from _of_table(operation)


def _of_table(operation: Operation) -> Iterator[str]:
    where = f"{type(operation).__name__} of {operation.model_name_lower}"  # type: ignore[attr-defined]
    match operation:
        case AddIndexConcurrently() | RemoveIndexConcurrently() | AddConstraintNotValid():
            pass
        case migrations.AddIndex() | migrations.RemoveIndex():
            yield f"{where}: use the concurrent one of django.contrib.postgres.operations"
        case migrations.AddConstraint():
            yield f"{where}: add it NOT VALID (AddConstraintNotValid), and validate it in the next migration"
        case migrations.AlterField():
            yield f"{where}: it may rewrite the table; say in SQL what shall happen"
        case migrations.AddField(field=field):
            if field.unique or field.db_index:  # type: ignore[attr-defined]
                yield f"{where}: its index would be built under a lock"
            if isinstance(field, models.ForeignKey) and field.db_constraint:  # type: ignore[attr-defined]
                yield f"{where}: its constraint would be checked under a lock; use db_constraint=False"


def _of_sql(sql: object) -> Iterator[str]:
    statements: Sequence[object] = [sql] if isinstance(sql, str) else list(sql)  # type: ignore[call-overload]
    for statement in statements:
        text = statement if isinstance(statement, str) else str(statement[0])  # type: ignore[index]
        # What a function does when it is called is not done by the migration.
        plain = _COMMENT.sub("", _QUOTED_BODY.sub("''", text))
        for pattern, rule in _FORBIDDEN_SQL.items():
            if re.search(pattern, plain, re.IGNORECASE):
                yield f"RunSQL: {rule}"
