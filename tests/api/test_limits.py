"""Rate limits and the concurrency limit, as callers meet them."""

import json
import time

import pytest

from budget import redis_keys as budget_keys
from dpp_project.profile import PROFILE
from dpp_project.redis import client as redis
from runs.access import limits
from runs.access.limits import Decision
from runs.models import Run
from tests.api.caller import Caller, costs, problem
from tests.builders import Customer, fresh_key, json_body, on_plan, submitted


def test_a_bucket_gives_exactly_its_rate_and_refills_evenly(platform: object) -> None:
    for rate in (1, 7, 60, 600, 999):
        name, began = f"test:{rate}", time.monotonic()
        verdicts = [limits.take(name, rate) for _ in range(rate)]
        assert {verdict.answer for verdict in verdicts} == {Decision.OK}
        assert verdicts[0].remaining == rate - 1
        over = limits.take(name, rate)
        # The fastest of these buckets gives one back every 60 ms, which may pass while the test asks.
        assert over.answer == Decision.RATE or time.monotonic() - began >= 60 / rate
        assert over.limit == rate
        assert verdicts[0].reset_at <= time.time() + 60 // rate + 2


def test_a_look_takes_nothing(platform: object) -> None:
    limits.take("test:look", 2)
    looks = [limits.take("test:look", 2, cost=0) for _ in range(5)]
    assert {(look.answer, look.remaining) for look in looks} == {(Decision.OK, 1)}
    limits.take("test:look", 2)
    assert limits.take("test:look", 2, cost=0).answer == Decision.RATE


@pytest.mark.parametrize("without_redis", [False, True])
@pytest.mark.parametrize("cost", [0, 1])
def test_a_refusal_says_when_a_request_will_pass(platform: object, without_redis: bool, cost: int) -> None:
    take = limits._local.take if without_redis else lambda name, rate, cost: limits.take(name, rate, cost=cost)
    name = f"test:passes:{without_redis}:{cost}"
    began = time.time()
    for _ in range(4):
        take(name, 4, 1)
    refused = take(name, 4, cost)
    assert refused.answer == Decision.RATE
    # Four a minute: one comes back every 15 seconds; all of them would take a minute.
    assert began + 14 <= refused.reset_at <= time.time() + 16
    assert 14 <= limits.RateLimited(refused).passes_in_sec <= 16


def test_a_rate_of_zero_lets_nobody_pass(platform: object) -> None:
    assert limits.take("test:zero", 0).answer == Decision.RATE


def test_a_full_bucket_leaves_no_key_behind(platform: object) -> None:
    limits.take("test:short", 6000)
    assert redis().pttl("test:short") <= 11
    time.sleep(0.05)
    assert not redis().exists("test:short")


def test_polls_are_limited_per_tenant(acme_api: Caller, rival_api: Caller, queued_run: Run) -> None:
    path = f"/v1/runs/{queued_run.pk}"
    answers = [acme_api.get(path)]
    asked_at = time.time()
    answers += [acme_api.get(path) for _ in range(PROFILE.poll_rate_per_min - 1)]

    assert {answer.status_code for answer in answers} == {200}
    assert answers[0].headers["X-RateLimit-Limit"] == "60"
    assert answers[0].headers["X-RateLimit-Remaining"] == "59"
    assert abs(int(answers[0].headers["X-RateLimit-Reset"]) - asked_at) <= 3
    refused = acme_api.get(path)
    while refused.status_code == 200:  # a second of the test has given one back
        refused = acme_api.get(path)
    body = problem(refused, 429, "RATE_LIMITED")
    assert (body["retryable"], refused.headers["Retry-After"]) == (True, "30")
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    # One a second comes back: header and body say when a request will pass, and it does.
    assert body["retry_after_sec"] in (1, 2)
    passes_at = int(refused.headers["X-RateLimit-Reset"])
    assert passes_at - time.time() <= 2
    time.sleep(max(passes_at - time.time(), 0) + 0.05)
    assert acme_api.get(path).status_code == 200
    assert costs(refused)[2] == "9.5000"
    # Neither another tenant nor another kind of request is touched by it.
    assert rival_api.get("/v1/budget").status_code == 200
    assert acme_api.submit().status_code == 202


