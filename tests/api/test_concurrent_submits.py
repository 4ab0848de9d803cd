"""Many callers at once, against the real API process."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from budget import journal
from budget.models import EntryKind, LedgerEntry
from dpp_project.celery import RUNS_QUEUE
from dpp_project.redis import client as redis
from runs.lifecycle import queue
from runs.models import Run, Tenant
from tests.builders import Customer, body, customer, fresh_key
from tests.http import Answer, Api
from tests.processes import ApiProcess

_CALLERS = 100


def at_once(call: Callable[[int], Answer], count: int = _CALLERS) -> list[Answer]:
    """All calls begin together."""
    ready = threading.Barrier(count)

    def go(number: int) -> Answer:
        ready.wait()
        return call(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(go, range(count)))


@pytest.fixture
def unhurried(acme: Customer) -> Customer:
    """A customer whose limits are not what the test is about."""
    Tenant.objects.filter(pk=acme.id).update(
        submit_rate_per_min=100_000, poll_rate_per_min=100_000, max_concurrent_runs=100_000
    )
    return acme


def test_100_identical_submits_are_one_run(live_api: ApiProcess, acme: Customer) -> None:
    api, key = Api(live_api.url, acme), fresh_key()

    answers = at_once(lambda _: api.submit(body(), key=key))

    assert Counter(answer.status for answer in answers) == {202: _CALLERS}, live_api.lines()[-3000:]
    assert len({answer.json["run_id"] for answer in answers}) == 1
    assert sum(answer.headers["Idempotent-Replayed"] != "true" for answer in answers) == 1
    assert Run.objects.count() == 1
    assert LedgerEntry.objects.filter(kind=EntryKind.RESERVE).count() == 1
    assert queue.depth(RUNS_QUEUE) == 1
    assert journal.available(acme.id) == journal.journal_sum(acme.id) == 9_500_000


def test_a_budget_for_37_accepts_37_of_100(live_api: ApiProcess, platform: object) -> None:
    owner = customer("thirtyseven", budget="18.5000")
    Tenant.objects.filter(pk=owner.id).update(submit_rate_per_min=100_000)
    api = Api(live_api.url, owner)

    answers = at_once(lambda _: api.submit(body(), key=fresh_key()))

    assert Counter(answer.status for answer in answers) == {202: 37, 402: 63}
    assert {answer.json["reason_code"] for answer in answers if answer.status == 402} == {"BUDGET_DRAINED"}
    assert Run.objects.count() == 37
    assert journal.available(owner.id) == journal.journal_sum(owner.id) == 0


def test_redis_forgetting_in_between_never_drains_a_budget(live_api: ApiProcess, unhurried: Customer) -> None:
    """Twenty runs fit. Whatever Redis forgets meanwhile, the answer is right or 503, never a wrong 402."""
    api = Api(live_api.url, unhurried)
    stop = threading.Event()

    def forget() -> None:
        while not stop.wait(0.05):
            redis().flushall()

    forgetting = threading.Thread(target=forget)
    forgetting.start()
    try:
        answers = at_once(lambda _: api.submit(body(), key=fresh_key()), 20)
    finally:
        stop.set()
        forgetting.join()

    found = Counter(answer.status for answer in answers)
    assert set(found) <= {202, 503}, found
    assert Run.objects.count() == found[202]
    assert journal.available(unhurried.id) == 10_000_000 - 500_000 * found[202]


def test_the_same_key_with_two_payloads_has_one_winner(live_api: ApiProcess, unhurried: Customer) -> None:
    api, key = Api(live_api.url, unhurried), fresh_key()
    payloads = [body(), body(options={"inline": 1})]

    answers = at_once(lambda number: api.submit(payloads[number % 2], key=key), 40)

    assert Counter(answer.status for answer in answers) == {202: 20, 409: 20}
    assert Run.objects.count() == 1
