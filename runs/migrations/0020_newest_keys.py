from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # Nobody who issues or revokes a key waits for it.
    atomic = False

    dependencies = [("runs", "0019_accept_runs")]

    operations = [
        AddIndexConcurrently(
            model_name="apikey",
            index=models.Index(fields=["-created_at"], name="api_keys_newest"),
        ),
    ]
