"""Every order of claim, money, commit, rebuild and failover has a way out; and the explorer finds one that had not."""

import os

import pytest

from runs.lifecycle import transitions
from runs.states import ALLOWED, MoneyState, Status
from tests.property.explorer import DeadEnd, Explorer
from tests.services import SessionServices

_QUEUED_TO_DISPUTE = ((Status.QUEUED, MoneyState.RESERVED), (Status.QUEUED, MoneyState.DISPUTED))


# `make explore` takes more of them.
_ACTORS = os.environ.get("DPP_EXPLORE_ACTORS", "worker,canceller").split(",")
_FAULTS = int(os.environ.get("DPP_EXPLORE_FAULTS", "1"))


@pytest.mark.one_redis_server  # all of its keys are put back in one step
def test_every_state_has_a_way_out(platform: SessionServices) -> None:
    done = Explorer(_ACTORS, faults=_FAULTS).explore()

    print(f"{done.states} states, {done.steps} steps, {done.healed} healed, {done.disputes} by a person")
    assert done.states > 100
    assert done.disputes, "money that moved before the row was lost is a person's case"


@pytest.mark.one_redis_server  # all of its keys are put back in one step
def test_it_finds_the_queued_run_with_a_foreign_receipt(
    platform: SessionServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the code was before that edge: nobody could end the run."""
    monkeypatch.setattr(transitions, "ALLOWED", ALLOWED - {_QUEUED_TO_DISPUTE})

    with pytest.raises(DeadEnd) as found:
        Explorer(["worker"], faults=1).explore()

    problem, *path = found.value.args
    assert "the run never ends" in problem
    assert "QUEUED/RESERVED" in problem
    assert path[:3] == ["worker: start", "worker: claim", "worker: money"]
    assert path[3].startswith("PostgreSQL loses")
