"""Ages and expiries by the database's clock: in the acceptance of a run and in the guard of its edges."""

from django.db import migrations

from dpp_project import sql_file


class Migration(migrations.Migration):
    dependencies = [("runs", "0009_frozen_tenants")]

    operations = [sql_file.execute("runs/sql/accept_run.sql"), sql_file.execute("runs/sql/guard_run.sql")]
