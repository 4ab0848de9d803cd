"""The words the pack knows, read once from `lexicon.toml`."""

import re
import tomllib
from importlib.resources import files
from typing import Any

_LEXICON: dict[str, Any] = tomllib.loads((files(__package__) / "lexicon.toml").read_text(encoding="utf-8"))

ENGLISH_STOP = frozenset(_LEXICON["stop"]["en"].split())
KOREAN_STOP = frozenset(_LEXICON["stop"]["ko"].split())


def _longest_first(words: str) -> tuple[str, ...]:
    return tuple(sorted(words.split(), key=lambda word: (-len(word), word)))


KOREAN_ENDINGS = _longest_first(_LEXICON["endings"]["ko"])
ENGLISH_ENDINGS = _longest_first(_LEXICON["endings"]["en"])

UNIT_OF: dict[str, str] = {name: unit for unit, names in _LEXICON["units"].items() for name in names.split()}
UNIT_NOT_BEFORE: dict[str, str] = dict(_LEXICON["units_not_before"])

OPPOSITES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = tuple(
    (tuple(pair["one"].split()), tuple(pair["other"].split())) for pair in _LEXICON["opposites"]
)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(_LEXICON["patterns"][name].strip().splitlines()), re.IGNORECASE)


VAGUE_WORDS = _pattern("vague_words")
HEDGES = _pattern("hedges")
SHOUTING = _pattern("shouting")
DOUBLE_NEGATIVES = _pattern("double_negatives")
NOBODY_IN_PARTICULAR = _pattern("nobody_in_particular")
NEGATION = _pattern("negation")
