"""The worker's steps as events: numbered in the order they come, so that the same work always gives the same events."""

from django.utils import timezone

from dpp_project.profile import EVENTS
from runs.events.event import Stage, of_step
from runs.events.publish import publish_event
from runs.models import Run

# Number 1 of the band is the start itself, published by its transition.
_FIRST_NUMBER = {Stage.PREFLIGHT: 2}
_OWN_NAMES = {Stage.PREFLIGHT.value: Stage.PREFLIGHT, Stage.STORE.value: Stage.STORE}


class Steps:
    """Belongs to one execution of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._stage = Stage.PREFLIGHT
        self._number = _FIRST_NUMBER[Stage.PREFLIGHT]
        self._last: tuple[str, float, dict[str, str | int]] | None = None

    def publish(self, step: str, progress: float, detail: dict[str, str | int]) -> None:
        """A step that says nothing new is not published, nor one beyond its band: a pack may check in very often."""
        self._run.progress = max(self._run.progress, progress)
        said = (step, self._run.progress, detail)
        if said == self._last:
            return
        self._last = said
        self._enter(_OWN_NAMES.get(step, Stage.EXECUTE))
        if self._number < EVENTS.band_width:
            publish_event(of_step(self._run, self._stage, self._number, step=step, detail=detail, at=timezone.now()))
            self._number += 1

    def _enter(self, stage: Stage) -> None:
        # Never back: a pack may name a step of its own like an earlier stage.
        if stage.band > self._stage.band:
            self._stage = stage
            self._number = 1
