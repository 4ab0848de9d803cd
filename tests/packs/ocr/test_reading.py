"""The parts of the pipeline, each on a page drawn for it."""

from typing import cast

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from packs.ocr.profiles import PROFILES
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.detector import Detector, TextPlace
from packs.ocr.reading.engine import Letter, Line, Word
from packs.ocr.reading.enhance import enhance
from packs.ocr.reading.ink import unread_ink
from packs.ocr.reading.languages import LineReader, merged
from packs.ocr.reading.line_image import line_image
from packs.ocr.reading.marks import marked
from packs.ocr.reading.numbers import is_implausible
from packs.ocr.reading.order import layout_of
from packs.ocr.reading.orientation import Turn
from packs.ocr.reading.quads import Quad
from packs.ocr.reading.read_page import (
    Block,
    ReadWord,
    _is_text,
    _read_again,
    _ReadPlace,
    detector,
    read_image,
    whole_page,
)
from packs.ocr.reading.spacing import joined
from packs.ocr.reading.whole_page import letters_outside, outside
from tests.packs.ocr import corpus, texts
from tests.packs.ocr.accuracy import distance, dropped_lines, error_rate, error_rate_with_spaces, lost_lines


def line(*words: tuple[str, float]) -> Line:
    return Line(tuple(Word(text, sure, Box(40 * at, 0, 40 * at + 30, 20)) for at, (text, sure) in enumerate(words)))


def test_marks_say_what_is_unreadable_doubtful_or_one_of_two() -> None:
    read = line(("sure", 95), ("unsure", 50), ("gone", 5), ("lost", 0), ("-", 40))
    assert marked(read).text == "sure unsure(?) [□] -"
    assert marked(read).doubts == ("unsure(?)", "[□]", "[□]")
    assert marked(line(("=", 95))).text == "=(?)"
    either = Line((Word("rn", 70, Box(0, 0, 20, 20), other="m"),))
    assert marked(either).text == "rn/m"


def spelled(text: str, confidence: float, sure: list[float], width: int = 12) -> Line:
    """One word at the line's beginning, its letters side by side."""
    letters = [
        Letter(letter, certain, Box(at * width, 0, (at + 1) * width, 24))
        for at, (letter, certain) in enumerate(zip(text, sure, strict=True))
    ]
    return Line((Word(text, confidence, Box(0, 0, width * len(text), 24), letters=tuple(letters)),))


@pytest.mark.parametrize(
    ("korean", "latin", "chosen"),
    [
        # What the models said of words of the corpus.
        (spelled("잔액", 91, [99, 99]), spelled("Thelf", 14, [90] * 5, 5), "잔액"),
        (spelled("7일", 93, [99, 99]), spelled("TY", 75, [95, 95]), "7일"),
        (spelled("6-1042:", 92, [98] * 7), spelled("E-1042:", 78, [97] * 7), "E-1042:"),
        (spelled("꼬ㅇ", 20, [75, 87]), spelled("The", 97, [100] * 3, 8), "The"),
        (spelled("홈", 95, [99]), spelled("=", 96, [99]), "홈"),
        (spelled("4508를", 88, [97, 99, 93, 98, 99]), spelled("45dBE", 68, [99, 99, 99, 99, 96]), "45dB를"),
        (spelled("1568를", 93, [99, 99, 99, 99, 99]), spelled("15GBE", 85, [99, 99, 98, 98, 98]), "15GB를"),
        (spelled("11868를", 90, [99, 99, 99, 99, 99, 98]), spelled("118GBE", 90, [99, 99, 98, 98, 98, 99]), "118GB를"),
        (spelled("6시까지", 93, [99, 99, 99, 99]), spelled("GAIA", 40, [98, 93, 93, 93]), "6시까지"),
        (spelled("60한", 60, [97, 97, 93]), spelled("both", 96, [100] * 4, 9), "both"),
    ],
)
def test_each_word_is_taken_from_the_model_that_knows_it(korean: Line, latin: Line, chosen: str) -> None:
    line = merged(korean, latin, INKED_LINE)
    assert line is not None
    assert line.text == chosen


# Ink all over: nothing on the paper says where a blank is.
INKED_LINE = Image.new("L", (240, 24), 0)


