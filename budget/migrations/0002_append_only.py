"""The journal is append-only: enforced by the database, whoever connects."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("budget", "0001_initial"), ("runs", "0002_guards")]

    operations = [
        migrations.RunSQL(
            """
            CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
                FOR EACH STATEMENT EXECUTE FUNCTION dpp_refuse_change();
            """,
            reverse_sql="DROP TRIGGER ledger_entries_append_only ON ledger_entries;",
        )
    ]
