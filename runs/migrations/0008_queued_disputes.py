"""A queued run can be disputed: a database that lost its last commits meets a receipt of which no row tells."""

from django.db import migrations, models

from dpp_project import sql_file


class Migration(migrations.Migration):
    dependencies = [("runs", "0007_cancel_permission")]

    operations = [
        migrations.RemoveConstraint(model_name="run", name="runs_live_holds_reservation"),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ("QUEUED", "PROCESSING")), _negated=True),
                    ("money_state", "RESERVED"),
                    models.Q(("finalize_stage__isnull", False), ("money_state", "DISPUTED")),
                    _connector="OR",
                ),
                name="runs_live_holds_reservation",
            ),
        ),
        sql_file.execute("runs/sql/guard_run.sql"),
    ]
