"""The limit of live runs holds on the way that a submit takes when Redis has forgotten its tenant."""

import pytest
from django.utils import timezone
from freezegun import freeze_time

from dpp_project.redis import client
from runs.access.limits import Gate, TooManyRuns, _LocalBuckets
from runs.lifecycle.submit import submit
from runs.models import Run
from tests.books import redis_balance
from tests.builders import Customer, fresh_key, on_plan, request, submitted


def test_a_tenant_at_its_limit_starts_no_further_run_because_redis_forgot(acme: Customer) -> None:
    on_plan(acme, max_concurrent_runs=2)
    for _ in range(2):
        submitted(acme)
    client().flushall()
    gate = Gate(acme.tenant)
    with pytest.raises(TooManyRuns):
        submit(acme.tenant, request(), key=fresh_key(), trace_id="t", now=timezone.now(), gate=gate)
    assert Run.objects.count() == 2
    assert redis_balance(acme) == 9_000_000


def test_below_its_limit_it_does(acme: Customer) -> None:
    on_plan(acme, max_concurrent_runs=2)
    submitted(acme)
    client().flushall()
    submit(acme.tenant, request(), key=fresh_key(), trace_id="t", now=timezone.now(), gate=Gate(acme.tenant))
    assert Run.objects.count() == 2


def test_a_bucket_of_this_process_is_at_most_a_minute_ahead_after_a_step_of_the_clock() -> None:
    buckets = _LocalBuckets()
    with freeze_time("2026-01-02T00:00:00Z"):
        for _ in range(60):
            assert buckets.take("x", 60, 1).answer == "OK"
    with freeze_time("2026-01-01T00:00:00Z"):
        assert buckets.take("x", 60, 1).answer == "RATE"
        assert buckets.take("x", 60, 0).reset_at <= 1767225600 + 61
    with freeze_time("2026-01-01T00:01:01Z"):
        assert buckets.take("x", 60, 1).answer == "OK"
