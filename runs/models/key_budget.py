import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class KeyBudget(models.Model):
    """How much a key may spend, and how much it has. A key without a budget may spend what its tenant can.

    Changed only by the statements that accept and end a run, under the tenant's balance row. The limits never change.
    A replaced key and the one that follows it share a budget; so do a key and those below it that have no limit of
    their own.
    """

    # No constraint keeps the sum below the limit: the acceptance does. A row that was edited by hand must be found by
    # the audit (I8), and must not keep a run from ending.

    budget_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="key_budgets")
    lineage = ArrayField(models.UUIDField())
    """The ids of this budget and of all above it: a run counts against each."""
    max_total_usd_micros = models.BigIntegerField(null=True)
    max_per_run_usd_micros = models.BigIntegerField(null=True)
    held_usd_micros = models.BigIntegerField(default=0)
    """Reserved for runs that have not ended."""
    spent_usd_micros = models.BigIntegerField(default=0)
    """Charged for runs that have."""

    class Meta:
        db_table = "key_budgets"
        constraints = [
            models.CheckConstraint(
                name="key_budgets_never_negative", condition=Q(held_usd_micros__gte=0, spent_usd_micros__gte=0)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.budget_id}: {self.spent_usd_micros} + {self.held_usd_micros} of {self.max_total_usd_micros}"