def syllables(*words: tuple[str, bool]) -> Line:
    """As the Korean model returns them: each with whether it saw a blank before it."""
    return Line(
        tuple(
            Word(text, 95, Box(30 * at, 0, 30 * at + 28, 24), blank_before=blank)
            for at, (text, blank) in enumerate(words)
        )
    )


def test_syllables_are_joined_where_the_engine_saw_no_blank() -> None:
    """All stand equally close: it is not the paper that tells."""
    assert (
        joined(syllables(("전", True), ("자", False), ("우편", False), ("접수", True)), INKED_LINE).text
        == "전자우편 접수"
    )
    assert (
        joined(syllables(("고객센터", True), ("(1588-0000)", False), ("로", False)), INKED_LINE).text
        == "고객센터(1588-0000)로"
    )
    assert joined(syllables(("30", True), ("days.", False)), INKED_LINE).text == "30 days."


def test_a_blank_before_a_latin_word_is_the_korean_models_to_say() -> None:
    korean = syllables(("가격", True), ("0010", False), ("050", True))
    latin = syllables(("7A", True), ("API", True), ("USD", True))
    line = merged(korean, latin, INKED_LINE)
    assert line is not None
    assert line.text == "가격API USD"


@pytest.mark.parametrize("name", ["serif", "monospace"])
def test_blanks_are_read_as_they_stand(name: str) -> None:
    """Narrow blanks between words, wide gaps inside them: two classes where no width of a gap parts the words."""
    page = corpus.page(name)
    reading = "\n".join(block.text for block in read_image(page.image, PROFILES["P1"], "kor+eng").blocks)
    assert error_rate_with_spaces(page.text, reading) <= error_rate(page.text, reading)


def test_columns_are_read_one_after_the_other_and_cells_row_by_row() -> None:
    title = Box(0, 0, 900, 40)
    left = [Box(0, 60 + 30 * row, 400, 84 + 30 * row) for row in range(6)]
    right = [Box(480, 60 + 30 * row, 900, 84 + 30 * row) for row in range(6)]
    columns = layout_of([title, *(box for pair in zip(left, right, strict=True) for box in pair)])
    assert columns.columns == 2
    assert [row for block in columns.blocks for row in block] == [
        (number,) for number in (0, 1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12)
    ]
    cells = [Box(x, 60 + 30 * row, x + 60, 84 + 30 * row) for row in range(4) for x in (0, 300, 600)]
    table = layout_of(cells)
    assert table.columns == 1
    assert [row for block in table.blocks for row in block] == [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)]


