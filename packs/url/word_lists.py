"""The word lists of `data/`: stop words, general words, and the Korean-English dictionary of common terms."""

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable

import justext  # type: ignore[import-untyped]

from packs.text.morphemes import english_lemma

Spellings = tuple[tuple[str, ...], ...]
"""Alternatives, each a row of words that stand together."""

_OTHER_LANGUAGES = ("German", "French", "Spanish", "Italian", "Portuguese", "Dutch")
# Those lists are sorted by frequency; the beginning holds what carries no subject.
_FIRST_WORDS = 200
_MAX_STOP_WORD_CHARS = 6


@functools.cache
def stop_words() -> frozenset[str]:
    return frozenset(_listed()["english"]["stop"].split())


@functools.cache
def general_words() -> frozenset[str]:
    return frozenset(_listed()["english"]["general"].split())


@functools.cache
def korean_stop_words() -> frozenset[str]:
    return frozenset(_listed()["korean"]["stop"].split())


@functools.cache
def korean_general_words() -> frozenset[str]:
    return frozenset(_listed()["korean"]["general"].split())


@functools.cache
def other_stop_words() -> frozenset[str]:
    """Of the other usual languages in Latin script, from the lists that the text extraction brings along."""
    folder = resources.files(justext) / "stoplists"
    lists = [(folder / f"{name}.txt").read_text(encoding="utf-8").split() for name in _OTHER_LANGUAGES]
    words = {word.strip("().,").lower() for listed in lists for word in listed[:_FIRST_WORDS]}
    return frozenset(word for word in words if len(word) <= _MAX_STOP_WORD_CHARS) - general_words()


@functools.cache
def english_of() -> Mapping[str, Spellings]:
    """Korean term -> its English spellings, in dictionary forms."""
    found: dict[str, Spellings] = {}
    for line in (_data() / "korean_english.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            korean, _, english = line.partition(" ")
            found[korean] = tuple(_dictionary_forms(phrase) for phrase in english.split(","))
    return found


@functools.cache
def korean_of() -> Mapping[str, Spellings]:
    """English word or phrase -> the Korean terms that stand for it. One syllable alone stands for too much."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for korean, spellings in english_of().items():
        for words in spellings:
            if len(korean) > 1:
                found.setdefault(" ".join(words), []).append((korean,))
    return {english: tuple(korean) for english, korean in found.items()}


def _dictionary_forms(phrase: str) -> tuple[str, ...]:
    return tuple(english_lemma(word) for word in phrase.split() if word not in stop_words() or phrase == word)


@functools.cache
def _listed() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((_data() / "common_words.toml").read_text(encoding="utf-8"))


def _data() -> Traversable:
    return resources.files("packs.url") / "data"
