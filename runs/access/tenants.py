"""Tenants and their money as operators handle them: create, top up, seed."""

from dataclasses import dataclass
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import transaction

from budget import journal, ledger
from budget.models import TenantBalance
from dpp_project.money import Micros
from runs.access import api_keys
from runs.models import Tenant


class BadTenantId(ValueError):
    """The id may not be part of object and Redis keys."""


@dataclass(frozen=True)
class Seeded:
    tenant: Tenant
    api_key: str | None
    balance: Micros


def ensure(tenant_id: str) -> Tenant:
    tenant = Tenant(tenant_id=tenant_id, display_name=tenant_id)
    try:
        tenant.clean_fields()
    except ValidationError as error:
        raise BadTenantId(
            f"{tenant_id!r} is not a tenant id: use 1-63 of a-z, 0-9, - and _, beginning with a letter or digit."
        ) from error
    with transaction.atomic():
        tenant, _ = Tenant.objects.get_or_create(tenant_id=tenant_id, defaults={"display_name": tenant_id})
        TenantBalance.objects.get_or_create(tenant=tenant)
    return tenant


def seed(tenant_id: str, *, budget: Micros, with_key: bool) -> Seeded:
    """Create the tenant if need be, top it up *to* the budget, issue a key. A repeat never adds beyond it."""
    tenant = ensure(tenant_id)
    ledger.top_up_to(tenant_id, budget, reference=f"seed:{uuid4()}", note="seed_tenant")
    text = api_keys.issue(tenant, label="seed_tenant")[1] if with_key else None
    return Seeded(tenant, text, journal.available(tenant_id))