def test_a_line_is_black_on_white_whatever_light_falls_on_it() -> None:
    for paper, ink in ((250, 20), (40, 220), (120, 90)):
        page = Image.new("L", (400, 100), paper)
        page.paste(ink, (100, 40, 300, 60))
        image = line_image(page, Quad((50, 20), (350, 20), (350, 80), (50, 80)))
        assert image.height == 48
        pixels = np.asarray(image)
        assert pixels[5, 5] > 230
        assert pixels[24, image.width // 2] < 30


def test_ink_under_no_word_is_found_and_a_rule_is_none() -> None:
    image = Image.new("L", (600, 48), 255)
    for left in (*range(10, 150, 20), *range(400, 500, 20)):
        image.paste(0, (left, 10, left + 12, 38))
    read = Line((Word("half", 90, Box(10, 0, 150, 48)),))
    [left_over] = unread_ink(read, image)
    assert (left_over.left, left_over.right) == (400, 492)
    ruled = Image.new("L", (600, 48), 255)
    ruled.paste(0, (10, 22, 590, 25))
    assert unread_ink(None, ruled) == []


@pytest.mark.parametrize(
    "number", ["2.350,000원", "12,34", "1,98,000", "1O0", "4,5OO", "123-45-67890", "1234-5678-9012-3456"]
)
def test_a_number_that_cannot_be_right_is_marked(number: str) -> None:
    if number == "12,34":
        # A comma may begin a fraction.
        assert not is_implausible(number)
        return
    assert is_implausible(number)
    assert marked(line((number, 99))).text.endswith("(?)")


@pytest.mark.parametrize(
    "number", ["2,350,000원", "1,234.56", "1.234,56", "2026.03.14", "03.25", "10.5%", "220-81-62517", "010-1234-5678"]
)
def test_a_number_that_can_be_right_is_not_marked(number: str) -> None:
    assert not is_implausible(number)


def test_a_picture_without_text_gives_no_text() -> None:
    """Grain, gradients and shapes."""
    rng = np.random.default_rng(7)
    wave = 128 + 60 * np.sin(np.linspace(0, 9, 600))[:, None] + rng.normal(0, 25, (600, 800))
    picture = Image.fromarray(np.clip(wave, 0, 255).astype(np.uint8))
    picture.paste(30, (200, 150, 420, 400))
    read = read_image(picture, PROFILES["P1"], "kor+eng")
    assert read.blocks == []
    # Where the detector took grain for lines, the page says so.
    assert read.is_partial == bool(read.warnings) == ("unread_places" in read.preflight)


def test_blurred_text_is_not_passed_over_in_silence() -> None:
    blurred = corpus.page("clean").image.filter(ImageFilter.GaussianBlur(9))
    read = read_image(blurred, PROFILES["P1"], "kor+eng")
    assert read.blocks or read.warnings


def test_grain_is_not_looked_for_in_the_letters_of_a_dark_screen() -> None:
    assert enhance(corpus.page("dark_screenshot").image).steps == ()


def test_grain_is_taken_out_and_a_clean_page_left_alone() -> None:
    assert enhance(corpus.page("clean").image).steps == ()
    assert "denoised" in enhance(corpus.page("noise").image).steps


def test_a_lost_line_counts_as_dropped_unless_a_mark_stands_in_its_place() -> None:
    known = [corpus.KnownLine("first line", (0, 0, 100, 20)), corpus.KnownLine("another paragraph", (0, 40, 100, 60))]
    read = Block("first line", 1.0, Box(0, 0, 100, 20), "body")
    assert dropped_lines(known, [read]) == ["another paragraph"]
    assert dropped_lines(known, [read, Block("[□]", 0.0, Box(0, 38, 90, 61), "body")]) == []
    assert dropped_lines(known, [read, Block("[□]", 0.0, Box(0, 80, 90, 99), "body")]) == ["another paragraph"]
    assert dropped_lines(known, [Block("first line\n[□]", 0.5, Box(0, 0, 100, 60), "body")]) == []


@pytest.mark.parametrize("name", ["serif", "dark_screenshot"])
def test_no_line_is_read_twice_or_dropped(name: str) -> None:
    """Two classes on which the bare engine used to be better: a region let the next one's row in."""
    page = corpus.page(name, 1)
    blocks = read_image(page.image, PROFILES["P1"], "kor+eng").blocks
    assert error_rate(page.text, "\n".join(block.text for block in blocks)) < 0.02
    assert dropped_lines(page.lines, blocks) == []


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 3.0, -7.5])
def test_places_are_told_on_the_page_as_it_was_given(degrees: float) -> None:
    page = Image.new("L", (600, 400), 255)
    page.paste(0, (100, 60, 180, 80))
    turn = Turn(page.size, degrees % 360 if degrees == int(degrees) else degrees, 0.5)

    seen = turn.apply(page).point(lambda value: 255 if value < 128 else 0).getbbox()

    assert seen is not None
    back = turn.back(Box(*seen))
    slack = 4 if degrees in (0, 90, 180, 270) else 30
    assert all(abs(one - other) <= slack for one, other in zip(back.as_tuple(), (100, 60, 180, 80), strict=True))


@pytest.mark.parametrize("degrees", [90, 180])
def test_a_page_on_its_side_or_head_is_set_upright(degrees: int) -> None:
    page = corpus.page("screenshot")
    read = read_image(page.image.rotate(degrees, expand=True), PROFILES["P1"], "kor+eng")
    assert read.preflight["turned_degrees"] == 360 - degrees
    assert error_rate(page.text, "\n".join(block.text for block in read.blocks)) < 0.1


@pytest.mark.parametrize("name", ["photo", "fine_print"])
def test_hard_pages_are_read(name: str) -> None:
    """Two of the classes on which the bare engine loses most; all of them are in `make bench-ocr`."""
    page = corpus.page(name)
    reading = "\n".join(block.text for block in read_image(page.image, PROFILES["P2A"], "kor+eng").blocks)
    assert error_rate(page.text, reading) < 0.05
    assert lost_lines(page.text, reading) == []


