import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Webhook(models.Model):
    """An address of a tenant that is told of its runs' endings and of its budget."""

    class Status(models.TextChoices):
        ACTIVE = "ACTIVE"
        DISABLED = "DISABLED"

    class DisabledReason(models.TextChoices):
        GONE = "GONE"
        """It answered 410."""
        FAILING = "FAILING"
        """A delivery was given up, and nothing has arrived since it was made."""
        OPERATOR = "OPERATOR"

    webhook_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="webhooks")
    url = models.TextField()
    events = ArrayField(models.TextField())
    description = models.TextField(blank=True, default="")
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE)
    disabled_reason = models.TextField(choices=DisabledReason.choices, null=True)
    budget_low_usd_micros = models.BigIntegerField(null=True)
    """A balance below it is told, once, until the balance is at or above it again."""
    budget_low_told_at = models.DateTimeField(null=True)
    public_key = models.TextField()
    sealed_secrets = models.BinaryField()
    """What signs its messages, encrypted (`runs.webhooks.secrets`)."""
    sealed_old_secrets = models.BinaryField(null=True)
    """Signs too, until `old_secrets_until`."""
    old_secrets_until = models.DateTimeField(null=True)
    is_slow = models.BooleanField(default=False)
    """The last attempt failed or took long: it takes none of the places that quick receivers have."""
    last_success_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "webhooks"
        constraints = [
            models.CheckConstraint(
                name="webhooks_disabled_for_a_reason",
                condition=Q(status="ACTIVE", disabled_reason__isnull=True)
                | Q(status="DISABLED", disabled_reason__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return str(self.webhook_id)


class WebhookDelivery(models.Model):
    """One message for one webhook. That of an ended run is inserted by the statement that ends it."""

    class State(models.TextChoices):
        PENDING = "PENDING"
        DELIVERED = "DELIVERED"
        FAILED = "FAILED"
        """Given up; by hand it can be sent again."""

    delivery_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    """The `webhook-id` of all its attempts."""
    # No constraint: a webhook that is deleted at the same moment must not keep a run from ending.
    webhook = models.ForeignKey(
        Webhook, on_delete=models.DO_NOTHING, related_name="deliveries", db_constraint=False, db_index=False
    )
    run_id = models.UUIDField(null=True)
    event = models.TextField()
    data = models.JSONField()
    state = models.TextField(choices=State.choices, default=State.PENDING)
    attempts = models.IntegerField(default=0, db_default=0)
    next_attempt_at = models.DateTimeField(db_default=Now())
    """While an attempt is under way: when another sender may take it for lost. Changes with every attempt, so that it
    tells whose result counts."""
    created_at = models.DateTimeField(db_default=Now())
    last_attempt_at = models.DateTimeField(null=True)
    last_status_code = models.IntegerField(null=True)
    last_problem = models.TextField(null=True)
    delivered_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "webhook_deliveries"
        verbose_name_plural = "webhook deliveries"
        indexes = [
            models.Index(
                name="webhook_deliveries_pending", fields=["webhook", "next_attempt_at"], condition=Q(state="PENDING")
            ),
            models.Index(name="webhook_deliveries_listed", fields=["webhook", "-created_at", "-delivery_id"]),
            models.Index(name="webhook_deliveries_old", fields=["created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.delivery_id}"
