"""Many callers at once, against the real API process."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from budget import journal, ledger
from budget.models import EntryKind, LedgerEntry
from dpp_project.celery import RUNS_QUEUE
from dpp_project.money import Micros
from dpp_project.redis import client as redis
from runs.lifecycle import queue
from runs.models import Run
from runs.states import Status
from tests.builders import Customer, body, customer, fresh_key, on_plan
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


def until_answered(call: Callable[[], Answer]) -> Answer:
    """As 503 asks of a caller: the same request again. On a busy machine a server may be silent for seconds, and for
    two more nobody waits for it: also a test that follows meets that."""
    ends = time.monotonic() + 60
    while (answer := call()).status == 503 and time.monotonic() < ends:
        time.sleep(float(answer.headers["Retry-After"]))
    return answer


@pytest.fixture
def unhurried(acme: Customer) -> Customer:
    """A customer whose limits are not what the test is about."""
    on_plan(acme, submit_rate_per_min=100_000, poll_rate_per_min=100_000, max_concurrent_runs=100_000)
    return acme


def test_100_identical_submits_are_one_run(live_api: ApiProcess, acme: Customer) -> None:
    api, key = Api(live_api.url, acme), fresh_key()

    answers = at_once(lambda _: until_answered(lambda: api.submit(body(), key=key)))

    assert Counter(answer.status for answer in answers) == {202: _CALLERS}, live_api.lines()[-3000:]
    assert len({answer.json["run_id"] for answer in answers}) == 1
    assert sum(answer.headers["Idempotent-Replayed"] != "true" for answer in answers) == 1
    assert Run.objects.count() == 1
    assert LedgerEntry.objects.filter(kind=EntryKind.RESERVE).count() == 1
    assert queue.depth(RUNS_QUEUE) == 1
    assert journal.available(acme.id) == journal.journal_sum(acme.id) == 9_500_000


def test_a_budget_for_37_accepts_37_of_100(live_api: ApiProcess, platform: object) -> None:
    owner = customer("thirtyseven", budget="18.5000")
    on_plan(owner, submit_rate_per_min=100_000)
    api = Api(live_api.url, owner)

    keys = [fresh_key() for _ in range(_CALLERS)]

    answers = at_once(lambda number: until_answered(lambda: api.submit(body(), key=keys[number])))

    assert Counter(answer.status for answer in answers) == {202: 37, 402: 63}
    assert {answer.json["reason_code"] for answer in answers if answer.status == 402} == {"BUDGET_DRAINED"}
    assert len(live_runs()) == 37
    assert journal.available(owner.id) == journal.journal_sum(owner.id) == 0


def test_redis_forgetting_in_between_never_drains_a_budget(live_api: ApiProcess, unhurried: Customer) -> None:
    """Twenty runs fit. Whatever Redis forgets meanwhile, the answer is right or 503, never a wrong 402."""
    api, keys = Api(live_api.url, unhurried), [fresh_key() for _ in range(20)]
    stop = threading.Event()

    def forget() -> None:
        while not stop.wait(0.05):
            redis().flushall()

    forgetting = threading.Thread(target=forget)
    forgetting.start()
    try:
        answers = at_once(lambda number: api.submit(body(), key=keys[number]), 20)
    finally:
        stop.set()
        forgetting.join()

    found = Counter(answer.status for answer in answers)
    assert set(found) <= {202, 503}, found
    assert accepted(answers) <= live_runs()
    assert journal.available(unhurried.id) == journal.journal_sum(unhurried.id) == 10_000_000 - 500_000 * held_runs()

    # Of a run that the queue did not take in time, the money may still be on its way back.
    ledger.top_up(unhurried.id, Micros(10_000_000), reference="room")
    again = at_once(lambda number: until_answered(lambda: api.submit(body(), key=keys[number])), 20)

    assert {answer.status for answer in again} == {202}
    assert accepted(answers) <= accepted(again) == live_runs()
    assert len(live_runs()) == 20


def accepted(answers: list[Answer]) -> set[str]:
    return {answer.json["run_id"] for answer in answers if answer.status == 202}


def live_runs() -> set[str]:
    """More than were answered with 202 if the answer to a commit came too late, and fewer than there are rows if the
    queue did."""
    return set(map(str, Run.objects.filter(status=Status.QUEUED).values_list("pk", flat=True)))


def held_runs() -> int:
    of_kind = Counter(LedgerEntry.objects.values_list("kind", flat=True))
    return of_kind[EntryKind.RESERVE] - of_kind[EntryKind.REFUND]


def test_the_same_key_with_two_payloads_has_one_winner(live_api: ApiProcess, unhurried: Customer) -> None:
    api, key = Api(live_api.url, unhurried), fresh_key()
    payloads = [body(), body(options={"inline": 1})]

    answers = at_once(lambda number: until_answered(lambda: api.submit(payloads[number % 2], key=key)), 40)

    assert Counter(answer.status for answer in answers) == {202: 20, 409: 20}
    assert len(live_runs()) == 1
