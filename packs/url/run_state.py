"""What a url run has found so far."""

from dataclasses import dataclass, field

from packs.base import JsonObject
from packs.cache import Source
from packs.fetch import FetchBlocked
from packs.url.discards import Discard
from packs.url.gates import Candidate
from packs.url.relevance import Passages, Relevance


@dataclass(frozen=True)
class Kept:
    candidate: Candidate
    judged: Relevance
    passages: Passages


@dataclass
class RunState:
    """What has come in so far, in the order of the submitted URLs where it matters."""

    results: dict[str, JsonObject] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    keep: list[Kept] = field(default_factory=list)
    discards: dict[int, Discard] = field(default_factory=dict)
    blocked: list[FetchBlocked] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    degraded: set[str] = field(default_factory=set)
