"""The clients' checker finds what must not be: a verdict that cannot fail proves nothing."""

from dataclasses import replace
from typing import Any

import pytest

from tests.api.ended_runs import completed_run
from tests.builders import Customer
from tests.torture.client_history import RECEIPT, History, Seen

_PAID_IN = 10_000_000


@pytest.fixture
def history(acme: Customer) -> History:
    """Of one run that was submitted, polled twice and ended for 0.0500."""
    run = completed_run(acme)
    seen = Seen(run.created_at.timestamp(), run.created_at.timestamp() + 0.1, RECEIPT, 0, 500_000, 9_500_000)
    history = History(acme)
    history.accepted(run.idempotency_key, str(run.pk), seen)
    later = run.updated_at.timestamp() + 1
    history.polled(str(run.pk), Seen(later, later + 0.1, "COMPLETED", 50_000, 500_000, 9_950_000))
    return history


def _run_id(history: History) -> str:
    (run_id,) = history.key_of_run
    return run_id


def _last(history: History) -> Seen:
    return history.seen[_run_id(history)][-1]


def test_a_true_history_is_clean(history: History) -> None:
    assert history.verdict(paid_in=_PAID_IN) == []


def test_a_state_that_moves_back_is_found(history: History) -> None:
    again = replace(_last(history), sent_at=_last(history).sent_at + 5, answered_at=_last(history).answered_at + 5)
    history.polled(_run_id(history), replace(again, status="PROCESSING", used=0))
    assert "was COMPLETED, then PROCESSING" in history.verdict(paid_in=_PAID_IN)[0]


def test_a_key_with_two_runs_and_a_run_that_does_not_exist_are_found(history: History) -> None:
    (key,) = history.run_of_key
    history.accepted(key, "00000000-0000-0000-0000-000000000001", _last(history))
    wrong = "\n".join(history.verdict(paid_in=_PAID_IN))
    assert f"key {key} named" in wrong
    assert "was accepted and does not exist" in wrong


@pytest.mark.parametrize("change", [{"used": 60_000}, {"reserved": 400_000}, {"remaining": 9_940_000}])
def test_a_cost_header_that_the_journal_never_said_is_found(history: History, change: dict[str, Any]) -> None:
    history.seen[_run_id(history)][-1] = replace(_last(history), **change)
    assert history.verdict(paid_in=_PAID_IN)


def test_money_that_is_gone_without_a_charge_is_found(history: History) -> None:
    assert "the balance fell by" in history.verdict(paid_in=_PAID_IN + 1)[0]


def test_an_answer_that_nobody_may_give_is_found(history: History) -> None:
    history.refused(503, "")
    history.refused(500, "oops")
    assert history.verdict(paid_in=_PAID_IN) == ["answered 500: oops"]
