"""Guards in the database itself: the audit trail is append-only, and a run moves only along the state machine's edges."""

from django.db import migrations

from dpp_project import sql_file

_UNGUARD = """
DROP TRIGGER runs_are_never_deleted ON runs;
DROP TRIGGER runs_follow_the_edges ON runs;
DROP FUNCTION dpp_guard_run();
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_initial")]

    operations = [
        sql_file.execute("runs/sql/refuse_change.sql", reverse_sql="DROP FUNCTION dpp_refuse_change();"),
        sql_file.execute(
            "runs/sql/run_transitions_append_only.sql",
            reverse_sql="DROP TRIGGER run_transitions_append_only ON run_transitions;",
        ),
        sql_file.execute("runs/sql/guard_run.sql", reverse_sql=_UNGUARD),
    ]
