"""Without Redis: no submit, since money may not be guessed; reads go on from PostgreSQL, limited by each process."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dpp_project.cool_down import CoolDown
from dpp_project.metrics import LIMITER_FALLBACKS
from runs.access import limits
from runs.models import Run
from tests.api.caller import Caller, costs, problem
from tests.builders import Customer, on_plan
from tests.services import SessionServices


@contextmanager
def without_redis(services: SessionServices) -> Iterator[None]:
    services.valkey.kill()
    try:
        yield
    finally:
        services.valkey.start()
        services.valkey.wait_ready()


@pytest.fixture(autouse=True)
def _fresh_limiter(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests counted in this process's memory is not this test's."""
    monkeypatch.setattr(limits, "_local", type(limits._local)())
    monkeypatch.setattr(limits, "_cool_down", CoolDown(2.0))


def test_reads_go_on_and_submits_are_refused(acme_api: Caller, queued_run: Run, platform: SessionServices) -> None:
    fallbacks = LIMITER_FALLBACKS._value.get()
    with without_redis(platform):
        read = acme_api.get(f"/v1/runs/{queued_run.pk}")
        assert read.status_code == 200
        assert costs(read) == ("0.5000", "0.0000", "9.5000", "0")
        assert read.headers["X-RateLimit-Remaining"] == "59"
        assert acme_api.get("/v1/runs").status_code == 200
        assert acme_api.get("/v1/budget").status_code == 200

        refused = acme_api.submit()
        problem(refused, 503, "DEPENDENCY_UNAVAILABLE")
        assert "X-RateLimit-Limit" in refused.headers
        assert Run.objects.count() == 1
        assert LIMITER_FALLBACKS._value.get() > fallbacks

    assert acme_api.submit().status_code in (202, 503)
    assert acme_api.submit().status_code == 202


def test_reads_are_limited_by_the_process_alone(acme_api: Caller, acme: Customer, platform: SessionServices) -> None:
    on_plan(acme, poll_rate_per_min=3)
    with without_redis(platform):
        answers = [acme_api.get("/v1/budget") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    problem(answers[3], 429, "RATE_LIMITED")


def test_a_wrong_key_is_refused_as_ever(acme_api: Caller, acme: Customer, platform: SessionServices) -> None:
    acme_api.owner = Customer(acme.tenant, "dpp_sk_nonsense")
    with without_redis(platform):
        problem(acme_api.get("/v1/budget"), 401, "AUTH_INVALID")
