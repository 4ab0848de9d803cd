"""A submit's whole transaction as one function: run, payload, transition, balance row, RESERVE entry, in one call."""

from django.db import migrations, models

from dpp_project import sql_file

class Migration(migrations.Migration):
    dependencies = [("runs", "0005_operate"), ("budget", "0002_append_only")]

    operations = [
        # The unique (run, version) serves every search by run.
        migrations.AlterField(
            "runtransition",
            "run",
            models.ForeignKey(
                db_index=False, on_delete=models.deletion.PROTECT, related_name="transitions", to="runs.run"
            ),
        ),
        sql_file.execute("runs/sql/accept_run.sql", reverse_sql="DROP FUNCTION dpp_accept_run;"),
    ]
