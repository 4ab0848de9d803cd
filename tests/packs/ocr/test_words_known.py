"""What the lists of words inside the models are good for: marks where a reading is no word, blanks where it is two."""

import pytest
from PIL import Image, ImageDraw

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import Engine, Letter, Line, Word
from packs.ocr.reading.latin_words import mended
from packs.ocr.reading.lexicon import has_unknown, is_known, lexicon
from packs.ocr.reading.marks import marked
from tests.packs.ocr import corpus


@pytest.mark.parametrize("word", ["invoice", "Invoice", "INVOICE", "합계", "계약", "임차인은", "종료되었으며,"])
def test_words_are_in_the_lists(word: str) -> None:
    assert not has_unknown(word)


@pytest.mark.parametrize("word", ["INVICE", "invoic", "요긍이", "함겨", "계약퓰"])
def test_readings_that_are_no_words_are_not(word: str) -> None:
    assert has_unknown(word)


def test_a_list_knows_whole_words_only() -> None:
    words = lexicon("eng")
    assert words.has("invoice")
    assert not words.has("invoi")
    assert not words.has("")
    assert not is_known("뷁")


def said(*words: tuple[str, float]) -> Line:
    return Line(tuple(Word(text, sure, Box(40 * at, 0, 40 * at + 30, 20)) for at, (text, sure) in enumerate(words)))


@pytest.mark.parametrize(
    ("text", "sure", "doubtful"),
    [
        ("INVOICE", 97, False),
        ("INVICE", 97, True),
        ("50OA", 97, True),
        ("500", 97, False),
        ("합계", 88, False),
        ("함겨", 88, True),
        ("하L카드", 88, True),
    ],
)
def test_a_strange_word_has_to_be_read_more_surely(text: str, sure: float, doubtful: bool) -> None:
    assert marked(said((text, sure), ("합계", 99))).text.startswith(f"{text}(?)" if doubtful else f"{text} ")


def test_halves_of_a_price_and_a_lone_unsure_syllable_are_marked() -> None:
    assert marked(said(("17", 100), ("00", 100))).text == "17(?) 00(?)"
    assert marked(said(("승", 88))).text == "승(?)"
    assert marked(said(("층", 96))).text == "층"


def written(*parts: str, gap: int) -> tuple[list[list[Letter]], dict[int, int]]:
    """Groups of letters with a gap of so many pixels between them, and of two inside."""
    groups = [[Letter(letter, 99, Box(0, 0, 10, 48)) for letter in part] for part in parts]
    return groups, {id(letter): gap if not at else 2 for group in groups for at, letter in enumerate(group)}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (("WHOL", "E", "MEAL"), ["WHOLE", "MEAL"]),
        (("HEAL", "THCARE"), ["HEALTHCARE"]),
        (("in", "to"), ["in", "to"]),
        (("a", "way"), ["a", "way"]),
        (("TAX", "INVOICE"), ["TAX", "INVOICE"]),
        (("RM53.", "60"), ["RM53.60"]),
        (("1.", "60", "apples"), ["1.", "60", "apples"]),
    ],
)
def test_a_blank_inside_a_word_or_a_price_is_none(parts: tuple[str, ...], words: list[str]) -> None:
    groups, gaps = written(*parts, gap=16)
    assert ["".join(letter.text for letter in group) for group in mended(groups, gaps, 48)] == words


def test_a_wide_blank_is_one_whatever_stands_beside_it() -> None:
    groups, gaps = written("WHOL", "E", gap=40)
    assert len(mended(groups, gaps, 48)) == 2


@pytest.mark.parametrize(
    ("text", "gap", "count"), [("YOUFOR", 9, 2), ("YOUFOR", 3, 1), ("SELECT", 9, 1), ("XYQFOR", 9, 1)]
)
def test_two_words_read_as_one_part_at_their_widest_gap(text: str, gap: int, count: int) -> None:
    ([group], gaps) = written(text, gap=0)
    gaps[id(group[3])] = gap
    assert len(mended([group], gaps, 48)) == count


@pytest.mark.parametrize(("mark", "read"), [("·", "·"), ("-", "-")])
def test_a_dot_between_two_nouns_is_no_dash(mark: str, read: str) -> None:
    image = Image.new("L", (420, 48), 255)
    ImageDraw.Draw(image).text((10, 6), f"전기{mark}가스는 별도로", font=corpus.font(corpus.SANS, 30), fill=0)
    line = Engine("kor").read(image)
    assert line is not None
    assert [letter for letter in line.text if letter in "·-ㆍ"] == [read]
