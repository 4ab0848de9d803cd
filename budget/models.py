"""The books: an append-only journal, one balance row per tenant, reservations that were given back unused, and what the
standing audit keeps of them."""

from django.db import models
from django.db.models import Q, Value

from dpp_project.money import MAX_BALANCE


class TenantBalance(models.Model):
    """Always equal to the sum of the tenant's journal; its row is the lock of every money path."""

    tenant = models.OneToOneField("runs.Tenant", primary_key=True, on_delete=models.PROTECT, related_name="balance")
    available_usd_micros = models.BigIntegerField(default=0)
    frozen_at = models.DateTimeField(null=True, editable=False)
    """Set while the tenant's books disagree: nothing is spent until a person has looked."""

    class Meta:
        db_table = "tenant_balances"
        indexes = [
            models.Index(name="tenant_balances_frozen", fields=["frozen_at"], condition=Q(frozen_at__isnull=False))
        ]
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
    """One movement. `amount_usd_micros` is its signed effect on the available balance. Never changed, never deleted.

    Number and hashes are the database's (`budget/sql/ledger_chain.sql`): no writer gives them.
    """

    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="ledger_entries", db_index=False)
    run = models.ForeignKey(
        "runs.Run", null=True, on_delete=models.PROTECT, related_name="ledger_entries", db_index=False
    )
    kind = models.TextField(choices=EntryKind.choices)
    amount_usd_micros = models.BigIntegerField()
    reference = models.TextField(null=True, unique=True)
    note = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    sequence = models.BigIntegerField(db_default=0, editable=False)
    previous_hash = models.BinaryField(db_default=Value(b""), editable=False)
    entry_hash = models.BinaryField(db_default=Value(b""), editable=False)

    class Meta:
        db_table = "ledger_entries"
        constraints = [
            models.UniqueConstraint(name="ledger_entries_one_chain", fields=["tenant", "sequence"]),
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


class LedgerCheckpoint(models.Model):
    """How far the audit has verified a tenant's chain, and what the journal sums up to there."""

    tenant = models.OneToOneField("runs.Tenant", primary_key=True, on_delete=models.PROTECT, related_name="+")
    sequence = models.BigIntegerField()
    entry_hash = models.BinaryField()
    total_usd_micros = models.BigIntegerField()

    class Meta:
        db_table = "ledger_checkpoints"

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.sequence}"


class AuditPosition(models.Model):
    """Where a walk of the standing audit goes on."""

    name = models.TextField(primary_key=True)
    position = models.JSONField()

    class Meta:
        db_table = "audit_positions"

    def __str__(self) -> str:
        return self.name


class BookFinding(models.Model):
    """A disagreement in the books that the audit found. Known by its words: what a person has settled is not found
    again."""

    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="book_findings", db_index=False)
    invariant = models.TextField()
    subject = models.TextField()
    """The tenant, the run or the entry."""
    wrong = models.TextField()
    freezes = models.BooleanField()
    """Whether journal, balance row and runs disagree, so that the tenant's spending is frozen."""
    found_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.TextField(blank=True, default="")
    settled_why = models.TextField(blank=True, default="")

    class Meta:
        db_table = "book_findings"
        constraints = [
            models.UniqueConstraint(name="book_findings_once", fields=["tenant", "invariant", "subject", "wrong"])
        ]
        indexes = [models.Index(name="book_findings_open", fields=["tenant"], condition=Q(settled_at__isnull=True))]

    def __str__(self) -> str:
        return f"{self.invariant} {self.subject}: {self.wrong}"