def test_the_fonts_hold_every_character_of_the_corpus() -> None:
    for name in (corpus.SANS, corpus.BOLD, corpus.SERIF, corpus.GOTHIC, corpus.MONO):
        face = corpus.font(name, 32)
        nothing = bytes(face.getmask("\U0010fffd"))
        absent = {letter for letter in set("".join(texts.ALL)) - {" "} if bytes(face.getmask(letter)) == nothing}
        assert not absent, name


def test_distances_are_exact() -> None:
    assert distance("kitten", "sitting") == 3
    assert distance("가나다", "") == 3
    assert distance("needle", "hay nedle hay", anywhere=True) == 1
    assert lost_lines("first line\nanother paragraph", "f1rst line") == ["anotherparagraph"]


def test_lines_that_the_detector_passed_over_are_read_all_the_same() -> None:
    known = corpus.page("clean")
    places = detector().find(known.image)
    kept = sorted(places, key=lambda place: place.quad.upper_left[1])[: len(places) // 2]
    quads = [place.quad for place in kept]
    assert letters_outside(known.image, [place.quad for place in places], 30) == 0
    assert letters_outside(known.image, quads, 30) > 40

    missing = outside(whole_page("kor+eng").lines(known.image), quads)
    assert len(missing) >= (len(places) - len(kept)) // 2


def test_a_page_whose_lines_are_passed_over_comes_out_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    known = corpus.page("clean")
    found = detector().find(known.image)
    half = sorted(found, key=lambda place: place.quad.upper_left[1])[: len(found) // 2]
    monkeypatch.setattr(Detector, "find", lambda *_, **__: half)
    read = "\n".join(block.text for block in read_image(known.image, PROFILES["P1"], "kor+eng").blocks)
    assert error_rate(known.text, read) < 0.25


def rings() -> Image.Image:
    """A pattern of equal shapes, which reads as `0000` to any engine."""
    image = Image.new("L", (1_000, 600), 40)
    draw = ImageDraw.Draw(image)
    for x in range(30, 960, 46):
        for y in range(60, 560, 120):
            draw.ellipse((x, y, x + 30, y + 40), outline=230, width=5)
    return image


def edges() -> Image.Image:
    """A few strokes on a plain ground: a roof, a pole, a wheel."""
    image = Image.new("L", (900, 600), 200)
    draw = ImageDraw.Draw(image)
    draw.line((120, 300, 170, 240, 220, 300), fill=30, width=9)
    draw.line((600, 180, 600, 240), fill=30, width=9)
    draw.ellipse((420, 400, 470, 450), outline=30, width=9)
    return image


@pytest.mark.parametrize("picture", [rings(), edges()], ids=["rings", "edges"])
def test_a_picture_without_text_gives_none(picture: Image.Image) -> None:
    page = read_image(picture, PROFILES["P1"], "kor+eng")
    assert page.blocks == []


@pytest.mark.parametrize(
    ("text", "sure", "is_text"),
    [
        ("Total", 0.8, True),
        ("Total", 0.7, False),
        ("sol", 0.89, False),
        ("May", 0.95, True),
        ("합계", 0.93, True),
        ("교", 0.91, False),
        ("A", 0.96, False),
        ("7", 0.99, True),
        ("00000000", 0.88, False),
        ("| |", 0.99, False),
    ],
)
def test_noise_is_told_from_text_by_letters_and_confidence(text: str, sure: float, is_text: bool) -> None:
    assert _is_text(ReadWord(text, sure)) is is_text


def place(text: str, confidence: float) -> _ReadPlace:
    quad = Quad((0, 0), (100, 0), (100, 20), (0, 20))
    return _ReadPlace(TextPlace(quad, 0.0, 1.0), Image.new("L", (100, 48), 255), line((text, confidence)))


class SaysAgain:
    def __init__(self, text: str, confidence: float) -> None:
        self._line = line((text, confidence))

    def read_again(self, _: Image.Image) -> list[Line]:
        return [self._line]


@pytest.mark.parametrize(("text", "confidence", "is_changed"), [("receipt", 99, True), ("reciept", 60, False)])
def test_a_second_pass_counts_where_it_changed_a_line(text: str, confidence: float, is_changed: bool) -> None:
    reader = cast(LineReader, SaysAgain(text, confidence))
    found, again = _read_again([place("reciept", 60)], PROFILES["P2A"], reader)
    assert [each.line.text for each in found] == [text]
    assert again is is_changed
    assert _read_again([place("reciept", 60)], PROFILES["P1"], reader)[1] is False
