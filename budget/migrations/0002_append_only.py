"""The journal is append-only: enforced by the database, whoever connects."""

from django.db import migrations

from dpp_project import sql_file


class Migration(migrations.Migration):
    dependencies = [("budget", "0001_initial"), ("runs", "0002_guards")]

    operations = [
        sql_file.execute(
            "budget/sql/ledger_entries_append_only.sql",
            reverse_sql="DROP TRIGGER ledger_entries_append_only ON ledger_entries;",
        )
    ]
