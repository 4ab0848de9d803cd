"""The books: an append-only journal, one balance row a tenant, and the reservations that were given back unused."""

from django.db import models
from django.db.models import Q

from dpp_project.money import MAX_BALANCE


class TenantBalance(models.Model):
    """Always equal to the sum of the tenant's journal; its row is the lock of every money path."""

    tenant = models.OneToOneField("runs.Tenant", primary_key=True, on_delete=models.PROTECT, related_name="balance")
    available_usd_micros = models.BigIntegerField(default=0)

    class Meta:
        db_table = "tenant_balances"
        constraints = [
            models.CheckConstraint(
                name="tenant_balances_never_negative",
                condition=Q(available_usd_micros__gte=0, available_usd_micros__lte=MAX_BALANCE),
            )
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.available_usd_micros}"


class EntryKind(models.TextChoices):
    CREDIT = "CREDIT"
    RESERVE = "RESERVE"
    SETTLE = "SETTLE"
    REFUND = "REFUND"
    ADJUST = "ADJUST"


# A run has at most one entry of these.
ENDINGS = (EntryKind.SETTLE, EntryKind.REFUND)


class LedgerEntry(models.Model):
    """One movement. `amount_usd_micros` is its signed effect on the available balance. Never changed, never deleted."""

    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="ledger_entries", db_index=False)
    run = models.ForeignKey(
        "runs.Run", null=True, on_delete=models.PROTECT, related_name="ledger_entries", db_index=False
    )
    kind = models.TextField(choices=EntryKind.choices)
    amount_usd_micros = models.BigIntegerField()
    reference = models.TextField(null=True, unique=True)
    note = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "ledger_entries"
        constraints = [
            models.UniqueConstraint(
                name="ledger_entries_one_reserve", fields=["run"], condition=Q(kind=EntryKind.RESERVE)
            ),
            models.UniqueConstraint(
                name="ledger_entries_one_ending",
                fields=["run"],
                condition=Q(kind__in=[EntryKind.SETTLE, EntryKind.REFUND]),
            ),
            models.CheckConstraint(
                name="ledger_entries_sign_fits_kind",
                condition=Q(kind=EntryKind.RESERVE, amount_usd_micros__lt=0, run__isnull=False)
                | Q(kind__in=[EntryKind.SETTLE, EntryKind.REFUND], amount_usd_micros__gte=0, run__isnull=False)
                | Q(kind=EntryKind.CREDIT, amount_usd_micros__gt=0, run__isnull=True)
                | Q(kind=EntryKind.ADJUST),
            ),
        ]
        indexes = [
            # Covering: a tenant's sum is read from the index alone.
            models.Index(
                name="ledger_entries_by_tenant",
                fields=["tenant", "created_at"],
                include=["kind", "amount_usd_micros"],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.kind} {self.amount_usd_micros}"


class VoidedReservation(models.Model):
    """A hold that was returned because no run had come: the run with this id may never be inserted."""

    run_id = models.UUIDField(primary_key=True)
    voided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "voided_reservations"

    def __str__(self) -> str:
        return str(self.run_id)
