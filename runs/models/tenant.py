from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone

# The id is part of object keys and Redis keys: no separator of either may stand in it.
TENANT_ID_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"


class Tenant(models.Model):
    """Who pays. Everything a tenant owns is invisible to every other."""

    class Status(models.TextChoices):
        ACTIVE = "ACTIVE"
        SUSPENDED = "SUSPENDED"

    tenant_id = models.TextField(primary_key=True, validators=[RegexValidator(TENANT_ID_PATTERN)])
    display_name = models.TextField(blank=True, default="")
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE)
    created_at = models.DateTimeField(default=timezone.now)

    plan = models.ForeignKey("runs.Plan", null=True, blank=True, on_delete=models.PROTECT, related_name="tenants")
    """Null: the default plan, which is the profile."""

    class Meta:
        db_table = "tenants"
        constraints = [
            models.CheckConstraint(
                name="tenants_id_is_safe_in_keys", condition=models.Q(tenant_id__regex=TENANT_ID_PATTERN)
            ),
            models.CheckConstraint(
                name="tenants_status_is_known", condition=models.Q(status__in=["ACTIVE", "SUSPENDED"])
            ),
        ]

    def __str__(self) -> str:
        return self.tenant_id
