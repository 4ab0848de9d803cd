"""Plans in the place of limits of single tenants. Tenants with the same limits get one plan."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

_LIMITS = ("poll_rate_per_min", "submit_rate_per_min", "max_concurrent_runs")


def limits_to_plans(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    tenants, plans = apps.get_model("runs", "Tenant").objects, apps.get_model("runs", "Plan").objects
    none = dict.fromkeys(_LIMITS)
    sets = tenants.exclude(**none).order_by(*_LIMITS).values(*_LIMITS).distinct()
    for number, limits in enumerate(list(sets), start=1):
        plan = plans.create(name=f"limits-{number}", **limits)
        tenants.filter(**limits).update(plan=plan)


def plans_to_limits(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    tenants, plans = apps.get_model("runs", "Tenant").objects, apps.get_model("runs", "Plan").objects
    for plan in plans.all():
        tenants.filter(plan=plan).update(**{name: getattr(plan, name) for name in _LIMITS})


class Migration(migrations.Migration):
    dependencies = [("runs", "0016_repeated_receipts")]

    operations = [
        migrations.CreateModel(
            "Plan",
            fields=[
                (
                    "name",
                    models.TextField(
                        primary_key=True,
                        serialize=False,
                        validators=[django.core.validators.RegexValidator("^[a-z0-9][a-z0-9_-]{0,62}$")],
                    ),
                ),
                ("poll_rate_per_min", models.PositiveIntegerField(null=True, blank=True)),
                ("submit_rate_per_min", models.PositiveIntegerField(null=True, blank=True)),
                ("max_concurrent_runs", models.PositiveIntegerField(null=True, blank=True)),
                (
                    "retention_days",
                    models.PositiveSmallIntegerField(
                        null=True,
                        blank=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(365),
                        ],
                    ),
                ),
                (
                    "budget_alert_usd_micros",
                    models.BigIntegerField(
                        null=True, blank=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "plans",
                "constraints": [
                    models.CheckConstraint(
                        name="plans_name_is_plain",
                        condition=Q(name__regex="^[a-z0-9][a-z0-9_-]{0,62}$") & ~Q(name="default"),
                    ),
                    models.CheckConstraint(
                        name="plans_retention_is_1_to_365_days",
                        condition=Q(retention_days__isnull=True) | Q(retention_days__gte=1, retention_days__lte=365),
                    ),
                    models.CheckConstraint(
                        name="plans_alert_is_an_amount",
                        condition=Q(budget_alert_usd_micros__isnull=True) | Q(budget_alert_usd_micros__gte=0),
                    ),
                ],
            },
        ),
        migrations.AddField(
            "tenant",
            "plan",
            models.ForeignKey(
                "runs.Plan", null=True, blank=True, on_delete=django.db.models.deletion.PROTECT, related_name="tenants"
            ),
        ),
        migrations.RunPython(limits_to_plans, plans_to_limits),
        # The columns stay: the release before still reads them while it is replaced. Nothing writes them any more.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("tenant", name) for name in _LIMITS]
        ),
    ]
