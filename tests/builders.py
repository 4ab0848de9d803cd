"""Build the things tests begin with: customers, requests, runs in a given state, by the product's own functions."""

import itertools
import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.utils import timezone

from dpp_project.money import Micros, parse_usd
from runs.access import api_keys
from runs.access.key_budgets import Limits
from runs.access.plans import assign
from runs.access.tenants import seed
from runs.lifecycle import queue, transitions
from runs.lifecycle.request import RunRequest
from runs.lifecycle.submit import submit
from runs.models import ApiKey, Plan, Run, Tenant

_numbers = itertools.count(1)

QUESTION: dict[str, Any] = {
    "question": "Which supplier should we choose?",
    "options": [
        {"name": "Alpha", "attributes": {"price": "1,200 USD", "delivery time": "14 days"}},
        {"name": "Beta", "attributes": {"price": "1,450 USD", "delivery time": "5 days"}},
        {"name": "Gamma", "attributes": {"price": "1,600 USD", "delivery time": "8 days"}},
    ],
    "criteria": ["price", "delivery time"],
    "context": "Delivery must not take longer than 10 days.",
}


@dataclass(frozen=True)
class Customer:
    tenant: Tenant
    api_key: str

    @property
    def id(self) -> str:
        return self.tenant.pk

    def headers(self, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}", **more}


def customer(tenant_id: str, *, budget: str) -> Customer:
    seeded = seed(tenant_id, budget=parse_usd(budget), with_key=True)
    assert seeded.api_key
    return Customer(seeded.tenant, seeded.api_key)


def on_plan(owner: Customer, **numbers: int) -> Plan:
    """Put it on a plan of its own. Before its first call: a key's tenant is cached for a moment."""
    plan, _ = Plan.objects.update_or_create(name=f"of-{owner.id}", defaults=numbers)
    assign(owner.tenant, plan.name)
    return plan


def fresh_key() -> str:
    return f"key-{next(_numbers):06d}-{uuid4().hex[:8]}"


def request(*, max_cost: str = "0.5000", **changes: Any) -> RunRequest:
    values: dict[str, Any] = {
        "pack_type": "decision",
        "inputs": QUESTION,
        "max_cost": parse_usd(max_cost),
        "timebox_sec": 90,
        "min_reliability_score": 0.8,
        "inline": False,
        "include_markdown": False,
        "include_docx": False,
    }
    return RunRequest(**{**values, **changes})


def body(**changes: Any) -> dict[str, Any]:
    return {
        "pack_type": "decision",
        "inputs": QUESTION,
        "reservation": {"max_cost_usd": "0.5000"},
        **changes,
    }


def json_body(**changes: Any) -> str:
    return json.dumps(body(**changes))


def submitted(owner: Customer, *, key: str | None = None, api_key: ApiKey | None = None, **changes: Any) -> Run:
    """A QUEUED run, its money held and its message sent."""
    name, now = key or fresh_key(), timezone.now()
    return submit(owner.tenant, request(**changes), key=name, trace_id="trace-test", now=now, api_key=api_key).run


def limited_key(owner: Customer, *, total: str | None = None, per_run: str | None = None) -> ApiKey:
    """A key that may spend no more than this."""
    limits = Limits(parse_usd(total) if total else None, parse_usd(per_run) if per_run else None)
    return api_keys.issue(owner.tenant, limits=limits)[0]


def processing(owner: Customer, **changes: Any) -> Run:
    """A PROCESSING run whose lease is held by somebody who does nothing. Its message is gone."""
    run = submitted(owner, **changes)
    transitions.start(run, lease_token=uuid4())
    return run


def message(run: Run) -> dict[str, str]:
    return {
        "run_id": str(run.pk),
        "tenant_id": run.tenant_id,
        "pack_type": run.pack_type,
        "enqueued_at": timezone.now().isoformat(),
        "schema_version": queue.SCHEMA_VERSION,
    }


def micros(usd: str) -> Micros:
    return parse_usd(usd)
