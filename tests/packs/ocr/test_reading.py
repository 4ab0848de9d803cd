"""The parts of the pipeline, each on a page drawn for it."""

import pytest
from PIL import Image

from packs.ocr.profiles import PROFILES
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import Letter, Line, Word
from packs.ocr.reading.enhance import enhance
from packs.ocr.reading.marks import marked
from packs.ocr.reading.merge import merged
from packs.ocr.reading.orientation import Turn
from packs.ocr.reading.passes import uncovered
from packs.ocr.reading.read_page import Block, read_image
from packs.ocr.reading.regions import Row, Size, find_regions
from packs.ocr.reading.rulings import without_rulings
from packs.ocr.reading.skew import skew_degrees
from packs.ocr.reading.spacing import joined
from packs.ocr.reading.tongues import together
from tests.packs.ocr import corpus, texts
from tests.packs.ocr.accuracy import distance, dropped_lines, error_rate, error_rate_with_spaces, lost_lines


def line(*words: tuple[str, float]) -> Line:
    return Line(tuple(Word(text, sure, Box(40 * at, 0, 40 * at + 30, 20)) for at, (text, sure) in enumerate(words)))


def test_marks_say_what_is_unreadable_doubtful_or_one_of_two() -> None:
    read = line(("sure", 95), ("unsure", 50), ("gone", 5), ("lost", 0), ("-", 40))
    assert marked(read).text == "sure unsure(?) [□] -"
    assert marked(read).doubts == ("unsure(?)", "[□]", "[□]")
    assert marked(line(("=", 95))).text == "=(?)"
    either = merged(line(("rn", 70)), line(("m", 69)))
    assert marked(either).text == "rn/m"


def test_two_readings_become_one() -> None:
    assert merged(line(("a", 60), ("b", 90)), line(("x", 80), ("y", 50))).text == "x b"
    assert merged(line(("whole", 70), ("line", 70)), line(("whole", 99))).text == "whole line"
    assert merged(line(("a", 70)), line(("a", 90))).words[0].confidence == 90


def test_columns_are_read_one_after_the_other() -> None:
    layout = find_regions(corpus.page("two_columns").image, is_table=False)
    assert layout.columns == 2
    bodies = [region for region in layout.regions if region.size is Size.BODY]
    assert bodies[0].box.right < bodies[-1].box.left
    assert find_regions(corpus.page("clean").image, is_table=False).columns == 1


def test_a_headline_across_the_columns_keeps_its_feet() -> None:
    sheet = corpus.Sheet(corpus.A4_AT_150)
    sheet.line("Quarterly Operations Review", (90, 90), corpus.font(corpus.BOLD, 42))
    for left in (90, 650):
        sheet.paragraph(" ".join(texts.ENGLISH), left, 180, 500, corpus.font(corpus.SERIF, 23))

    rows = [row.box for region in find_regions(sheet.image, is_table=False).regions for row in region.rows]

    first, second = rows[:2]
    assert first.bottom >= sheet.draw.textbbox((90, 90), "Quarterly", font=corpus.font(corpus.BOLD, 42))[3] - 3
    assert second.top > 180


def test_a_blank_through_a_line_does_not_part_it() -> None:
    """Syllables whose parts stand one above the other, all along the line."""
    page = Image.new("L", (700, 200), 255)
    for left in range(60, 600, 45):
        page.paste(0, (left, 60, left + 36, 72))
        page.paste(0, (left, 75, left + 36, 108))
    [region] = find_regions(page, is_table=False).regions
    assert len(region.rows) == 1


def test_ink_under_no_word_is_found() -> None:
    row = Row(Box(0, 0, 600, 30), tuple(Box(left, 3, left + 24, 27) for left in (0, 30, 60, 90, 120, 300, 570)))
    words = [Word("half", 90, Box(0, 3, 54, 27))]
    assert uncovered(row, words) == [Box(60, 0, 144, 30), Box(300, 0, 324, 30), Box(570, 0, 594, 30)]
    assert uncovered(row, [*words, Word("and the rest", 90, Box(60, 3, 600, 27))]) == []
    assert uncovered(row, []) == [Box(0, 0, 144, 30), Box(300, 0, 324, 30), Box(570, 0, 594, 30)]


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
    [line] = together([korean], [latin])
    assert line.text == chosen


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
    assert joined(syllables(("전", True), ("자", False), ("우편", False), ("접수", True))).text == "전자우편 접수"
    assert joined(syllables(("고객센터", True), ("(1588-0000)", False), ("로", False))).text == "고객센터(1588-0000)로"
    assert joined(syllables(("30", True), ("days.", False))).text == "30 days."


