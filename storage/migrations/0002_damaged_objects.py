"""Stored objects that the scrubber did not find as they were written."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("storage", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="DamagedObject",
            fields=[
                (
                    "stored",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="damage",
                        serialize=False,
                        to="storage.storedobject",
                    ),
                ),
                ("problem", models.TextField(choices=[("missing", "Missing"), ("differs", "Differs")])),
                ("found_at", models.DateTimeField()),
                ("checked_at", models.DateTimeField()),
            ],
            options={"db_table": "damaged_objects", "verbose_name_plural": "damaged results"},
        ),
    ]
