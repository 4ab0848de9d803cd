"""Text that a PDF carries itself: nothing of it is dropped, and what its fonts do not explain is marked or read."""

import pytest

from tests.packs.ocr.desk import Desk, text_of
from tests.packs.ocr.documents import respelled_pdf, text_pdf

PRIVATE_USE, UNASSIGNED = 0xE000, 0x0378
# Where old typesetters keep ligatures: a tab, a form feed, a carriage return and others, all of them drawn.
LIGATURES = (0x09, 0x0C, 0x0D, 0x0E)
SOFT_HYPHEN = 0x00AD


@pytest.mark.parametrize("told", [PRIVATE_USE, UNASSIGNED, *LIGATURES])
def test_letters_that_a_font_does_not_explain_are_marked_in_their_place(told: int) -> None:
    body = respelled_pdf({"#": told}, "The sum is ## euro by the end of May", "and Ma#er pays the other half of it")

    result = Desk().read(body)

    [text] = result.data["texts"]
    assert text["source_type"] == "TEXT"
    assert text_of(result) == "The sum is [□] euro by the end of May\nand Ma[□]er pays the other half of it"
    assert text["blocks"][0]["confidence"] == round(1 - 3 / 71, 3)
    assert [note["value"] for note in result.data["notes"]] == ["[□]", "Ma[□]er"]
    assert result.data["meta"]["low_confidence_count"] == 2
    assert result.reliability < 1


@pytest.mark.parametrize("told", [PRIVATE_USE, UNASSIGNED])
def test_a_page_of_which_the_fonts_explain_too_little_is_read_as_a_picture(told: int) -> None:
    words = "The seller delivers the goods free of expenses"

    result = Desk().read(respelled_pdf({"e": told}, words))

    assert result.data["texts"][0]["source_type"] == "OCR"
    assert text_of(result) == words


def test_a_hyphen_at_the_end_of_a_line_stays_and_ends_it() -> None:
    result = Desk().read(text_pdf("Measures against COVID-", "19 end in May, and self-", "service begins again."))

    assert text_of(result) == "Measures against COVID-\n19 end in May, and self-\nservice begins again."
    [block] = result.data["texts"][0]["blocks"]
    assert block["bbox"][3] - block["bbox"][1] > 48


def test_a_hyphen_is_one_whatever_its_font_calls_it() -> None:
    result = Desk().read(respelled_pdf({"#": SOFT_HYPHEN}, "Measures against COVID#19 end in May"))

    assert text_of(result) == "Measures against COVID-19 end in May"
    assert result.reliability == 1
