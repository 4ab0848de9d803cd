"""Inputs of runs that were cancelled or never started are deleted soon: when, and which are left."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("runs", "0012_key_restrictions")]

    operations = [
        migrations.AddField("run", "inputs_deleted_at", models.DateTimeField(null=True)),
        migrations.AddIndex(
            "run",
            models.Index(
                name="runs_inputs_not_needed",
                fields=["created_at"],
                condition=Q(("inputs_deleted_at__isnull", True), ("status", "FAILED"))
                & Q(("lease_token__isnull", True), ("last_error_reason_code", "RUN_CANCELLED"), _connector="OR"),
            ),
        ),
    ]
