"""Addresses of tenants that are told of events, and the messages for them."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0017_plans"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("webhook_id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("url", models.TextField()),
                ("events", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ("description", models.TextField(blank=True, default="")),
                (
                    "status",
                    models.TextField(choices=[("ACTIVE", "Active"), ("DISABLED", "Disabled")], default="ACTIVE"),
                ),
                (
                    "disabled_reason",
                    models.TextField(
                        choices=[("GONE", "Gone"), ("FAILING", "Failing"), ("OPERATOR", "Operator")], null=True
                    ),
                ),
                ("budget_low_usd_micros", models.BigIntegerField(null=True)),
                ("budget_low_told_at", models.DateTimeField(null=True)),
                ("public_key", models.TextField()),
                ("sealed_secrets", models.BinaryField()),
                ("sealed_old_secrets", models.BinaryField(null=True)),
                ("old_secrets_until", models.DateTimeField(null=True)),
                ("is_slow", models.BooleanField(default=False)),
                ("last_success_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="webhooks", to="runs.tenant"
                    ),
                ),
            ],
            options={
                "db_table": "webhooks",
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "delivery_id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("run_id", models.UUIDField(null=True)),
                ("event", models.TextField()),
                ("data", models.JSONField()),
                (
                    "state",
                    models.TextField(
                        choices=[("PENDING", "Pending"), ("DELIVERED", "Delivered"), ("FAILED", "Failed")],
                        default="PENDING",
                    ),
                ),
                ("attempts", models.IntegerField(db_default=0, default=0)),
                ("next_attempt_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("last_attempt_at", models.DateTimeField(null=True)),
                ("last_status_code", models.IntegerField(null=True)),
                ("last_problem", models.TextField(null=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="deliveries",
                        to="runs.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "db_table": "webhook_deliveries",
            },
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("disabled_reason__isnull", True), ("status", "ACTIVE")),
                    models.Q(("disabled_reason__isnull", False), ("status", "DISABLED")),
                    _connector="OR",
                ),
                name="webhooks_disabled_for_a_reason",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("state", "PENDING")),
                fields=["webhook", "next_attempt_at"],
                name="webhook_deliveries_pending",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["webhook", "-created_at", "-delivery_id"], name="webhook_deliveries_listed"),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["created_at"], name="webhook_deliveries_old"),
        ),
    ]
