"""Writes `packs/claims/words/wordnet.txt` from the files of WordNet 3.1: `python -m bench.packs.wordnet FOLDER`.

Words stand for each other in their main sense only: a synset joins two words when it is the first sense of one and at
most the second of the other, by the order of the index, and one of them occurs in the tagged texts. Antonyms follow the
same limits. Names, words with digits and phrases other than a verb with its particle are left out.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

OUT = Path("packs/claims/words/wordnet.txt")
NOTICE = Path(__file__).parents[2] / "packs" / "claims" / "words" / "wordnet.LICENSE"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_WORD = re.compile(r"[a-z]{3,20}")
_PHRASE = re.compile(r"[a-z]{2,12}_(?:up|down|in|out|off|on|over|away|back|forward)")
_FARTHEST = 3


def _counted(folder: Path, part: str) -> set[str]:
    """The words that occur in the tagged texts."""
    keys = (line.split(" ")[0] for line in (folder / "cntlist.rev").read_text(encoding="utf-8").split("\n"))
    return {key.split("%")[0] for key in keys if "%" in key and "?nvara"[int(key.split("%")[1][0])] == part}


def _ranks(folder: Path, name: str) -> dict[str, list[str]]:
    """Word -> its synsets, the commonest sense first."""
    ranks = {}
    for line in (folder / f"index.{name}").read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith(" "):
            fields = line.split()
            ranks[fields[0]] = fields[-int(fields[2]) :]
    return ranks


def _rank(ranks: dict[str, list[str]], word: str, synset: str) -> int:
    places = ranks.get(word, [])
    return places.index(synset) + 1 if synset in places else 99


def _kept(word: str, part: str) -> bool:
    return bool(_WORD.fullmatch(word)) or (part == "v" and bool(_PHRASE.fullmatch(word)))


def _rows(folder: Path, part: str) -> Iterator[tuple[str, str, str]]:
    """Pairs of words: (`=` or `!`, one, other)."""
    name = PARTS[part]
    ranks, seen = _ranks(folder, name), _counted(folder, part)
    synsets: dict[str, list[str]] = {}
    opposites: list[tuple[str, int, str, int]] = []
    for line in (folder / f"data.{name}").read_text(encoding="utf-8").split("\n"):
        if not line or line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        words = [re.sub(r"\(.*\)$", "", fields[4 + 2 * place]) for place in range(count)]
        synsets[fields[0]] = words
        at = 4 + 2 * count + 1
        for pointer in range(int(fields[at - 1])):
            symbol, target, _, places = fields[at + 4 * pointer : at + 4 * pointer + 4]
            if symbol == "!":
                opposites.append((fields[0], int(places[:2], 16), target, int(places[2:], 16)))
    for synset, words in synsets.items():
        kept = sorted({word for word in words if _kept(word, part)})
        for place, one in enumerate(kept):
            for other in kept[place + 1 :]:
                if seen & {one, other} and _rank(ranks, one, synset) + _rank(ranks, other, synset) <= _FARTHEST:
                    yield "=", one, other
    for first, mine, second, theirs in opposites:
        one, other = synsets[first][mine - 1], synsets[second][theirs - 1]
        near = _rank(ranks, one, first) + _rank(ranks, other, second) <= _FARTHEST
        if one < other and near and _kept(one, part) and _kept(other, part):
            yield "!", one, other


def main() -> None:
    folder = Path(sys.argv[1])
    lines = ["# Made by bench/packs/wordnet.py from WordNet 3.1, whose licence is in wordnet.LICENSE.",
             "# Part of speech, then = (the same) or ! (the opposite), then two words."]  # fmt: skip
    for part in PARTS:
        lines += sorted({f"{part}{sign} {one} {other}" for sign, one, other in _rows(folder, part)})
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    licence = [line[4:].rstrip() for line in (folder / "data.noun").read_text(encoding="utf-8").split("\n")[:29]]
    NOTICE.write_text("\n".join(licence).strip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
