"""What the platform's work costs with few or many tenants and journal entries: one size, printed as JSON.

`make bench` calls it with 10^3 and 10^5 tenants (10^5 and 10^7 entries) and compares. Every tenant has the same number
of runs and entries in both, so that only the totals differ.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.embedded import embedded_stack
from bench.processor_time import servers_sec

_TURNS = 11
_QUICK_SEC = 0.1
# A tenant in the middle of the crowd.
_SOMEBODY = "crowd500"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenants", type=int, required=True)
    parser.add_argument("--entries", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    given = parser.parse_args()
    # Without waiting for the disk: it only adds its own moods to both sizes.
    with embedded_stack():
        from bench.books import fill_books

        began = time.monotonic()
        fill_books(given.tenants, given.entries, given.runs)
        filled_sec = time.monotonic() - began
        print(json.dumps({"filled_sec": round(filled_sec), "figures": _figures()}))


def _figures() -> dict[str, dict[str, float]]:
    """Milliseconds of each operation."""
    from django.test import Client

    from runs.access import api_keys
    from runs.jobs.runner import run_job
    from runs.jobs.table import JOBS
    from runs.models import Run, Tenant
    from tests.admin.users import logged_in, person
    from tests.builders import Customer, customer, json_body, on_plan
    from tests.race import actors

    buyers = [customer(f"buyer{number}", budget="1000.0000") for number in range(_TURNS)]
    tenant = Tenant.objects.get(pk=_SOMEBODY)
    somebody = Customer(tenant, api_keys.issue(tenant, label="")[1])
    of_somebody = somebody.headers()
    unlimited = 1_000_000_000
    for one in (somebody, *buyers):
        on_plan(one, poll_rate_per_min=unlimited, submit_rate_per_min=unlimited, max_concurrent_runs=unlimited)
    some_run = str(Run.objects.filter(tenant_id=_SOMEBODY).values_list("pk", flat=True)[0])
    agent, operator = Client(), logged_in(person("operator", "operator", "finance"))
    turn = iter(range(1_000_000))

    def submit() -> str:
        number = next(turn)
        answer = agent.post(
            "/v1/runs",
            json_body(),
            content_type="application/json",
            headers=buyers[number % len(buyers)].headers(**{"Idempotency-Key": f"tenants-{number:08}"}),
        )
        assert answer.status_code == 202, answer.content
        run_id: str = answer.json()["run_id"]
        return run_id

    def work(runs: list[Run]) -> None:
        actors.work(runs.pop())

    def get(client: Client, path: str, headers: dict[str, str] | None = None) -> None:
        answer = client.get(path, headers=headers or {})
        assert answer.status_code == 200, (path, answer.status_code, answer.content[:300])

    operations: dict[str, Callable[[], object]] = {
        "submit": submit,
        "execute": partial(work, [Run.objects.get(pk=submit()) for _ in range(_TURNS * 8 + 2)]),
        "poll of an ended run": partial(get, agent, f"/v1/runs/{some_run}", of_somebody),
        "list": partial(get, agent, "/v1/runs", of_somebody),
        "budget": partial(get, agent, "/v1/budget", of_somebody),
        **{f"admin {name}": partial(get, operator, path) for name, path in _pages(some_run).items()},
        **{f"job {name}": partial(run_job, name) for name in JOBS if name not in _WALKS},
    }
    figures = {name: _least(operation) for name, operation in operations.items()}
    return figures | {
        f"job {name}, 1,000 {things}": _least(partial(_walked, name, counts))
        for name, (things, counts) in _WALKS.items()
    }


# They take a fixed share of every minute and go on where they stopped: what counts is how far that brings them.
_WALKS = {"audit": ("tenants", ("examined",)), "audit_books": ("rows", ("entries", "runs", "key_budgets"))}


def _walked(name: str, counts: tuple[str, ...]) -> float:
    """How many thousands were looked at."""
    from runs.jobs.runner import run_job

    done = run_job(name)
    return sum(done[count] for count in counts) / 1000


def _pages(run_id: str) -> dict[str, str]:
    return {
        "overview": "/admin/",
        "runs": "/admin/runs/run/",
        "a run": f"/admin/runs/run/{run_id}/change/",
        "runs, search": f"/admin/runs/run/?q={run_id}",
        "runs of a tenant": f"/admin/runs/run/?q={_SOMEBODY}",
        "tenants": "/admin/runs/tenant/",
        "tenants, search": "/admin/runs/tenant/?q=buyer5",
        "a tenant": f"/admin/runs/tenant/{_SOMEBODY}/change/",
        "keys": "/admin/runs/apikey/",
        "journal": "/admin/budget/ledgerentry/",
        "history": "/admin/runs/runtransition/",
        "jobs": "/admin/runs/jobpass/",
    }


def _least(operation: Callable[[], Any]) -> dict[str, float]:
    """Least wall-clock milliseconds; the processor time of this process and of all servers, on average. An operation
    that returns a number did its work that many times."""
    operation()
    began = time.perf_counter()
    operation()
    # The servers' clock ticks every 10 ms: what is quick is done often.
    turns = _TURNS if time.perf_counter() - began > _QUICK_SEC else _TURNS * 8
    wall, processor, things = [], -time.process_time() - servers_sec(), 0.0
    for _ in range(turns):
        began = time.perf_counter()
        done = operation()
        share = done if isinstance(done, float) else 1.0
        things += share
        wall.append((time.perf_counter() - began) * 1000 / share)
    processor += time.process_time() + servers_sec()
    return {"ms": round(min(wall), 2), "processor_ms": round(processor * 1000 / things, 2)}


if __name__ == "__main__":
    main()
