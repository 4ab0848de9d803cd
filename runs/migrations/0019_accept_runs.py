"""Submits that are under way at the same time are accepted in one call."""

from django.db import migrations

from dpp_project import sql_file


class Migration(migrations.Migration):
    dependencies = [("runs", "0018_webhooks")]

    operations = [sql_file.execute("runs/sql/accept_runs.sql")]
