from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from dpp_project.profile import LONGEST_RETENTION_DAYS

PLAN_NAME_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"
DEFAULT_PLAN = "default"


class Plan(models.Model):
    """What a tenant has bought besides its balance. A number that is null is the profile's; `runs.access.plans` reads
    both. A tenant without a plan is on the default plan, which is the profile and no row."""

    name = models.TextField(primary_key=True, validators=[RegexValidator(PLAN_NAME_PATTERN)])
    poll_rate_per_min = models.PositiveIntegerField(null=True, blank=True)
    submit_rate_per_min = models.PositiveIntegerField(null=True, blank=True)
    max_concurrent_runs = models.PositiveIntegerField(null=True, blank=True)
    retention_days = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(LONGEST_RETENTION_DAYS)]
    )
    """How long results of runs accepted from now on are kept."""
    budget_alert_usd_micros = models.BigIntegerField(null=True, blank=True, validators=[MinValueValidator(0)])
    """A balance below this is low; 0: never."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "plans"
        constraints = [
            models.CheckConstraint(
                name="plans_name_is_plain", condition=Q(name__regex=PLAN_NAME_PATTERN) & ~Q(name=DEFAULT_PLAN)
            ),
            models.CheckConstraint(
                name="plans_retention_is_1_to_365_days",
                condition=Q(retention_days__isnull=True)
                | Q(retention_days__gte=1, retention_days__lte=LONGEST_RETENTION_DAYS),
            ),
            models.CheckConstraint(
                name="plans_alert_is_an_amount",
                condition=Q(budget_alert_usd_micros__isnull=True) | Q(budget_alert_usd_micros__gte=0),
            ),
        ]

    def __str__(self) -> str:
        return self.name
