"""The rows of the torture: each is a fault of the catalogue, done to real processes, with what was seen."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.torture.bench import Bench

HISTORIES_AT_ONCE = 100


@dataclass(frozen=True)
class Size:
    """How much of everything: small within `make test`, large in `make torture`."""

    kills: int
    live_runs: int
    rounds: int
    histories: int
    first_seed: int = 1


SMALL = Size(kills=1, live_runs=12, rounds=50, histories=3)
LARGE = Size(kills=20, live_runs=200, rounds=1_000, histories=2_000)


@dataclass(frozen=True)
class Figures:
    tries: int
    healed_sec: float
    """The slowest of all tries, from the fault (or its end) to: every run ended, Redis = PostgreSQL."""


def in_one_piece(size: Size) -> list[Size]:
    return [size]


def by_histories(size: Size) -> list[Size]:
    """Seeds are independent of each other: any lane can live through any of them."""
    ends = size.first_seed + size.histories
    return [
        replace(size, first_seed=seed, histories=min(HISTORIES_AT_ONCE, ends - seed))
        for seed in range(size.first_seed, ends, HISTORIES_AT_ONCE)
    ]


@dataclass(frozen=True)
class Row:
    section: str
    fault: str
    inflict: "Callable[[Bench, Size], Figures]"
    fast: bool
    parts: Callable[[Size], list[Size]]


ROWS: list[Row] = []


def row(
    section: str, fault: str, *, fast: bool = False, parts: Callable[[Size], list[Size]] = in_one_piece
) -> "Callable[[Inflict], Inflict]":
    """`fast` rows are also tests of `make test`, in the small size. `parts` may be inflicted at the same time."""

    def add(inflict: "Inflict") -> "Inflict":
        ROWS.append(Row(section, fault, inflict, fast, parts))
        return inflict

    return add


Inflict = Callable[["Bench", Size], Figures]


@dataclass(frozen=True)
class Verdict:
    """What was seen of a row, or of a part of it."""

    section: str
    fault: str
    tries: int = 0
    healed_sec: float = 0.0
    drift: int = 0
    seconds: float = 0.0
    failure: str = ""

    @property
    def line(self) -> str:
        verdict = "FAILED" if self.failure else "green"
        return f"| {self.section} | {self.fault} | {self.tries} | {self.healed_sec:.1f} s | {self.drift} | {verdict} |"


def together(parts: Iterable[Verdict]) -> Verdict:
    """The parts of one row as one: the slowest healing counts, and one failure is a failure."""
    first, *others = parts
    for part in others:
        first = replace(
            first,
            tries=first.tries + part.tries,
            healed_sec=max(first.healed_sec, part.healed_sec),
            drift=first.drift + part.drift,
            seconds=first.seconds + part.seconds,
            failure="\n".join(filter(None, (first.failure, part.failure))),
        )
    return first


def as_table(verdicts: Iterable[Verdict]) -> str:
    head = ("| section | fault | tries | healed within | drift, micros | verdict |", "|---|---|---|---|---|---|")
    return "\n".join((*head, *(verdict.line for verdict in verdicts))) + "\n"
