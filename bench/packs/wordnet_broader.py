"""Writes `packs/claims/words/broader.txt.gz`: `python -m bench.packs.wordnet_broader FOLDER`, the files of WordNet 3.1.

One line per word: its part of speech, the word, then the words that hold it, nearest first (`n spaniel dog animal`).
A word is read in its main senses only, and so is the broader one. Behind `~` stand words of another part of speech with
the same root sense (sale and sell, growth and grow); behind `%` the name an adjective comes from (Danish, Denmark).
"""

import gzip
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

OUT = Path("packs/claims/words/broader.txt.gz")
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_WORD = re.compile(r"[a-z]{3,20}")
_PHRASE = re.compile(r"[a-z]{2,12}_(?:up|down|in|out|off|on|over|away|back|forward)")
# How far up a broader word may stand, and the senses of either word that count.
_FAR = {"n": 6, "v": 2, "a": 1, "r": 0}
_SENSES = {"n": 2, "v": 2, "a": 2, "r": 1}
# A second sense counts from a third of the first one's occurrences.
_SECOND = 3
# What holds everything says nothing.
_EMPTY = frozenset((
    "entity", "object", "whole", "matter", "thing", "unit", "abstraction", "attribute", "act", "move", "change",
    "state", "event", "cause", "instrumentality", "relation", "measure", "artifact", "content", "set", "part", "have",
    "make", "be", "travel", "communicate", "interact", "get", "tell", "think", "property", "quality", "cognition",
))  # fmt: skip


@dataclass
class Synset:
    words: list[str]
    parents: list[str] = field(default_factory=list)
    derived: list[tuple[int, str, str, int]] = field(default_factory=list)
    named: list[tuple[int, str, int]] = field(default_factory=list)


def _read(folder: Path) -> tuple[dict[tuple[str, str], Synset], dict[tuple[str, str], list[str]]]:
    synsets: dict[tuple[str, str], Synset] = {}
    senses: dict[tuple[str, str], list[str]] = {}
    for part, name in PARTS.items():
        for line in (folder / f"index.{name}").read_text(encoding="utf-8").split("\n"):
            if line and not line.startswith(" "):
                fields = line.split()
                senses[part, fields[0]] = fields[-int(fields[2]) :]
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").split("\n"):
            if not line or line.startswith(" "):
                continue
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            read = Synset([re.sub(r"\(.*\)$", "", fields[4 + 2 * place]) for place in range(count)])
            at = 4 + 2 * count + 1
            for pointer in range(int(fields[at - 1])):
                symbol, target, other, places = fields[at + 4 * pointer : at + 4 * pointer + 4]
                if symbol in ("@", "@i") or (symbol == "&" and fields[2] == "s"):
                    read.parents.append(target)
                elif symbol == "+":
                    other = "a" if other == "s" else other
                    read.derived.append((int(places[:2], 16), other, target, int(places[2:], 16)))
                elif symbol == "\\" and other == "n":
                    read.named.append((int(places[:2], 16), target, int(places[2:], 16)))
            synsets[part, fields[0]] = read
    return synsets, senses


def _counts(folder: Path) -> dict[tuple[str, str], dict[str, int]]:
    """How often a word occurs in the tagged texts, by synset."""
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for line in (folder / "index.sense").read_text(encoding="utf-8").split("\n"):
        if line:
            key, synset, _, count = line.split()
            word, _, rest = key.partition("%")
            counts["?nvara"[int(rest[0])], word][synset] = int(count)
    return counts


def _kept(word: str, part: str) -> bool:
    return bool(_WORD.fullmatch(word)) or (part == "v" and bool(_PHRASE.fullmatch(word)))


def _lines(folder: Path) -> list[str]:
    synsets, senses = _read(folder)
    counts = _counts(folder)

    def main_sense(part: str, word: str, synset: str, limit: int) -> bool:
        return synset in senses.get((part, word.lower()), [])[:limit]

    lines = []
    for (part, word), places in sorted(senses.items()):
        if not _kept(word, part):
            continue
        broader: dict[str, None] = {}
        for sense, synset in enumerate(places[: _SENSES[part]]):
            seen = counts[part, word]
            if sense and seen.get(synset, 0) * _SECOND < seen.get(places[0], 0) + 1:
                break
            level = [synset]
            for far in range(1, _FAR[part] + 1):
                level = [parent for each in level for parent in synsets[part, each].parents]
                for each in level:
                    for other in synsets[part, each].words:
                        near = main_sense(part, other, each, 1 if sense or far > 3 else 2)
                        if (
                            near
                            and _kept(other, part)
                            and other not in _EMPTY
                            and other != word
                            and any(counts[part, other].values())
                        ):
                            broader[other] = None
        derived: dict[str, None] = {}
        for synset in places[:2]:
            for mine, kind, target, theirs in synsets[part, synset].derived:
                if mine and synsets[part, synset].words[mine - 1].lower() == word:
                    other = synsets[kind, target].words[theirs - 1]
                    if _kept(other, kind) and main_sense(kind, other, target, 2):
                        derived[f"{kind}:{other}"] = None
        if broader or derived:
            lines.append(" ".join([part, word, *broader, *(f"~{each}" for each in derived)]))
    for (part, _), adjective in sorted(synsets.items(), key=lambda pair: pair[0]):
        for mine, target, theirs in adjective.named:
            one = adjective.words[mine - 1]
            if part == "a" and one[:1].isupper() and one.isalpha():
                name = synsets["n", target].words[theirs - 1]
                if name.isalpha():
                    lines.append(f"a {one} %{name}")
    return sorted(set(lines))


def main() -> None:
    text = "\n".join(
        ["# Made by bench/packs/wordnet_broader.py from WordNet 3.1, whose licence is in wordnet.LICENSE.",
         *_lines(Path(sys.argv[1]))]
    )  # fmt: skip
    OUT.write_bytes(gzip.compress(text.encode() + b"\n", mtime=0))


if __name__ == "__main__":
    main()
