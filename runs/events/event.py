"""What an event is: a stage, a sequence number inside that stage's band, and JSON that describes the thing it is about.

The bus carries registered domains: kinds of things that news is told of, each with its stages. Runs are one. What is
not registered is refused: a listener can rely on the stages it knows, a stream on the size of what it holds.

The number follows from what happened alone (which edge, which step), never from who tells it or when: whoever tells
the same thing again tells it under the same number.
"""

import json
import zlib
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from dpp_project.clock import instant
from dpp_project.money import Micros, format_usd
from dpp_project.profile import EVENTS
from dpp_project.redis import Store
from runs.models import Run
from runs.states import LIVE, Status

GAP = "gap"
"""The stage of what stands for lost events, in every domain. It has no band: it takes the number of the last one
lost."""
DRAFT = "draft"
"""The part of an event's data that holds a piece of a model's text. Its name is the mark: it is not the answer."""


class NotOnTheBus(ValueError):
    """Of no registered domain or stage, outside its stage's numbers, or too large."""


@dataclass(frozen=True)
class Domain:
    name: str
    """Begins its keys in Redis. Locked, as the stages' order is: other versions of the service may run beside this."""
    stages: tuple[str, ...]
    """In the order in which a thing passes them."""
    max_data_chars: int
    bands: tuple[range, ...] = ()
    """The numbers of each stage, where they are not a thousand each."""

    def band(self, stage: str) -> range:
        if self.bands:
            return self.bands[self.stages.index(stage)]
        first = self.stages.index(stage) * EVENTS.band_width
        return range(first + 1, first + EVENTS.band_width)

    def check(self, stage: str, seq: int, data: str) -> None:
        if DOMAINS.get(self.name) is not self:
            raise NotOnTheBus(f"no domain {self.name!r} is registered")
        if stage != GAP and (stage not in self.stages or seq not in self.band(stage)):
            raise NotOnTheBus(f"{stage!r} {seq} is no event of the domain {self.name!r}")
        if len(data) > self.max_data_chars:
            raise NotOnTheBus(f"{len(data)} characters are more than the {self.max_data_chars} of {self.name!r}")

    def stream_key(self, shard: int) -> str:
        return _key(f"{self.name}:events:{shard}", shard)

    def state_key(self, id_: UUID) -> str:
        return _key(f"{self.name}:state:{id_}", shard_of(id_))


DOMAINS: dict[str, Domain] = {}


def register(domain: Domain) -> Domain:
    assert DOMAINS.setdefault(domain.name, domain) == domain, f"two domains are named {domain.name!r}"
    return DOMAINS[domain.name]


