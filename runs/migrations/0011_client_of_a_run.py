"""The name and version of the client that a request names are kept with its run."""

from django.db import migrations, models

from dpp_project import sql_file

# With two arguments fewer: calls would otherwise find both functions.
_DROP = """
DROP FUNCTION IF EXISTS dpp_accept_run(
    uuid, text, text, text, text, text, bigint, bigint, integer, double precision, boolean, timestamptz, text,
    timestamptz, text, text
)
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0010_one_clock")]

    operations = [
        migrations.AddField("run", "client_name", models.TextField(null=True)),
        migrations.AddField("run", "client_version", models.TextField(null=True)),
        migrations.RunSQL(_DROP, migrations.RunSQL.noop),
        sql_file.execute("runs/sql/accept_run.sql"),
    ]
