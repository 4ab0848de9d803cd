"""Money under parallel fire, through the real API where it is about the API."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from budget import ledger
from dpp_project.money import Micros
from runs.models import Run
from tests.builders import fresh_key
from tests.conftest import wipe
from tests.property.histories import live_through
from tests.race.test_money import settle_against_refund
from tests.race.threads import at_once
from tests.torture.bench import Bench
from tests.torture.table import Figures, Size, by_histories, row

_SECTION = "Money"


@row(_SECTION, "100 parallel submits on a budget for 37: 37 x 202, 63 x 402")
def budget_for_37(bench: Bench, size: Size) -> Figures:
    owner = bench.customer(budget="3.7000")
    # Nothing may end meanwhile: what comes back could be spent again.
    with bench.without_worker():
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: bench.try_submit(owner, fresh_key(), cost="0.1000"), range(100)))
        assert Counter(answer.status if answer else 0 for answer in answers) == {202: 37, 402: 63}
        assert Run.objects.filter(tenant=owner.tenant).count() == 37
    return Figures(100, bench.healed(owner, since=time.monotonic()))


@row(_SECTION, "100 identical submits: one run, 100 x 202")
def identical(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    tries = max(size.kills // 4, 1)
    for _ in range(tries):
        key = fresh_key()
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _, key=key: bench.try_submit(owner, key), range(100)))
        assert {answer.status if answer else 0 for answer in answers} == {202}
        assert len({answer.json["run_id"] for answer in answers if answer}) == 1
    assert Run.objects.filter(tenant=owner.tenant).count() == tries
    return Figures(tries * 100, bench.healed(owner, since=time.monotonic()))


@row(_SECTION, "settle raced with refund: one winner each round")
def settle_or_refund(bench: Bench, size: Size) -> Figures:
    from tests.builders import customer

    owner = customer("racer", budget="1.0000")
    # These holds have no run: the jobs would rightly give them back.
    bench.jobs.stop()
    try:
        winners = settle_against_refund(owner, size.rounds)
    finally:
        bench.jobs.start()
    assert winners.total() == size.rounds
    # What was settled here stands in no journal: put Redis right again.
    from budget.rebuild import rebuild

    rebuild(owner.id)
    return Figures(size.rounds, 0.0)


@row(_SECTION, "a top-up raced with 50 submits applies once")
def top_up_raced(bench: Bench, size: Size) -> Figures:
    tries = max(size.kills // 4, 1)
    # Runs charge what they hold: without the top-ups there is enough for all rounds.
    owner = bench.customer(budget=f"{3 * tries}.0000")
    for number in range(tries):

        def move(position: int, reference: str = f"{owner.id}:{number}") -> object:
            if position % 10 == 0:
                return ledger.top_up(owner.id, Micros(1_000_000), reference=reference)
            answer = bench.try_submit(owner, fresh_key(), cost="0.0500")
            return answer.status if answer else 0

        outcomes = at_once(55, move, threads=12)
        assert (outcomes.count(True), outcomes.count(False)) == (1, 5)
        assert outcomes.count(202) == 49
        bench.healed(owner, since=time.monotonic())
    return Figures(tries, bench.healed(owner, since=time.monotonic()))


@row(_SECTION, "random histories of 100 steps: model = Redis = PostgreSQL after every step", parts=by_histories)
def histories(bench: Bench, size: Size) -> Figures:
    """In this process, without the others: the jobs would take steps of their own.

    Each history in an empty world, so that its audits look at its one tenant and not at those of all seeds before.
    """
    for process in (bench.api, bench.worker, bench.jobs):
        process.stop()
    for seed in range(size.first_seed, size.first_seed + size.histories):
        wipe()
        live_through(seed)
    return Figures(size.histories, 0.0)