def _key(name: str, shard: int) -> str:
    """A shard's stream and the states of its things lie together; shards are spread over a cluster."""
    return Store.EVENTS.key(name, of=shard * Store.EVENTS.groups // EVENTS.shards)


def shard_of(id_: UUID) -> int:
    return zlib.crc32(id_.bytes) % EVENTS.shards


class Stage(StrEnum):
    """In the order in which a run passes them."""

    QUEUED = "queued"
    PREFLIGHT = "preflight"
    EXECUTE = "execute"
    ANSWER = "answer"
    """A model's text while it is written: a draft, not yet checked."""
    STORE = "store"
    SETTLE = "settle"
    DONE = "done"

    @property
    def numbers(self) -> range:
        return _NUMBERS[self]

    @property
    def band(self) -> int:
        """The number before its first."""
        return self.numbers.start - 1

    def seq(self, number: int) -> int:
        """The number-th event of this stage. Counted from 1: 0 is what a listener has that was told nothing yet."""
        assert 1 <= number <= len(self.numbers)
        return self.numbers[number - 1]

    @classmethod
    def of(cls, seq: int) -> "Stage":
        return next(stage for stage in cls if seq in stage.numbers)


# The answer came later. It has the last hundred of what were the numbers of execute, so that all others mean what they
# meant: to a gateway of the release before, and to whoever resumes with one.
_NUMBERS = {
    Stage.QUEUED: range(1, 1_000),
    Stage.PREFLIGHT: range(1_001, 2_000),
    Stage.EXECUTE: range(2_001, 2_900),
    Stage.ANSWER: range(2_901, 3_000),
    Stage.STORE: range(3_001, 4_000),
    Stage.SETTLE: range(4_001, 5_000),
    Stage.DONE: range(5_001, 6_000),
}
LAST_SEQ = Stage.DONE.seq(1)

# News, not results: the longest is a piece of a draft.
RUNS = register(Domain("run", tuple(Stage), max_data_chars=4_096, bands=tuple(stage.numbers for stage in Stage)))
# A pack that gives more detail than this is told without it.
_MAX_DATA_CHARS = 2_048
_MAX_STEP_CHARS = 64


@dataclass(frozen=True)
class Event:
    run_id: UUID
    seq: int
    stage: str
    data: str
    domain: Domain = RUNS
    """Of another domain, the id is that of its thing."""

    @property
    def is_last(self) -> bool:
        """Nothing comes after it."""
        return self.stage == self.domain.stages[-1]

    @property
    def ends_the_run(self) -> bool:
        return self.seq >= LAST_SEQ

    @property
    def version_and_progress(self) -> tuple[int, float]:
        body = json.loads(self.data)
        return int(body["version"]), float(body["progress"])


def gap(first: Event, last: Event, number: int) -> Event:
    """In the place of lost events, under the number of the last: it says what that one said, and what is missing."""
    body = {**json.loads(last.data), "stage": GAP, "lost": {"first": first.seq, "last": last.seq, "events": number}}
    # A piece without those before it says nothing.
    body.pop(DRAFT, None)
    return replace(last, stage=GAP, data=_json(body))


def of_step(run: Run, stage: Stage, number: int, *, step: str, detail: dict[str, str | int], at: datetime) -> Event:
    """A step of the worker: the run's row is as it was, only its progress has moved."""
    event = _event(run, stage, number, at, step=step[:_MAX_STEP_CHARS], detail=detail)
    if len(event.data) <= _MAX_DATA_CHARS:
        return event
    return _event(run, stage, number, at, step=step[:_MAX_STEP_CHARS])


def of_draft(run: Run, number: int, draft: dict[str, str | int], *, at: datetime) -> Event:
    """A piece of a model's text, or what became of it. Whoever makes one keeps it short."""
    step = "checked" if "verdict" in draft else "draft"
    return _event(run, Stage.ANSWER, number, at, step=step, **{DRAFT: draft})


def of_row(run: Run, *, at: datetime) -> Event | None:
    """What a run's row says. Made at every transition, and again from the row when the streams have forgotten."""
    if run.status == Status.EXPIRED:
        return None
    if run.status not in LIVE:
        used = format_usd(Micros(run.actual_cost_usd_micros or 0))
        return _event(run, Stage.DONE, 1, at, used_usd=used, reason_code=run.last_error_reason_code)
    if run.finalize_stage is not None:
        # A claim can be taken over, rewritten, disputed: each moves the version.
        return _event(run, Stage.SETTLE, min(run.version + 1, len(Stage.SETTLE.numbers)), at)
    return _event(run, Stage.QUEUED if run.status == Status.QUEUED else Stage.PREFLIGHT, 1, at)


def newest_possible(run: Run) -> int:
    """The highest number an event of a run in this state can have."""
    if run.status not in LIVE:
        return LAST_SEQ
    if run.finalize_stage is not None:
        return Stage.DONE.band - 1
    return (Stage.PREFLIGHT.band if run.status == Status.QUEUED else Stage.SETTLE.band) - 1


def _event(run: Run, stage: Stage, number: int, at: datetime, **more: Any) -> Event:
    seq = stage.seq(number)
    body = {
        "run_id": str(run.pk),
        "seq": seq,
        "stage": stage.value,
        "status": str(run.status),
        "money_state": str(run.money_state),
        "progress": run.progress,
        "version": run.version,
        "at": instant(at),
        **{name: value for name, value in more.items() if value},
    }
    return Event(run.pk, seq, stage.value, _json(body))


def _json(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
