"""Random histories found and shrunk by hypothesis. `DPP_PROPERTY_EXAMPLES` raises their number."""

import os
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.property.world import BOUNDARIES, SUBMIT_POINTS, World
from tests.services import SessionServices

MORE = "DPP_PROPERTY_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("DPP_PROPERTY_EXAMPLES", "6"))
STEPS = int(os.environ.get("DPP_PROPERTY_STEPS", "25"))

AMOUNTS = st.sampled_from([5_000, 5_100, 100_000, 499_900, 500_000, 1_500_000, 9_000_000])
DEATHS = st.sampled_from([None, None, *BOUNDARIES])
PICK = st.integers(min_value=0, max_value=10_000)


class LifeOfATenant(RuleBasedStateMachine):
    world: World

    @initialize()
    def begin(self) -> None:
        self.world = World()

    @rule(amount=AMOUNTS, die_at=st.sampled_from([None, None, None, *SUBMIT_POINTS]))
    def submit(self, amount: int, die_at: str | None) -> None:
        self.world.submit(amount, die_at)

    @precondition(lambda self: self.world.runs)
    @rule(pick=PICK)
    def repeat_a_submit(self, pick: int) -> None:
        self.world.repeat_a_submit(_of(list(self.world.runs), pick))

    @precondition(lambda self: self.world.runs)
    @rule(pick=PICK, die_at=DEATHS)
    def cancel(self, pick: int, die_at: str | None) -> None:
        self.world.cancel(_of(list(self.world.runs), pick), die_at)

    @precondition(lambda self: self.world.queued())
    @rule(pick=PICK)
    def start(self, pick: int) -> None:
        self.world.start(_of(self.world.queued(), pick))

    @precondition(lambda self: self.world.running())
    @rule(pick=PICK, die_at=DEATHS)
    def fail(self, pick: int, die_at: str | None) -> None:
        self.world.fail(_of(self.world.running(), pick), die_at)

    @precondition(lambda self: self.world.runs)
    @rule(pick=PICK)
    def duplicate_message(self, pick: int) -> None:
        self.world.duplicate_message(_of(list(self.world.runs), pick))

    @precondition(lambda self: self.world.running())
    @rule(pick=PICK, die_at=DEATHS)
    def reap(self, pick: int, die_at: str | None) -> None:
        self.world.reap(_of(self.world.running(), pick), die_at)

    @precondition(lambda self: self.world.queued())
    @rule(pick=PICK, die_at=DEATHS)
    def expire_in_queue(self, pick: int, die_at: str | None) -> None:
        self.world.expire_in_queue(_of(self.world.queued(), pick), die_at)

    @precondition(lambda self: self.world.runs)
    @rule(pick=PICK, die_at=DEATHS)
    def dead_letter(self, pick: int, die_at: str | None) -> None:
        self.world.dead_letter(_of(list(self.world.runs), pick), die_at)

    @precondition(lambda self: self.world.claimed())
    @rule(pick=PICK, die_at=DEATHS)
    def reconcile(self, pick: int, die_at: str | None) -> None:
        self.world.reconcile(_of(self.world.claimed(), pick), die_at)

    @rule(amount=AMOUNTS, die_at=st.sampled_from(BOUNDARIES), forgets=st.booleans())
    def a_worker_dies_and_reconcile_comes(self, amount: int, die_at: str, forgets: bool) -> None:
        """The way that matters most, in one rule: by chance alone it would be gone too rarely."""
        known = set(self.world.runs)
        self.world.submit(amount)
        for run_id in set(self.world.runs) - known:
            self.world.start(run_id)
            self.world.fail(run_id, die_at)
            self.world.check()
            if forgets:
                self.world.redis_forgets()
            if run_id in self.world.claimed():
                self.world.reconcile(run_id)

    @rule(amount=st.sampled_from([1, 100, 500_000]))
    def top_up(self, amount: int) -> None:
        self.world.top_up(amount)

    @rule()
    def repeat_a_top_up(self) -> None:
        self.world.repeat_a_top_up()

    @rule()
    def return_orphans(self) -> None:
        self.world.return_orphans()

    @rule()
    def resend(self) -> None:
        self.world.resend()

    @rule()
    def audit(self) -> None:
        self.world.audit_twice()

    @rule()
    def redis_forgets(self) -> None:
        self.world.redis_forgets()

    @precondition(lambda self: self.world.queued() or self.world.running())
    @rule(pick=PICK)
    def redis_loses_a_hold(self, pick: int) -> None:
        self.world.redis_loses_a_hold(_of(self.world.queued() + self.world.running(), pick))

    @rule()
    def redis_remembers_this(self) -> None:
        self.world.redis_remembers_this()

    @rule()
    def redis_goes_back(self) -> None:
        self.world.redis_goes_back()

    @invariant()
    def model_is_redis_is_postgresql(self) -> None:
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.finish()


def _of(items: list[UUID], pick: int) -> UUID:
    return items[pick % len(items)]


@pytest.mark.usefixtures("platform")
def test_whatever_happens_model_redis_and_postgresql_agree(platform: SessionServices) -> None:
    run_state_machine_as_test(
        LifeOfATenant,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            # The same histories every time in `make test`; others each time when more are asked for.
            derandomize=not MORE,
            # Shrinking repeats a failure for minutes on real services: only for those who look for one.
            phases=[Phase.generate, Phase.shrink] if MORE else [Phase.generate],
            database=None,
            print_blob=True,
        ),
    )