def test_a_tenant_may_have_limits_of_its_own(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, poll_rate_per_min=2, submit_rate_per_min=3)
    assert [acme_api.get("/v1/budget").status_code for _ in range(3)] == [200, 200, 429]
    assert [acme_api.submit().status_code for _ in range(4)] == [202, 202, 202, 429]


def test_submits_beyond_the_rate_are_refused_but_replays_are_answered(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=1)
    key = fresh_key()
    first = acme_api.submit(key=key)
    problem(acme_api.submit(), 429, "RATE_LIMITED")

    again = acme_api.submit(key=key)

    assert (again.status_code, again.content) == (202, first.content)
    assert again.headers["X-RateLimit-Limit"] == str(PROFILE.replay_rate_per_min)
    assert Run.objects.count() == 1


def test_replays_have_a_limit_ten_times_that_of_polls(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, poll_rate_per_min=1)
    key = fresh_key()
    assert [acme_api.submit(key=key).status_code for _ in range(12)] == [202] * 11 + [429]


def test_a_refused_key_does_not_keep_its_lock(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=0)
    key = fresh_key()
    began = time.monotonic()
    for _ in range(2):
        problem(acme_api.submit(key=key), 429, "RATE_LIMITED")
    assert time.monotonic() - began < PROFILE.idem_lock_ttl_sec


def test_bad_requests_count_as_submits(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=2)
    refused = acme_api.submit("{")
    problem(refused, 400, "INVALID_PARAMS")
    assert refused.headers["X-RateLimit-Remaining"] == "1"
    problem(acme_api.submit("{"), 400, "INVALID_PARAMS")
    problem(acme_api.submit("{"), 429, "RATE_LIMITED")


def test_live_runs_are_bounded_and_an_ended_one_makes_room(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, max_concurrent_runs=2)
    runs = [submitted(acme) for _ in range(2)]

    refused = acme_api.submit()
    body = problem(refused, 429, "CONCURRENCY_LIMITED")
    assert (body["retry_after_sec"], refused.headers["X-RateLimit-Limit"]) == (30, "60")

    assert acme_api.post(f"/v1/runs/{runs[0].pk}/cancel").status_code == 202
    assert acme_api.submit().status_code == 202
    problem(acme_api.submit(), 429, "CONCURRENCY_LIMITED")


def test_live_runs_are_counted_again_after_redis_forgot(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, max_concurrent_runs=2)
    for _ in range(2):
        submitted(acme)
    redis().flushall()
    # The first submit finds an empty Redis, which rebuilds the tenant with its holds: they count at once.
    problem(acme_api.submit(), 429, "CONCURRENCY_LIMITED")
    assert redis().scard(budget_keys.tenant_holds(acme.id)) == 2


def test_rate_goes_before_concurrency_and_concurrency_before_money(acme_api: Caller, acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=2, max_concurrent_runs=0)
    too_dear = json_body(reservation={"max_cost_usd": "99"})
    for _ in range(2):
        problem(acme_api.submit(too_dear), 429, "CONCURRENCY_LIMITED")
    problem(acme_api.submit(too_dear), 429, "RATE_LIMITED")


@pytest.mark.parametrize("address", ["/v1/runs", "/v1/budget", "/v1/packs", "/v1/runs/none"])
def test_every_authenticated_answer_tells_the_limit(acme_api: Caller, address: str) -> None:
    answer = acme_api.get(address)
    for name in ("Limit", "Remaining", "Reset"):
        assert int(answer.headers[f"X-RateLimit-{name}"]) >= 0


def test_a_submit_answers_with_its_own_limit_on_success(acme_api: Caller) -> None:
    answer = acme_api.submit()
    assert json.loads(answer.content)["status"] == "QUEUED"
    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("60", "59")
