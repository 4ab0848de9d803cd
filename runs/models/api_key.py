import uuid

from django.db import models
from django.utils import timezone


class ApiKey(models.Model):
    """A tenant's secret, kept as a hash. The text is shown once, by `runs.access.api_keys.issue`.

    A key without restrictions may do everything that its tenant may, but make further keys.
    """

    class Status(models.TextChoices):
        ACTIVE = "ACTIVE"
        REVOKED = "REVOKED"

    key_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="api_keys")
    key_hash = models.TextField(unique=True)
    prefix = models.TextField(db_index=True)
    label = models.TextField(blank=True, default="")
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    packs = models.JSONField(null=True, blank=True)
    """The packs it may submit; null: all."""
    read_only = models.BooleanField(default=False)
    allowed_networks = models.JSONField(null=True, blank=True)
    """From where it may be used, as CIDR texts; null: from everywhere."""
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="children")
    """The key that made it; null: an operator did."""
    may_create_keys = models.BooleanField(default=False)
    budget = models.ForeignKey("runs.KeyBudget", null=True, blank=True, on_delete=models.PROTECT, related_name="keys")
    """Null: neither it nor a key above it has a limit."""

    class Meta:
        db_table = "api_keys"
        # The admin's list, newest first.
        indexes = [models.Index(name="api_keys_newest", fields=["-created_at"])]

    def __str__(self) -> str:
        return f"{self.prefix}…"
