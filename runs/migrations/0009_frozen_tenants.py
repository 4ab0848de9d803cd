"""A tenant whose books disagree spends nothing: `dpp_accept_run` looks at the balance row's freeze."""

from django.db import migrations

from dpp_project import sql_file


class Migration(migrations.Migration):
    dependencies = [("runs", "0008_queued_disputes"), ("budget", "0003_ledger_chain")]

    operations = [sql_file.execute("runs/sql/accept_run.sql")]
