"""What a condition is, once it has been read, and what was not read."""

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

from packs.decision.evidence import Evidence
from packs.text.bounds import Bound
from packs.text.dates import DateSpan
from packs.text.quantities import Quantity

if TYPE_CHECKING:
    from packs.decision.conditions.option_statements import OptionStatement

Kind = Literal["limit", "deadline", "required", "value", "excluded", "law"]


@dataclass(frozen=True)
class Constraint:
    kind: Kind
    evidence: Evidence
    subject: str = ""
    """The attribute it is about, as the options call it; empty when none was found."""
    words: str = ""
    """The sentence, to find facts about it in prose."""
    limit: Quantity | None = None
    bound: Bound = ""
    day: date | None = None
    """For a deadline: the last day (`at_most`) or the first day (`at_least`) that is allowed."""
    clock: int | None = None
    """For a deadline: the time on that day, in minutes after midnight."""
    wanted: bool = True
    """For a requirement or a value: whether it has to be there or must not be."""
    values: tuple[str, ...] = ()
    """For a value: the words of which one has to be there, or none may be."""
    options: tuple[int, ...] = ()
    """For an exclusion by name."""


@dataclass(frozen=True)
class Unread:
    """A sentence that was not turned into anything typed."""

    pointer: str
    text: str
    binding: bool
    """It states a condition: the recommendation is not safe before somebody has read it."""


@dataclass(frozen=True)
class Sentence:
    text: str
    pointer: str
    hard: bool = False
    """Its place makes it hard (an entry of `constraints`), whatever its words."""
    key: str = ""
    about: int | None = None


@dataclass
class Reading:
    constraints: list[Constraint] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    instructions: list[str] = field(default_factory=list)
    """Pointers of texts that address the reader; nothing of them is followed."""
    earliest: dict[int, list[tuple[DateSpan, Evidence]]] = field(default_factory=dict)
    """Per option: days before which prose says it cannot begin."""
    statements: list["OptionStatement"] = field(default_factory=list)
    """What prose says of options, several at once among them."""

    @property
    def binding(self) -> list[Unread]:
        return [each for each in self.unread if each.binding]
