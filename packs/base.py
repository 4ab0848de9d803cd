"""What a pack is, and everything it is given.

A pack is a value: a name, an input schema, a function. The worker calls `execute(inputs, context)`; the context
is the pack's only way to the world. A pack never touches the run, the ledger, the database or object storage.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from dpp_project.money import Micros
from dpp_project.work_queues import Work

JsonObject = dict[str, Any]


class Meter(Protocol):
    """Spends the run's reservation. Prices are in `dpp_project.prices`; a pack names things, never amounts."""

    @property
    def spent(self) -> Micros: ...

    def base(self, item: str) -> None:
        """Charge a pack's base price once. Submit has made sure that the reservation covers it."""

    def fits(self, items: Mapping[str, int]) -> bool:
        """Whether all of this could still be paid, for work whose exact amount is known only afterwards."""

    def spend(self, item: str, quantity: int = 1) -> None:
        """Charge before the work is done. Raises `BudgetCapReached`, charging nothing, if it would not fit."""

    def set_aside(self, item: str) -> None:
        """Keep one item's price for work that is paid for when it is delivered. Raises `BudgetCapReached`."""

    def charge_set_aside(self, item: str) -> None:
        """It was delivered."""

    def waive(self, item: str, reason: str) -> None:
        """It was not delivered: what was set aside is free again, and the bill says why the item costs nothing."""


class Deadline(Protocol):
    """The run's timebox."""

    def remaining_sec(self) -> float: ...

    def check(self) -> None:
        """Raise `TimeboxExceeded` once the time is up."""


class Checkpoint(Protocol):
    """Called between steps: publishes progress, then raises if the run must stop (cancel, lost lease, time)."""

    def __call__(self, stage: str, progress: float, **detail: str | int) -> None: ...


@dataclass(frozen=True)
class PackContext:
    """All a pack may use. Frozen: a pack cannot leave anything behind for the next run."""

    tenant_id: str
    now: datetime
    deadline: Deadline
    meter: Meter
    checkpoint: Checkpoint
    log: logging.Logger
    services: Mapping[str, Any] = field(default_factory=dict)
    """Further protocols by name (`fetcher`, `cache`, `llm`, `objects`): absent when not configured."""


@dataclass(frozen=True)
class Artifact:
    """A file the run leaves beside its envelope."""

    name: str
    mime: str
    body: bytes


@dataclass(frozen=True)
class PackResult:
    data: JsonObject
    reliability: float
    """0-1: how far the answer is supported by what was given; compared with `min_reliability_score`."""
    artifacts: tuple[Artifact, ...] = ()
    discard_log: tuple[JsonObject, ...] = ()
    blocked_log: tuple[JsonObject, ...] = ()
    cache: JsonObject = field(default_factory=dict)
    tokens_consumed: int = 0
    budget_cap_reached: bool = False
    warnings: tuple[tuple[str, str], ...] = ()
    """Code and text of what a reader should know at once and neither `data["open"]` nor `discard_log` says."""
    nothing_delivered: str = ""
    """Why not even a part of what was asked for could be delivered: the run fails, for the minimum fee."""
    undecided: bool = False
    """A decision was asked for and none could be made: the result is delivered, for no more than the minimum fee."""

    def logs_only(self) -> "PackResult":
        """What may be shown of a result that is not delivered: what was refused, what discarded, how reliable it is."""
        return PackResult({}, reliability=self.reliability, discard_log=self.discard_log, blocked_log=self.blocked_log)


UrlCheck = Callable[[str], str | None]
"""Why a URL may never be fetched, told from its text alone; None if it may be tried."""


@dataclass(frozen=True)
class InputError:
    pointer: str
    """RFC 6901 JSON Pointer into the request body."""
    detail: str


# The most of a request's body and of its inputs, unless a pack says otherwise.
MAX_BODY_BYTES = 1_048_576
MAX_VALUES = 10_000


@dataclass(frozen=True)
class Estimate:
    """Items of the price list and how many of each; reports are not part of it."""

    least: Mapping[str, int]
    """Of the smallest result. A limit below it is refused at submit."""
    likely: Mapping[str, int]
    """If everything that was named comes, is ordinary, and is new to the cache."""
    worst: Mapping[str, int]
    model_calls: int = 0
    """At most so many questions to a language model, where one is configured; each may be repaired once."""

    @classmethod
    def fixed(cls, item: str, *, model_calls: int = 0) -> "Estimate":
        """For a pack that costs the same whatever the inputs."""
        return cls({item: 1}, {item: 1}, {item: 1}, model_calls)


@dataclass(frozen=True)
class Pack:
    name: str
    title: str
    input_schema: JsonObject
    """JSON Schema 2020-12 of `inputs`; checked at submit, before any money moves."""
    prices: tuple[str, ...]
    """The items of the price list this pack may spend."""
    execute: Callable[[JsonObject, PackContext], PackResult]
    estimate: Callable[[JsonObject], "Estimate"]
    """What a run with these inputs may spend, told before it is paid for."""
    features: Callable[[JsonObject], frozenset[str]] = lambda inputs: frozenset()
    """What these inputs need that an operator can switch off (`fetch_external`, `ocr_p2b`)."""
    work: Work = Work.QUICK
    """Which runs it shares worker slots with. Quick work that names web pages is fetching work."""
    refuse: Callable[[JsonObject, UrlCheck], list[InputError]] | None = None
    """What a schema cannot say (a URL that may never be fetched); asked at submit. It gets the members that fit the
    schema: where others do not, a required one may be missing."""
    max_body_bytes: int = MAX_BODY_BYTES
    """Of a whole request. What goes beyond `MAX_BODY_BYTES` must be base64."""
    is_deterministic: bool = False
    """The same inputs give the same bytes on every machine, unless they name pages or a model takes part."""
    max_values: int = MAX_VALUES
    """Of the inputs: strings, numbers, lists and so on, in all. Counted before the schema is asked."""


# The feature of whatever asks other people's web sites.
FETCHES = "fetch_external"


def needed_features(pack: Pack, inputs: JsonObject, *, docx: bool) -> frozenset[str]:
    """All that a request needs and an operator can switch off."""
    return pack.features(inputs) | (frozenset({"docx_artifact"}) if docx else frozenset())


class PackError(Exception):
    """The pack could not do its work. `detail` is shown to the owner: it names no internals."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class BudgetCapReached(Exception):
    """The next step would cost more than is left of the reservation: stop and return what there is."""


class StopRun(Exception):
    """The run must stop now. Packs let it pass; one that has something to tell adds what it found so far."""

    found: PackResult | None = None
    """Logs for the envelope of the failure, nothing that would have to be paid for."""


class TimeboxExceeded(StopRun):
    """The run's timebox is over."""


class Cancelled(StopRun):
    """The owner asked to cancel."""


class LeaseLost(StopRun):
    """Another actor has ended the run; nothing more may be written."""
