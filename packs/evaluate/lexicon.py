"""The words the pack knows, read once from `lexicon.toml`."""

import re
import tomllib
from importlib.resources import files
from typing import Any

_LEXICON: dict[str, Any] = tomllib.loads((files(__package__) / "lexicon.toml").read_text(encoding="utf-8"))


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(_LEXICON["patterns"][name].strip().splitlines()), re.IGNORECASE)


VAGUE_WORDS = _pattern("vague_words")
HEDGES = _pattern("hedges")
SHOUTING = _pattern("shouting")
DOUBLE_NEGATIVES = _pattern("double_negatives")
NOBODY_IN_PARTICULAR = _pattern("nobody_in_particular")