def test_a_blank_before_a_latin_word_is_the_korean_models_to_say() -> None:
    korean = syllables(("가격", True), ("0010", False), ("050", True))
    latin = syllables(("7A", True), ("API", True), ("USD", True))
    [line] = together([korean], [latin])
    assert joined(line).text == "가격API USD"


@pytest.mark.parametrize("name", ["serif", "monospace"])
def test_blanks_are_read_as_they_stand(name: str) -> None:
    """Narrow blanks between words, wide gaps inside them: two classes where no width of a gap parts the words."""
    page = corpus.page(name)
    reading = "\n".join(block.text for block in read_image(page.image, PROFILES["P1"], "kor+eng").blocks)
    assert error_rate_with_spaces(page.text, reading) <= error_rate(page.text, reading)


def test_halves_of_syllables_are_not_told_beside_the_whole_row() -> None:
    """The engine takes this title for two lines, one of them of the upper halves of `품질`."""
    [title, *_] = read_image(corpus.page("monospace", 1).image, PROFILES["P1"], "kor+eng").blocks
    assert title.text.splitlines()[0] == "품질 점검 결과 통지"


def test_a_word_spelled_by_both_models_stands_over_a_surer_one_of_one_model() -> None:
    assert merged(line(("11868를", 92)), line(("118GB를", 81))).text == "118GB를"
    assert merged(line(("118GB를", 81)), line(("11868를", 92))).text == "118GB를"


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


def test_a_table_without_rules_is_not_taken_for_columns() -> None:
    bare = without_rulings(corpus.page("table").image)
    assert bare.is_table
    assert find_regions(bare.image, is_table=False).columns == 1


def test_rules_are_taken_out_and_headlines_are_not() -> None:
    assert not without_rulings(corpus.page("headlines").image).has_lines
    assert not without_rulings(without_rulings(corpus.page("table").image).image).has_lines


@pytest.mark.parametrize("degrees", [-6.0, -1.5, 0.0, 3.0, 9.0])
def test_skew_is_measured(degrees: float) -> None:
    page = corpus.page("clean").image.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor=255)
    assert skew_degrees(page) == pytest.approx(degrees, abs=0.2)


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


def test_preprocessing_only_where_it_helps() -> None:
    assert enhance(corpus.page("clean").image).steps == ()
    assert "inverted" in enhance(corpus.page("dark_screenshot").image).steps
    assert "denoised" in enhance(corpus.page("noise").image).steps
    assert "evened" in enhance(corpus.page("photo").image).steps
    assert "stretched" in enhance(corpus.page("low_contrast").image).steps


@pytest.mark.parametrize("degrees", [90, 180])
def test_a_page_on_its_side_or_head_is_set_upright(degrees: int) -> None:
    page = corpus.page("screenshot")
    read = read_image(page.image.rotate(degrees, expand=True), PROFILES["P1"], "kor+eng")
    assert read.preflight["turned_degrees"] == 360 - degrees
    assert error_rate(page.text, "\n".join(block.text for block in read.blocks)) < 0.1


def test_a_scribble_between_the_lines_is_marked_not_dropped() -> None:
    """Ink that is no text must leave its mark in its place."""
    page = corpus.Sheet((900, 300))
    page.line(texts.KOREAN[4], (40, 40), corpus.font(corpus.SANS, 24))
    for step in range(40):
        page.draw.line((60 + step * 9, 130 + (step * 37) % 40, 75 + step * 9, 130 + (step * 53) % 40), fill=0, width=3)
    page.line(texts.KOREAN[9], (40, 220), corpus.font(corpus.SANS, 24))

    blocks = read_image(page.image, PROFILES["P2A"], "kor+eng").blocks

    between = [block for block in blocks if 110 < (block.box.top + block.box.bottom) / 2 < 190]
    assert between
    assert any(mark in block.text for block in between for mark in ("[□]", "(?)"))


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
