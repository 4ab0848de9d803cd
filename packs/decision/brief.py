"""The run's inputs, read once into values the other steps share. Knows the schema; knows nothing of scores.

Every value remembers the JSON Pointer it came from: that is what a claim later points to.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from dpp_project.json_pointer import escape
from packs.base import JsonObject
from packs.text.language import Language

Mode = Literal["brief", "full"]
Direction = Literal["higher_is_better", "lower_is_better"]
Scalar = str | int | float | bool

# A context object may nest as it likes; these bound what one run reads of it.
MAX_LEAVES = 2_000
MAX_TEXT_CHARS = 200_000
MAX_DEPTH = 12

_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_LETTER = re.compile(r"[^\W\d_]")
_GAP = re.compile(r"[\s_\-]+")


@dataclass(frozen=True)
class Leaf:
    """One scalar somewhere in the inputs."""

    pointer: str
    path: tuple[str, ...]
    value: Scalar


@dataclass(frozen=True)
class Option:
    name: str
    pointer: str
    description: str = ""
    attributes: Mapping[str, Scalar] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    """Other names that the texts use for it."""


@dataclass(frozen=True)
class Criterion:
    name: str
    pointer: str | None
    """None when the criterion was derived from the options' attributes."""
    weight: Fraction | None = None
    direction: Direction | None = None
    scale: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class Brief:
    question: str
    question_pointer: str
    language: Language
    mode: Mode
    options: tuple[Option, ...]
    criteria: tuple[Criterion, ...]
    context: tuple[Leaf, ...]
    context_truncated: bool
    evidence_urls: tuple[str, ...]
    repeated_options: tuple[str, ...]
    repeated_criteria: tuple[str, ...]
    broken_scales: tuple[str, ...]
    """Criteria whose scale does not rise from min to max; the scale is left out of account."""

    @cached_property
    def option_names(self) -> tuple[tuple[str, ...], ...]:
        """Per option: its name and its other names."""
        return tuple((option.name, *option.aliases) for option in self.options)


def read(inputs: JsonObject) -> Brief:
    """Inputs that passed the schema -> Brief."""
    key = "question" if "question" in inputs else "decision_question"
    question = str(inputs[key])
    options = tuple(_option(index, given) for index, given in enumerate(inputs.get("options", ())))
    criteria, repeated, broken = _criteria(inputs.get("criteria", ()))
    leaves, truncated = _bounded_leaves(inputs["context"]) if "context" in inputs else ((), False)
    return Brief(
        question=question,
        question_pointer=f"/{key}",
        language=inputs.get("language") or detect_language(question),
        mode=inputs.get("mode", "brief"),
        options=options,
        criteria=criteria or _derived_criteria(options),
        context=leaves,
        context_truncated=truncated,
        evidence_urls=tuple(inputs.get("evidence_urls", ())),
        repeated_options=_repeated(option.name for option in options),
        repeated_criteria=repeated,
        broken_scales=broken,
    )


def detect_language(text: str) -> Language:
    """Korean as soon as a fifth of the letters are Hangul: Korean questions are full of Latin product
    names.
    """
    letters = len(_LETTER.findall(text))
    return "ko" if letters and len(_HANGUL.findall(text)) * 5 >= letters else "en"


def normalise(name: str) -> str:
    """`On-Site_Support` and `on site support` are one name."""
    return _GAP.sub(" ", unicodedata.normalize("NFKC", name).casefold()).strip()


def exact(number: int | float) -> Fraction:
    """The number as it was written, not its binary neighbour: 0.1 is a tenth."""
    return Fraction(str(number))


def _option(index: int, given: str | JsonObject) -> Option:
    pointer = f"/options/{index}"
    if isinstance(given, str):
        return Option(name=given, pointer=pointer)
    return Option(
        name=given["name"],
        pointer=pointer,
        description=given.get("description", ""),
        attributes=dict(given.get("attributes", {})),
    )


def _criteria(
    given: list[str | JsonObject],
) -> tuple[tuple[Criterion, ...], tuple[str, ...], tuple[str, ...]]:
    """A criterion named twice would count twice: the first one stands."""
    kept: dict[str, Criterion] = {}
    repeated: list[str] = []
    broken: list[str] = []
    for index, item in enumerate(given):
        entry: JsonObject = {"name": item} if isinstance(item, str) else item
        name = entry["name"]
        if normalise(name) in kept:
            repeated.append(name)
            continue
        scale = _scale(entry.get("scale"))
        if "scale" in entry and scale is None:
            broken.append(name)
        kept[normalise(name)] = Criterion(
            name=name,
            pointer=f"/criteria/{index}",
            weight=exact(entry["weight"]) if "weight" in entry else None,
            direction=entry.get("direction"),
            scale=scale,
        )
    return tuple(kept.values()), tuple(repeated), tuple(broken)


def _scale(given: JsonObject | None) -> tuple[Fraction, Fraction] | None:
    if given is None:
        return None
    low, high = exact(given["min"]), exact(given["max"])
    return (low, high) if low < high else None


def _derived_criteria(options: tuple[Option, ...]) -> tuple[Criterion, ...]:
    """Attributes that at least two options have, in the order in which they were first written."""
    first_spelling: dict[str, str] = {}
    seen: dict[str, int] = {}
    for option in options:
        for spelling in {normalise(key): key for key in option.attributes}.items():
            first_spelling.setdefault(*spelling)
            seen[spelling[0]] = seen.get(spelling[0], 0) + 1
    shared = [name for name in first_spelling if seen[name] >= 2]
    return tuple(Criterion(name=first_spelling[name], pointer=None) for name in shared)


def _repeated(names: Iterator[str]) -> tuple[str, ...]:
    seen: set[str] = set()
    repeated: list[str] = []
    for name in names:
        if normalise(name) in seen:
            repeated.append(name)
        seen.add(normalise(name))
    return tuple(repeated)


def _bounded_leaves(context: Any) -> tuple[tuple[Leaf, ...], bool]:
    leaves: list[Leaf] = []
    chars = 0
    for leaf in walk(context, "/context"):
        chars += len(leaf.value) if leaf is not None and isinstance(leaf.value, str) else 0
        if leaf is None or len(leaves) == MAX_LEAVES or chars > MAX_TEXT_CHARS:
            return tuple(leaves), True
        leaves.append(leaf)
    return tuple(leaves), False


def walk(value: Any, pointer: str, path: tuple[str, ...] = ()) -> Iterator[Leaf | None]:
    """Every scalar below `value`, in the order given; None stands for a branch that is too deep to read."""
    if isinstance(value, str | bool | int | float):
        yield Leaf(pointer=pointer, path=path, value=value)
    elif value is not None and len(path) >= MAX_DEPTH:
        yield None
    elif isinstance(value, Mapping):
        for key, below in value.items():
            yield from walk(below, f"{pointer}/{escape(key)}", (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from walk(below, f"{pointer}/{index}", (*path, str(index)))
