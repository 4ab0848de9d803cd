"""Text that a PDF carries itself: nothing of it is dropped, and what its fonts do not explain is marked or read."""

import pytest

from packs.ocr.reading.plausible_text import is_plausible
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


SENTENCES = (
    "The supplier shall deliver the goods within fourteen days after the order",
    "and bears all costs of transport until they reach the warehouse of the buyer.",
    "Payment is due thirty days after the invoice has been received.",
)


def letters_told_as(start: int) -> dict[str, int]:
    return {letter: start + number for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}


def shifted(by: int) -> dict[str, int]:
    """The numbers of a font's own table, as if they were letters."""
    return {chr(code): code - by for code in range(0x41, 0x7B)}


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(letters_told_as(0xAC00), id="as Korean"),
        pytest.param(letters_told_as(0xB7C0), id="as rare Korean"),
        pytest.param(shifted(29), id="shifted"),
        pytest.param({letter: 0x0430 + number for number, letter in enumerate("aeinorst")}, id="mixed with Cyrillic"),
    ],
)
def test_a_font_that_calls_its_letters_by_wrong_names_is_read_as_a_picture(spelling: dict[str, int]) -> None:
    result = Desk().read(respelled_pdf(spelling, *SENTENCES))

    assert result.data["texts"][0]["source_type"] == "OCR"
    assert text_of(result) == "\n".join(SENTENCES)


@pytest.mark.parametrize(
    "text",
    [
        "Der Lieferant trägt alle Kosten der Beförderung bis zum Lager des Käufers und haftet für jeden Schaden, "
        "der durch verspätete Lieferung, falsche Angaben oder mangelhafte Verpackung entsteht.",
        "Поставщик доставляет товар в течение четырнадцати дней после заказа и несёт все расходы.",
        "Suomessa tavaran toimittaja vastaa kaikista kuljetuksen kustannuksista siihen asti, kun tavara on "
        "vastaanottajan varastossa, ellei toisin ole kirjallisesti sovittu osapuolten kesken etukäteen.",
        "앱에서 챗봇을 눌러 벚꽃 사진을 넉 장 뽑았다. 김꽃님, 박뜰, 최쌀롱, 뷔, 쉰넷. "
        "공급자는 주문 후 십사 일 이내에 물품을 납품한다.",
        "CPU RAM SSD HDD NVM QPSK kHz MHz dBm Tx Rx at 3.3 V, 10 μm, Δt below 5 ms for each of the parts in the table",
    ],
)
def test_text_that_only_looks_unusual_is_believed(text: str) -> None:
    assert is_plausible(text)
