"""The parts of the pipeline, each on a page drawn for it."""

import pytest
from PIL import Image

from packs.ocr.profiles import PROFILES
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import Line, Word
from packs.ocr.reading.enhance import enhance
from packs.ocr.reading.marks import marked
from packs.ocr.reading.merge import merged
from packs.ocr.reading.orientation import Turn
from packs.ocr.reading.read_page import read_image
from packs.ocr.reading.regions import Size, find_regions
from packs.ocr.reading.rulings import without_rulings
from packs.ocr.reading.skew import skew_degrees
from tests.packs.ocr import corpus, texts
from tests.packs.ocr.accuracy import distance, error_rate, lost_lines


def line(*words: tuple[str, float]) -> Line:
    return Line(tuple(Word(text, sure, Box(40 * at, 0, 40 * at + 30, 20)) for at, (text, sure) in enumerate(words)))


def test_marks_say_what_is_unreadable_doubtful_or_one_of_two() -> None:
    read = line(("sure", 95), ("unsure", 50), ("gone", 5), ("lost", 0), ("-", 40))
    assert marked(read).text == "sure unsure(?) [□] -"
    assert marked(read).doubts == ("unsure(?)", "[□]", "[□]")
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
