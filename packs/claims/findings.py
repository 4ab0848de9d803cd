"""What a check can say about a claim laid over a passage."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Conflict:
    """The passage excludes the claim: both cannot be true."""

    code: str
    claimed: str
    found: str


@dataclass(frozen=True)
class Obstacle:
    """The passage does not say this part of the claim."""

    code: str
    part: str


@dataclass(frozen=True)
class Computation:
    """A figure of the claim that follows from figures of the passage."""

    written: str
    arithmetic: str
    compared: bool = False
    """It is the other side of a comparison: "12 grams less than the Lumo 6" gives the weight of the Lumo 6."""


@dataclass(frozen=True)
class Settled:
    """A word of the claim that arithmetic accounts for: "rose" where the passage only gives two figures."""

    word: str


Finding = Conflict | Obstacle
