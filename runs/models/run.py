import uuid
from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from runs.states import ENDED, LIVE, FinalizeStage, MoneyState, Reason, Status

_UNCLAIMED = Q(finalize_stage__isnull=True)
_NEVER_STARTED = Q(lease_token__isnull=True)
_INPUTS_NOT_NEEDED = Q(status=Status.FAILED, inputs_deleted_at__isnull=True) & (
    _NEVER_STARTED | Q(last_error_reason_code=Reason.RUN_CANCELLED)
)


class Run(models.Model):
    """One paid piece of work. Written only by `runs.lifecycle.transitions` and the conditional writes of the worker."""

    LIVE = LIVE
    """For the ledger, which holds a reservation for every live run."""
    INPUTS_NOT_NEEDED = _INPUTS_NOT_NEEDED
    """Which runs ended without anybody having to read their inputs again, and still have them."""

    run_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="runs", db_index=False)
    pack_type = models.TextField()
    profile_version = models.TextField()
    status = models.TextField(choices=Status.choices, default=Status.QUEUED)
    money_state = models.TextField(choices=MoneyState.choices, default=MoneyState.RESERVED)
    version = models.BigIntegerField(default=0)

    idempotency_key = models.TextField()
    idempotency_released = models.BooleanField(default=False)
    payload_hash = models.TextField()

    reservation_max_cost_usd_micros = models.BigIntegerField()
    actual_cost_usd_micros = models.BigIntegerField(null=True)
    minimum_fee_usd_micros = models.BigIntegerField()
    timebox_sec = models.PositiveIntegerField()
    min_reliability_score = models.FloatField()
    inline_result = models.BooleanField(default=False)

    result_bucket = models.TextField(null=True)
    result_key = models.TextField(null=True)
    result_sha256 = models.TextField(null=True)
    retention_until = models.DateTimeField()

    lease_token = models.UUIDField(null=True)
    lease_expires_at = models.DateTimeField(null=True)

    # The claim records what is going to happen; whoever finishes it, does exactly that.
    finalize_token = models.UUIDField(null=True)
    finalize_stage = models.TextField(null=True, choices=FinalizeStage.choices)
    finalize_claimed_at = models.DateTimeField(null=True)
    intended_status = models.TextField(null=True, choices=Status.choices)
    intended_money_state = models.TextField(null=True, choices=MoneyState.choices)
    intended_charge_usd_micros = models.BigIntegerField(null=True)
    intended_reason_code = models.TextField(null=True)
    intended_error_detail = models.TextField(null=True)
    intended_release_key = models.BooleanField(default=False)
    intended_objects = models.JSONField(null=True)
    result_summary = models.JSONField(null=True)
    """What a poll tells of the result besides its link. Written by the claim, shown once the run has ended."""

    inputs_deleted_at = models.DateTimeField(null=True)
    """Of a run that ended without having needed them; at retention all inputs go."""

    receipt_repeated_at = models.DateTimeField(null=True)
    """While it was queued: its key names it from then on, even if its message could not be sent."""
    cancel_requested_at = models.DateTimeField(null=True)
    last_resent_at = models.DateTimeField(null=True)
    last_error_reason_code = models.TextField(null=True)
    last_error_detail = models.TextField(null=True)
    trace_id = models.TextField()
    # What the caller says of itself. Told to operators, never trusted.
    client_name = models.TextField(null=True)
    client_version = models.TextField(null=True)
    # A submit writes one row here: no look at the key's row, which is never deleted.
    api_key = models.ForeignKey(
        "runs.ApiKey", null=True, on_delete=models.PROTECT, related_name="runs", db_index=False, db_constraint=False
    )
    """The key it was submitted with; null: an operator's command."""
    key_budget = models.ForeignKey(
        "runs.KeyBudget", null=True, on_delete=models.PROTECT, related_name="runs", db_index=False, db_constraint=False
    )
    """Against which it counts, with all above it; null where no key has a limit."""
    tags = models.JSONField(null=True)
    """The caller's own words for it, by name; null: none."""
    progress = models.FloatField(default=0.0)
    tokens_consumed = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "runs"
        permissions = [("cancel_run", "Can cancel a tenant's run")]
        constraints = [
            models.UniqueConstraint(
                name="runs_one_per_idempotency_key",
                fields=["tenant", "idempotency_key"],
                condition=~Q(status=Status.EXPIRED) & Q(idempotency_released=False),
            ),
            models.CheckConstraint(
                name="runs_live_holds_reservation",
                condition=~Q(status__in=LIVE)
                | Q(money_state=MoneyState.RESERVED)
                # A dispute keeps the claim it arose from: no job takes the run up again.
                | Q(money_state=MoneyState.DISPUTED, finalize_stage__isnull=False),
            ),
            models.CheckConstraint(
                name="runs_ended_is_paid",
                condition=~Q(status__in=ENDED)
                | Q(
                    money_state__in=[MoneyState.SETTLED, MoneyState.REFUNDED],
                    actual_cost_usd_micros__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="runs_processing_holds_lease",
                condition=~Q(status=Status.PROCESSING) | Q(lease_token__isnull=False, lease_expires_at__isnull=False),
            ),
            models.CheckConstraint(
                name="runs_charge_within_reservation",
                condition=Q(actual_cost_usd_micros__isnull=True)
                | Q(
                    actual_cost_usd_micros__gte=0,
                    actual_cost_usd_micros__lte=F("reservation_max_cost_usd_micros"),
                ),
            ),
            models.CheckConstraint(
                name="runs_refund_costs_nothing",
                condition=~Q(money_state=MoneyState.REFUNDED) | Q(actual_cost_usd_micros=0),
            ),
            models.CheckConstraint(
                name="runs_fee_within_reservation",
                condition=Q(
                    minimum_fee_usd_micros__gt=0,
                    minimum_fee_usd_micros__lte=F("reservation_max_cost_usd_micros"),
                ),
            ),
            models.CheckConstraint(
                name="runs_claim_records_outcome",
                condition=_UNCLAIMED
                | Q(
                    finalize_token__isnull=False,
                    finalize_claimed_at__isnull=False,
                    intended_status__in=[Status.COMPLETED, Status.FAILED],
                    intended_money_state__in=[MoneyState.SETTLED, MoneyState.REFUNDED],
                    intended_charge_usd_micros__gte=0,
                    intended_charge_usd_micros__lte=F("reservation_max_cost_usd_micros"),
                ),
            ),
            models.CheckConstraint(
                name="runs_status_is_known",
                condition=Q(status__in=Status.values) & Q(money_state__in=MoneyState.values),
            ),
        ]
        indexes = [
            models.Index(name="runs_by_tenant", fields=["tenant", "-created_at"]),
            models.Index(name="runs_by_lease", fields=["status", "lease_expires_at"]),
            # One partial index a job: each scan costs what it finds, not what the table holds.
            models.Index(
                name="runs_reaper",
                fields=["lease_expires_at"],
                condition=Q(status=Status.PROCESSING) & _UNCLAIMED,
            ),
            models.Index(name="runs_queue_age", fields=["created_at"], condition=Q(status=Status.QUEUED) & _UNCLAIMED),
            models.Index(
                name="runs_reconcile",
                fields=["finalize_claimed_at"],
                condition=Q(finalize_stage=FinalizeStage.CLAIMED, money_state=MoneyState.RESERVED),
            ),
            models.Index(
                name="runs_retention",
                fields=["retention_until"],
                condition=Q(status__in=[Status.COMPLETED, Status.FAILED]),
            ),
            models.Index(name="runs_inputs_not_needed", fields=["created_at"], condition=_INPUTS_NOT_NEEDED),
            models.Index(name="runs_live_by_tenant", fields=["tenant"], condition=Q(status__in=LIVE)),
            # Covering: what a budget's runs hold and have cost is read from the index alone.
            models.Index(
                name="runs_by_key_budget",
                fields=["key_budget"],
                include=["status", "reservation_max_cost_usd_micros", "actual_cost_usd_micros"],
                condition=Q(key_budget__isnull=False),
            ),
            GinIndex(
                name="runs_by_tag", fields=["tags"], opclasses=["jsonb_path_ops"], condition=Q(tags__isnull=False)
            ),
            # For people: the newest runs of all tenants, and the run somebody names by its trace.
            models.Index(name="runs_by_age", fields=["-created_at"]),
            models.Index(name="runs_by_trace", fields=["trace_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.status}/{self.money_state} v{self.version}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        # A whole-row UPDATE would overwrite what others wrote meanwhile.
        kwargs["force_insert"] = True
        super().save(*args, **kwargs)


class RunPayload(models.Model):
    """What the worker needs of the request, as RFC 8785 text. Larger ones lie in S3. Purged at retention."""

    run = models.OneToOneField(Run, primary_key=True, on_delete=models.PROTECT, related_name="payload")
    body = models.TextField(null=True)
    object_key = models.TextField(null=True)
    sha256 = models.TextField()

    class Meta:
        db_table = "run_payloads"
        constraints = [
            models.CheckConstraint(
                name="run_payloads_lie_in_one_place",
                condition=Q(body__isnull=False, object_key__isnull=True)
                | Q(body__isnull=True, object_key__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return str(self.run_id)
