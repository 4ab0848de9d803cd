"""What a url run has found so far."""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from packs.base import JsonObject
from packs.cache import Source, StandIn
from packs.fetch import FetchBlocked
from packs.url.discards import Discard
from packs.url.gates import Candidate
from packs.url.model_relevance import ModelReading
from packs.url.relevance import Passages, Relevance


@dataclass(frozen=True)
class Kept:
    candidate: Candidate
    judged: Relevance
    passages: Passages


@dataclass
class RunState:
    """What has come in so far, in the order of the submitted URLs where it matters."""

    began_at: datetime
    """The run's own clock, from which every log entry has its time."""
    results: dict[str, JsonObject] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    keep: list[Kept] = field(default_factory=list)
    discards: dict[int, Discard] = field(default_factory=dict)
    blocked: list[FetchBlocked] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    degraded: dict[str, StandIn] = field(default_factory=dict)
    """Pages of which an old copy was used, and why."""
    by_model: ModelReading = field(default_factory=ModelReading)
    discarded_at: dict[int, datetime] = field(default_factory=dict)
    blocked_at: list[datetime] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)

    def now(self) -> datetime:
        return self.began_at + timedelta(seconds=time.monotonic() - self._began)

    def discard(self, position: int, discard: Discard) -> None:
        self.discards[position] = discard
        self.discarded_at[position] = self.now()

    def block(self, position: int, error: FetchBlocked, discard: Discard) -> None:
        self.blocked.append(error)
        self.blocked_at.append(self.now())
        self.discard(position, discard)
