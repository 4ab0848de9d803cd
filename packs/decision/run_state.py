"""Values shared by the steps that turn a weighing into the run's `data`: the outcome itself and how
numbers look.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from packs.base import JsonObject
from packs.decision.brief import Brief
from packs.decision.cells import Basis, Cell, Column, Table
from packs.decision.conditions.checks import Check, failed_options, unknown_options
from packs.decision.conditions.model import Reading as Conditions
from packs.decision.evidence import Evidence, Material, quotation
from packs.decision.phrases import say
from packs.decision.readings import verbatim
from packs.decision.weigh import Weighing
from packs.decision.weights_in_words import SpokenWeights
from packs.decision.yes_no import Ruled


@dataclass(frozen=True)
class Outcome:
    """Material, scores and their weighing: all that the texts and ledgers are written from."""

    material: Material
    columns: tuple[Column, ...]
    weighing: Weighing
    table: Table
    checks: tuple[Check, ...] = ()
    reading: Conditions = field(default_factory=Conditions)
    findings: tuple[JsonObject, ...] = ()
    """What the law says of the material, each finding with the pointer of the text it is about."""
    spoken: SpokenWeights | None = None
    frame: str = "given"
    """Where the options come from: `given`, `named` (in the question), `yes_no`, or `none`."""
    ruled: Ruled | None = None
    """The rule that answered a yes-or-no question."""
    read_by_model: int = 0
    """How many of the values, conditions and names a language model found in the unread sentences."""

    @property
    def brief(self) -> Brief:
        return self.material.brief

    @property
    def winner(self) -> int | None:
        return self.weighing.winner

    @property
    def rival(self) -> int | None:
        """The option next to the winner."""
        return self.weighing.rival

    @property
    def failed(self) -> dict[int, list[Check]]:
        return failed_options(self.checks)

    @property
    def unknown(self) -> dict[int, list[Check]]:
        return unknown_options(self.checks)

    def name(self, option: int | None) -> str | None:
        return None if option is None else self.brief.options[option].name

    def say(self, key: str, **values: str) -> str:
        return say(self.brief.language, key, **values)

    def reason(self, cell: Cell) -> str:
        if cell.gap is not None:
            return self.say(f"reason_{cell.gap}", value=shown(cell))
        if cell.basis is Basis.TEXT:
            return self.say("reason_text_for" if cell.score > 50 else "reason_text_against")
        return self.say(f"reason_{cell.basis}", value=shown(cell))


@dataclass(frozen=True)
class Claim:
    text: str
    kind: str
    """`fact`: what was given, in its own words. `interpretation`: what follows for one criterion.
    `conclusion`: what follows from all of them."""
    evidence: tuple[Evidence, ...]

    def as_json(self) -> JsonObject:
        return {
            "text": self.text,
            "kind": self.kind,
            "evidence": [cited.as_json() for cited in self.evidence],
        }


def shown(cell: Cell) -> str:
    """The caller's value for people to read: unchanged, and never more of it than a quotation may be."""
    return "" if cell.value is None else quotation(verbatim(cell.value))


def points(score: Fraction) -> float:
    """A score as JSON carries it: one decimal place."""
    return float(round(score, 1))


def points_text(score: Fraction) -> str:
    return f"{points(score):.1f}".removesuffix(".0")


def share(value: Fraction) -> float:
    return float(round(value, 4))


def percent_text(value: Fraction) -> str:
    return points_text(value * 100)


def listed(names: Sequence[str]) -> str:
    return ", ".join(names)
