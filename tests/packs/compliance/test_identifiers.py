"""Checksums, grades and the folding of unusual ways to write a number."""

import unicodedata

import pytest

from packs.compliance.identifiers import (
    BARE,
    CHECKED,
    FORM,
    business_checksum_holds,
    foreigner_checksum_holds,
    identify,
    luhn_holds,
    number_like,
    resident_checksum_holds,
    with_digits,
)
from packs.text.folding import fold


def found(text: str) -> list[tuple[str, str, str]]:
    plain = fold(text).plain
    return [(each.name, each.grade, plain[each.start : each.end]) for each in identify(plain)]


def test_the_checksums_hold_for_computed_numbers_and_for_no_neighbour() -> None:
    for last in "0123456789":
        assert resident_checksum_holds("900101123456" + last) == (last == "8")
        assert foreigner_checksum_holds("770707598765" + last) == (last == "6")
        assert luhn_holds("411111111111111" + last) == (last == "1")
        assert business_checksum_holds("123456789" + last) == (last == "1")


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("900101-1234568", CHECKED),
        ("9001011234568", CHECKED),
        ("900101-1234567", FORM),  # fails the checksum: mistyped, a sample, or issued since October 2020
        ("210305-3123456", FORM),
        ("2103053123456", FORM),  # born after the checksum was given up: digits in a row are enough
        ("9001011234567", BARE),
    ],
)
def test_a_failed_checksum_lowers_the_grade_and_never_hides_the_number(text: str, grade: str) -> None:
    assert found(text) == [("resident_number", grade, text)]


@pytest.mark.parametrize("text", ["901301-1234568", "900230-1234568", "900101-123456", "1900101-1234568"])
def test_what_cannot_be_a_birth_date_is_no_resident_number(text: str) -> None:
    assert all(name != "resident_number" for name, _, _ in found(text))


@pytest.mark.parametrize(
    "written",
    ["９００１０１－１２３４５６８", "900101\u20131234568", "900101\u00a0-\u00a01234568", "9001\u200b01-123\u200b4568"],
)
def test_unusual_characters_hide_nothing(written: str) -> None:
    assert [name for name, _, _ in found(written)] == ["resident_number"]


@pytest.mark.parametrize(
    ("written", "name"),
    [("구공공일공일 다시 일이삼사오육팔", "resident_number"), ("010 . 7 3 6 4 . 8 1 9 2", "mobile")],
)
def test_numbers_read_aloud_or_spaced_out_are_found(written: str, name: str) -> None:
    assert [each.name for each in identify(with_digits(written))] == [name]


def test_syllables_taken_apart_are_read_and_the_way_back_is_exact() -> None:
    apart = unicodedata.normalize("NFD", "계좌")
    text = f"{apart}\u200b: 값"
    folded = fold(text)
    assert folded.plain == "계좌: 값"
    start = folded.plain.index("값")
    assert text[folded.original(start) : folded.original(start + 1)] == "값"


def test_folding_plain_text_changes_nothing() -> None:
    text = "Plain text, 가나다 123."
    assert fold(text).plain == text
    assert [fold(text).original(place) for place in range(len(text))] == list(range(len(text)))


def test_amounts_and_dates_are_not_taken_for_somebodys_number() -> None:
    for text in ("1000000000원", "1,234,567,890원", "2024-05-31", "2024.05.31 2024.06.30"):
        assert [text[start:end].strip() for start, end in number_like(text) if text[start:end].strip()] == []
    assert list(number_like("x 12345678901")) == [(2, 13)]
    assert list(number_like("1" * 1_000)) == [(0, 1_000)]
