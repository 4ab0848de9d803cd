"""When a key's receipt was given again while its run was queued: such a run is not given up for want of its message."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0015_key_budgets")]

    operations = [migrations.AddField("run", "receipt_repeated_at", models.DateTimeField(null=True))]
