"""The worker's steps as events: numbered in the order they come, so that the same work always gives the same events."""

from django.utils import timezone

from dpp_project.metrics import ANSWER_PIECES, ANSWERS
from runs.events.event import Stage, of_draft, of_step
from runs.events.publish import publish_event
from runs.models import Run

# Number 1 of the band is the start itself, published by its transition.
_FIRST_NUMBER = {Stage.PREFLIGHT: 2}
# What is left of the band is for the verdict and the steps after it.
_MOST_PIECES = 90
_MAX_PIECE_CHARS = 1_500
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
        if self._number <= len(self._stage.numbers):
            publish_event(of_step(self._run, self._stage, self._number, step=step, detail=detail, at=timezone.now()))
            self._number += 1

    def tell_draft(self, draft: dict[str, str | int]) -> None:
        """From here on all steps of the pack are told in the stage of the answer."""
        self._enter(Stage.ANSWER)
        if self._number <= len(self._stage.numbers):
            publish_event(of_draft(self._run, self._number, draft, at=timezone.now()))
            self._number += 1

    def _enter(self, stage: Stage) -> None:
        # Never back: a pack may name a step of its own like an earlier stage.
        if stage.band > self._stage.band:
            self._stage = stage
            self._number = 1


class DraftEvents:
    """A model's text as events, while it is written: pieces of a draft, then whether it became the answer."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._pieces = 0

    def piece(self, attempt: int, number: int, text: str) -> None:
        told = self._pieces < _MOST_PIECES
        ANSWER_PIECES.labels(outcome="told" if told else "left_out").inc()
        if told:
            self._pieces += 1
            self._steps.tell_draft({"attempt": attempt, "piece": number, "text": text[:_MAX_PIECE_CHARS]})

    def verdict(self, attempt: int, pieces: int, verdict: str) -> None:
        ANSWERS.labels(verdict=verdict).inc()
        self._steps.tell_draft({"attempt": attempt, "pieces": pieces, "verdict": verdict})
