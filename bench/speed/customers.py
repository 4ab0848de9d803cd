"""Tenants with keys, money and limits that no measurement reaches; and the requests they send."""

import itertools
import json
from dataclasses import dataclass

from budget import ledger
from dpp_project.money import MAX_AMOUNT
from runs.access import api_keys
from runs.models import Plan, Tenant

BODY = {
    "pack_type": "decision",
    "inputs": {
        "question": "Which database should hold the ledger?",
        "options": ["PostgreSQL", "SQLite"],
        "criteria": [{"name": "durability", "weight": 3}, {"name": "cost", "weight": 1}],
        "context": "PostgreSQL: replication and point-in-time recovery. SQLite: one file, no server to run.",
    },
    "reservation": {"max_cost_usd": "0.5000", "timebox_sec": 90, "min_reliability_score": 0.8},
}

_number = itertools.count()


@dataclass(frozen=True)
class Customer:
    tenant: Tenant
    api_key: str

    def submit(self) -> bytes:
        """A fresh submit, as it goes over the wire."""
        return request(
            "POST",
            "/v1/runs",
            _BODY,
            f"Authorization: Bearer {self.api_key}",
            f"Idempotency-Key: bench-{next(_number):010}",
        )

    def poll(self, run_id: str, *headers: str, query: str = "") -> bytes:
        return request("GET", f"/v1/runs/{run_id}{query}", b"", f"Authorization: Bearer {self.api_key}", *headers)


def new_customers(number: int, *, prefix: str = "bench") -> list[Customer]:
    return [_new_customer(f"{prefix}-{index}") for index in range(number)]


def plain_submit() -> bytes:
    body = {**BODY, "tenant": "bench", "max_cost_usd": "0.5000"}
    del body["reservation"]
    return request("POST", "/runs", json.dumps(body).encode())


def bare_get() -> bytes:
    return request("GET", "/bare", b"")


def _new_customer(tenant_id: str) -> Customer:
    unlimited = 1_000_000_000
    plan, _ = Plan.objects.get_or_create(
        name="bench",
        poll_rate_per_min=unlimited,
        submit_rate_per_min=unlimited,
        max_concurrent_runs=unlimited,
    )
    tenant = Tenant.objects.create(tenant_id=tenant_id, display_name=tenant_id, plan=plan)
    ledger.top_up(tenant_id, MAX_AMOUNT, reference=f"bench:{tenant_id}")
    return Customer(tenant, api_keys.issue(tenant, label="bench")[1])


_BODY = json.dumps(BODY).encode()


def request(method: str, path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body
