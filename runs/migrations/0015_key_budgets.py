"""Keys that may spend so much and make keys that may spend less; tags of runs."""

import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from dpp_project import sql_file

# With three arguments fewer: calls would otherwise find both functions.
_DROP = """
DROP FUNCTION IF EXISTS dpp_accept_run(
    uuid, text, text, text, text, text, bigint, bigint, integer, double precision, boolean, timestamptz, text,
    timestamptz, text, text, text, text
)
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0014_result_summary")]

    operations = [
        migrations.CreateModel(
            "KeyBudget",
            fields=[
                ("budget_id", models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, serialize=False)),
                ("lineage", django.contrib.postgres.fields.ArrayField(models.UUIDField())),
                ("max_total_usd_micros", models.BigIntegerField(null=True)),
                ("max_per_run_usd_micros", models.BigIntegerField(null=True)),
                ("held_usd_micros", models.BigIntegerField(default=0)),
                ("spent_usd_micros", models.BigIntegerField(default=0)),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="key_budgets", to="runs.tenant"
                    ),
                ),
            ],
            options={
                "db_table": "key_budgets",
                "constraints": [
                    models.CheckConstraint(
                        name="key_budgets_never_negative", condition=Q(held_usd_micros__gte=0, spent_usd_micros__gte=0)
                    )
                ],
            },
        ),
        migrations.AddField(
            "apikey",
            "parent",
            models.ForeignKey(
                "runs.apikey", null=True, blank=True, on_delete=django.db.models.deletion.PROTECT, related_name="children"
            ),
        ),
        migrations.AddField("apikey", "may_create_keys", models.BooleanField(default=False)),
        migrations.AddField(
            "apikey",
            "budget",
            models.ForeignKey(
                "runs.KeyBudget",
                null=True,
                blank=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="keys",
            ),
        ),
        migrations.AddField(
            "run",
            "api_key",
            models.ForeignKey(
                "runs.ApiKey",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                db_index=False,
                db_constraint=False,
            ),
        ),
        migrations.AddField(
            "run",
            "key_budget",
            models.ForeignKey(
                "runs.KeyBudget",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                db_index=False,
                db_constraint=False,
            ),
        ),
        migrations.AddField("run", "tags", models.JSONField(null=True)),
        migrations.AddIndex(
            "run",
            models.Index(
                name="runs_by_key_budget",
                fields=["key_budget"],
                include=["status", "reservation_max_cost_usd_micros", "actual_cost_usd_micros"],
                condition=Q(key_budget__isnull=False),
            ),
        ),
        migrations.AddIndex(
            "run",
            django.contrib.postgres.indexes.GinIndex(
                name="runs_by_tag",
                fields=["tags"],
                opclasses=["jsonb_path_ops"],
                condition=Q(tags__isnull=False),
            ),
        ),
        migrations.RunSQL(_DROP, migrations.RunSQL.noop),
        sql_file.execute("runs/sql/accept_run.sql"),
    ]
