"""A server that is stopped, not gone: its connections are open and nothing comes. It must not take the API with it."""

import time
from collections.abc import Iterator

import pytest

from budget.ledger import top_up
from devstack.service import Service
from dpp_project.money import Micros
from runs.models import Run
from tests.builders import Customer, on_plan, submitted
from tests.processes import ApiProcess
from tests.services import SessionServices
from tests.torture.stopped import HEALTH, LARGE_SUBMIT, POLL, SUBMIT, Callers, stopped

_STOPPED_SEC = 8.0
# A caller that waits for so long waits for the server itself.
_HANGS_SEC = _STOPPED_SEC - 1
# A fault costs work too, on a machine that may have none to spare.
_SLACK = 2
_UNLIMITED = 1_000_000


@pytest.fixture(scope="module")
def own_api(services: SessionServices) -> Iterator[ApiProcess]:
    with ApiProcess() as process:
        yield process


def service_named(services: SessionServices, name: str) -> Service:
    return {"postgres": services.postgres, "valkey": services.valkey, "ministack": services.ministack}[name]


def usual_p99(api: ApiProcess, owner: Customer, run: Run) -> float:
    """What this machine needs without any fault; a busy one is slow."""
    callers = Callers(api.url, owner, run.pk)
    with callers.calling():
        time.sleep(2)
    return max(seen.p99() for seen in callers.seen.values())


@pytest.mark.parametrize("name", ["postgres", "valkey", "ministack"])
def test_a_stopped_server_leaves_health_and_polls_answered(
    own_api: ApiProcess, acme: Customer, platform: SessionServices, name: str
) -> None:
    limits = {"poll_rate_per_min": _UNLIMITED, "submit_rate_per_min": _UNLIMITED, "max_concurrent_runs": _UNLIMITED}
    on_plan(acme, **limits)
    top_up(acme.id, Micros(1_000_000_000), reference="for every submit")
    run = submitted(acme)
    own_api.wait_ready(path="/readyz")
    before = usual_p99(own_api, acme, run)
    callers = Callers(own_api.url, acme, run.pk)
    with callers.calling():
        with stopped(service_named(platform, name)):
            time.sleep(_STOPPED_SEC)
        during = {kind: len(seen.answers) for kind, seen in callers.seen.items()}
        time.sleep(5)
    usual = max(before, usual_p99(own_api, acme, run))
    told = {kind: str(seen) for kind, seen in callers.seen.items()} | {"usual p99": f"{usual:.2f}"}
    print(name, told)
    assert callers.seen[HEALTH].statuses() == {200}, told
    assert callers.seen[HEALTH].p99() < 1 + _SLACK * usual, told
    assert max(seen.slowest() for seen in callers.seen.values()) < _HANGS_SEC, told
    if name == "postgres":
        assert callers.seen[POLL].statuses() == {200, 503}, told
    else:
        assert callers.seen[POLL].statuses() == {200}, told
        assert callers.seen[POLL].p99() < 1 + _SLACK * usual, told
    for kind in (POLL, SUBMIT, LARGE_SUBMIT):
        assert callers.seen[kind].p99() < 3 + _SLACK * usual, told
        assert callers.seen[kind].statuses() <= {200, 202, 503}, told
        # Served again once the server goes on.
        last = callers.seen[kind].answers[during[kind] :][-5:]
        assert {status for status, _ in last} <= {200, 202}, (kind, last, told)
    rows = {str(pk) for pk in Run.objects.filter(tenant=acme.tenant).values_list("pk", flat=True)}
    assert set(callers.accepted.values()) <= rows
    assert len(set(callers.accepted.values())) == len(callers.accepted)
