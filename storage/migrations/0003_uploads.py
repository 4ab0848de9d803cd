"""Files that callers put into the bucket themselves."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("storage", "0002_damaged_objects"), ("runs", "0014_result_summary")]

    operations = [
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("upload_id", models.UUIDField(primary_key=True, serialize=False)),
                ("name", models.TextField()),
                ("size", models.BigIntegerField()),
                ("sha256", models.TextField()),
                ("mime", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="runs.tenant",
                    ),
                ),
            ],
            options={"db_table": "uploads"},
        ),
        migrations.AddIndex(
            "upload", models.Index(fields=["tenant", "created_at"], name="uploads_by_tenant")
        ),
    ]
