"""The rows of the torture: each is a fault of the catalogue, done to real processes, with what was seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.torture.bench import Bench


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


@dataclass(frozen=True)
class Row:
    section: str
    fault: str
    inflict: "Callable[[Bench, Size], Figures]"
    fast: bool


ROWS: list[Row] = []


def row(section: str, fault: str, *, fast: bool = False) -> "Callable[[Inflict], Inflict]":
    """`fast` rows are also tests of `make test`, in the small size."""

    def add(inflict: "Inflict") -> "Inflict":
        ROWS.append(Row(section, fault, inflict, fast))
        return inflict

    return add


Inflict = Callable[["Bench", Size], Figures]
