"""What is cut out of a page around one line, and where its words part: by drawn lines whose text is known."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import Letter, Line, Word
from packs.ocr.reading.languages import stretches
from packs.ocr.reading.line_image import HEIGHT, line_image
from packs.ocr.reading.numbers import is_implausible
from packs.ocr.reading.order import layout_of
from packs.ocr.reading.quads import Quad
from packs.ocr.reading.spacing import joined
from tests.packs.ocr import corpus


def drawn(text: str, size: tuple[int, int] = (400, 48), at: tuple[int, int] = (10, 10)) -> Image.Image:
    image = Image.new("L", size, 255)
    ImageDraw.Draw(image).text(at, text, font=corpus.font("corpussans.otf", 26), fill=0)
    return image


def whole(image: Image.Image) -> Quad:
    return Quad((0, 0), (image.width, 0), (image.width, image.height), (0, image.height))


def inked(image: Image.Image) -> NDArray[np.bool_]:
    return np.asarray((np.asarray(image) < 150).any(axis=1))


def test_a_rule_under_a_line_is_no_part_of_it() -> None:
    page = drawn("4, 28")
    ImageDraw.Draw(page).line((0, 45, 400, 44), fill=0, width=2)
    assert not inked(line_image(page, whole(page)))[-3:].any()


def test_feet_of_the_line_above_are_no_part_of_a_line() -> None:
    page = drawn("방문해주시기", at=(10, 16))
    ImageDraw.Draw(page).text((10, -22), "바랍니다.", font=corpus.font("corpussans.otf", 26), fill=0)
    image = line_image(page, whole(page))
    assert not inked(image)[:2].any()
    assert inked(image)[HEIGHT // 2]


def test_low_letters_of_a_high_rectangle_are_cut_out_larger() -> None:
    page = drawn("상품입니다", size=(400, 96), at=(10, 30))
    rows = np.flatnonzero(inked(line_image(page, whole(page))))
    assert rows[-1] - rows[0] > 0.45 * HEIGHT


def syllables(text: str, blanks: set[int], pitch: int = 30, blank: int = 0) -> tuple[Line, Image.Image]:
    """Black squares for syllables, `blank` wider before those in `blanks`; the engine saw no blank at all."""
    image = Image.new("L", (2 * pitch * len(text), 48), 255)
    words, left = [], 4
    for at, letter in enumerate(text):
        left += blank if at in blanks else 0
        box = Box(left, 8, left + pitch - 2, 40)
        ImageDraw.Draw(image).rectangle((box.left, box.top, box.right - 1, box.bottom), fill=0)
        words.append(Word(letter, 93, box, letters=(Letter(letter, 93, box),), blank_before=at == 0))
        left += pitch
    return Line(tuple(words)), image


def test_a_blank_that_the_engine_passed_over_is_found_by_its_width() -> None:
    line, image = syllables("소비자피해유형", {3}, blank=8)
    assert joined(line, image).text == "소비자 피해유형"


def test_letters_spaced_out_are_words_of_one_syllable() -> None:
    line, image = syllables("연결재무", {1, 2, 3}, blank=14)
    assert joined(line, image).text == "연 결 재 무"


def test_a_word_is_as_sure_as_its_least_sure_syllable_but_not_unreadable() -> None:
    line, image = syllables("전자우편", set())
    doubtful = Line(
        tuple(
            Word(w.text, 5 if w.text == "우" else 93, w.box, letters=w.letters, blank_before=False) for w in line.words
        )
    )
    assert [round(word.confidence) for word in joined(doubtful, image).words] == [20]


def test_what_stands_between_syllables_is_a_stretch_of_its_own() -> None:
    line, image = syllables("가나51다", {2, 4}, blank=10)
    (stretch,) = stretches(line, image)
    assert [letter.text for letter in stretch.letters] == ["5", "1"]
    # In the middle of the two blanks.
    assert (stretch.start, stretch.end) == (68, 138)


def test_a_gutter_is_not_cut_through_the_ends_of_long_lines() -> None:
    left = [Box(88, 180 + 40 * row, 470 if row % 4 else 580, 210 + 40 * row) for row in range(12)]
    right = [Box(647, 190 + 40 * row, 1100, 220 + 40 * row) for row in range(12)]
    layout = layout_of(left + right)
    assert [number for block in layout.blocks for row in block for number in row] == list(range(24))


def test_a_number_whose_groups_are_none_is_implausible() -> None:
    assert is_implausible("1,0007H")
    assert not is_implausible("1,000")
    assert not is_implausible("12,5")


def test_a_line_mostly_in_shadow_stays_dark_on_white() -> None:
    known = corpus.page("clean")
    pixels = np.asarray(known.image, dtype=float).copy()
    left, top, right, bottom = known.lines[1].place
    pixels[:, : int(left + 0.6 * (right - left))] *= 0.5
    corners = (left - 6, top - 6), (right + 6, top - 6), (right + 6, bottom + 6), (left - 6, bottom + 6)
    cut = np.asarray(line_image(Image.fromarray(pixels.astype(np.uint8)), Quad(*corners)))
    assert float((cut > 200).mean()) > 0.75
