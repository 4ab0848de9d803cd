"""A migration's SQL whose current text stands in a file: functions and triggers, written with CREATE OR REPLACE.

A later change edits the file and adds a migration that executes it again; a fresh database executes the last text each
time, which is harmless. What an older text was is in the history of the file.
"""

from pathlib import Path

from django.db import migrations

_ROOT = Path(__file__).parents[1]


def execute(path: str, *, reverse_sql: str = migrations.RunSQL.noop) -> migrations.RunSQL:
    return migrations.RunSQL((_ROOT / path).read_text(encoding="utf-8"), reverse_sql=reverse_sql)
