"""What a poll tells of a result besides its link: reliability, warnings, whether the limit was reached."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0013_inputs_not_needed")]

    operations = [migrations.AddField("run", "result_summary", models.JSONField(null=True))]
