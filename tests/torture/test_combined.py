"""A small combined torture in `make test`: three rounds of several faults at once. Half an hour: `make torture`."""

import itertools
import os

from pytest_django.plugin import DjangoDbBlocker

from tests.conftest import wipe
from tests.services import SessionServices
from tests.torture.chaos import FAULTS, Chaos
from tests.torture.combined import inflict, rounds

_SEED = int(os.environ.get("DPP_TORTURE_SEED", "15"))


def test_a_seed_is_a_plan_of_two_or_three_faults_of_different_servers() -> None:
    plan, same, other = (list(itertools.islice(rounds(FAULTS, seed), 50)) for seed in (1, 1, 2))

    assert plan == same
    assert plan != other
    for strikes in plan:
        assert 2 <= len(strikes) == len({strike.fault.server for strike in strikes}) <= 3
    assert {strike.fault.name for strikes in plan for strike in strikes} == {fault.name for fault in FAULTS}


def test_several_faults_at_once_lose_nothing(services: SessionServices, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock():
        wipe()
        with Chaos.on(services) as chaos:
            chaos.begin_load(_SEED, agents=4)
            failed = [
                problem
                for strikes in itertools.islice(rounds(FAULTS, _SEED, longest_sec=2.0), 3)
                for problem in inflict(chaos, strikes)
            ]
            _, wrong = chaos.end_load()

    assert failed == []
    assert wrong == []
    assert sum(len(history.run_of_key) for history in chaos.histories) > 5
