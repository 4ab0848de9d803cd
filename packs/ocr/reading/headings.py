"""Which lines of a PDF page are headings, and of which level: by the size and weight of their type against the page's
ordinary text."""

from collections import Counter
from collections.abc import Sequence

from packs.ocr.reading.pdfs import TextLine

# Against the size in which most letters are set.
LARGER = 1.12
MOST_LETTERS, MOST_BOLD_LETTERS = 200, 90
# More lines of one size and weight in a row are a paragraph.
MOST_LINES = 4
# A bold line that ends like a sentence is one.
_SENTENCE_ENDS = (".", ",", ";", "다.", "요.")
_NO_BEGINNING = frozenset("•▪◦‣∙●○■□➢❖✓,;.:)")
MOST_LEVEL = 6


def levels_of(lines: Sequence[TextLine]) -> dict[int, int]:
    """By the lines' identity."""
    letters: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        letters[_size(line), line.is_bold] += len(line.text)
    if not letters:
        return {}
    (usual, usual_is_bold), _ = letters.most_common(1)[0]
    large = [line for line in lines if _is_large(line, usual)]
    bold = [line for line in lines if not usual_is_bold and _is_bold_heading(line, usual) and line not in large]
    sizes = sorted({_size(line) for line in large}, reverse=True)
    levels = {id(line): min(sizes.index(_size(line)) + 1, MOST_LEVEL) for line in large}
    return levels | {id(line): min(len(sizes) + 1, MOST_LEVEL) for line in bold}


def is_short_enough(lines: Sequence[TextLine]) -> bool:
    """Lines of one heading, one below the other."""
    return len(lines) <= MOST_LINES and sum(len(line.text) for line in lines) <= MOST_LETTERS


def _size(line: TextLine) -> float:
    return round(line.size, 1)


def _is_large(line: TextLine, usual: float) -> bool:
    return _size(line) >= LARGER * usual and len(line.text) <= MOST_LETTERS and _has_letter(line)


def _is_bold_heading(line: TextLine, usual: float) -> bool:
    is_short = len(line.text) <= MOST_BOLD_LETTERS and not line.text.endswith(_SENTENCE_ENDS)
    return line.is_bold and _size(line) >= usual and is_short and _has_letter(line)


def _has_letter(line: TextLine) -> bool:
    """And begins as a heading does: an item of a list is none, nor is what goes on behind a comma."""
    return line.text[0] not in _NO_BEGINNING and any(letter.isalpha() for letter in line.text)
