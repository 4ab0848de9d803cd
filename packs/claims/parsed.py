"""A sentence taken apart, in one form for both languages: words with kind and role, figures, dates, clauses."""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from packs.text.bounds import Bound
from packs.text.dates import DateSpan


class Kind(StrEnum):
    NAME = "name"
    """A proper name, or a label with digits (version 3.8, BBB): it stands for exactly one thing."""
    NOUN = "noun"
    VERB = "verb"
    QUALITY = "quality"
    """Adjectives and adverbs."""


class Role(StrEnum):
    SUBJECT = "subject"
    OBJECT = "object"
    TOPIC = "topic"
    """Korean 은/는: subject or object, only the rest of the clause can tell."""
    OF = "of"
    FROM = "from"
    TO = "to"
    THAN = "than"
    CAUSE = "cause"
    WITH = "with"
    PLACE = "place"
    OTHER = "other"
    PREDICATE = "predicate"


class Mood(StrEnum):
    """How firmly a clause is said. Ordered from firm to loose by `FIRMNESS`."""

    STATED = "stated"
    EXPECTED = "expected"
    POSSIBLE = "possible"
    CONDITIONAL = "conditional"
    REQUIRED = "required"


@dataclass(frozen=True)
class Word:
    text: str
    lemma: str
    kind: Kind
    role: Role
    start: int
    end: int
    clause: int
    negated: bool = False
    head: int = -1
    """Where the noun stands that this word describes: `jacket` for `black` in "a black jacket"; -1 for none."""
    attached: int = -1
    """Where the noun stands that a preposition hangs this word on: `woman` for `hat` in "a woman in a hat"."""


@dataclass(frozen=True)
class Figure:
    """A quantity of the sentence, with the clause it stands in and its role there."""

    text: str
    low: Decimal
    high: Decimal
    unit: str
    per: str
    bound: Bound
    approximate: bool
    start: int
    end: int
    clause: int = 0
    role: Role = Role.OTHER

    @property
    def is_range(self) -> bool:
        return self.low != self.high


@dataclass(frozen=True)
class Clause:
    index: int
    start: int
    end: int
    mood: Mood = Mood.STATED
    main: bool = True
    """False for relative, causal, conditional and temporal clauses: what they say is not what the sentence asserts."""
    link: str = ""
    """`because`, `if`, `before`, `after`, `until`: how it hangs on the sentence."""


@dataclass(frozen=True)
class Parsed:
    text: str
    language: str
    words: tuple[Word, ...]
    figures: tuple[Figure, ...]
    dates: tuple[DateSpan, ...]
    clauses: tuple[Clause, ...]
    quantifiers: tuple[tuple[str, int], ...] = ()
    """Class (`all`, `most`, `some`, `few`, `none`, `only`, `half`) and place of each quantifier."""
    marks: frozenset[str] = field(default_factory=frozenset)
    """`now`, `already`, `total`, `rest` …: small words that decide how figures are compared."""

    pronouns: tuple[Word, ...] = ()
    """`it`, `they`, `her` …, each with the role of what it stands for."""

    @property
    def quantified(self) -> set[str]:
        return {name for name, _ in self.quantifiers}

    def clause_of(self, word: Word) -> Clause | None:
        return next((clause for clause in self.clauses if clause.index == word.clause), None)

    def clause_words(self, index: int) -> tuple[Word, ...]:
        return tuple(word for word in self.words if word.clause == index)
