"""How far a reading is from the known text. Exact edit distances, bit-parallel, so that a page takes milliseconds."""

import re

from packs.ocr.reading.marks import DOUBTFUL_MARK


def error_rate(truth: str, reading: str) -> float:
    """Wrong, missing and surplus characters per character of the truth, blanks not counted."""
    wanted, got = ("".join(text.split()) for text in (truth, likeliest(reading)))
    return distance(wanted, got) / len(wanted)


def error_rate_with_spaces(truth: str, reading: str) -> float:
    wanted, got = (" ".join(text.split()) for text in (truth, likeliest(reading)))
    return distance(wanted, got) / len(wanted)


def lost_lines(truth: str, reading: str) -> list[str]:
    """Lines of which not even half can be found anywhere in the reading."""
    got = "".join(likeliest(reading).split())
    lines = ["".join(line.split()) for line in truth.splitlines()]
    return [line for line in lines if line and distance(line, got, anywhere=True) > 0.5 * len(line)]


def likeliest(reading: str) -> str:
    """Without the marks of doubt: of two readings the first. No text of the corpus has a slash."""
    return re.sub(r"(\S)/\S+", r"\1", reading.replace(DOUBTFUL_MARK, ""))


def distance(wanted: str, got: str, *, anywhere: bool = False) -> int:
    """Levenshtein's (Myers' algorithm); `anywhere`: of the best place for `wanted` inside `got`."""
    size = len(wanted)
    places: dict[str, int] = {}
    for number, letter in enumerate(wanted):
        places[letter] = places.get(letter, 0) | (1 << number)
    every, last = (1 << size) - 1, 1 << (size - 1)
    plus, minus, score = every, 0, size
    best = score
    for letter in got:
        equal = places.get(letter, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up, down = minus | ~(horizontal | plus), plus & horizontal
        score += bool(up & last) - bool(down & last)
        up, down = (up << 1) | (not anywhere), down << 1
        plus, minus = (down | ~(vertical | up)) & every, up & vertical & every
        best = min(best, score)
    return best if anywhere else score
