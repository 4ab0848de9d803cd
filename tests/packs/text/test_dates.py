"""A date is the interval it can mean; without a year it is read only where the caller says what day it is."""

from datetime import date

import pytest

from packs.text.dates import find_dates, whole_date

TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2027. 3. 12.", "2027-03-12", "2027-03-12"),
        ("2027-03-12", "2027-03-12", "2027-03-12"),
        ("2027년 3월 12일", "2027-03-12", "2027-03-12"),
        ("12 March 2027", "2027-03-12", "2027-03-12"),
        ("March 12th, 2027", "2027-03-12", "2027-03-12"),
        ("12.03.2027", "2027-03-12", "2027-03-12"),
        ("2027년 2월", "2027-02-01", "2027-02-28"),
        ("February 2028", "2028-02-01", "2028-02-29"),
        ("2027년 6월 말", "2027-06-30", "2027-06-30"),
        ("end of June 2027", "2027-06-30", "2027-06-30"),
        ("2027년 6월 초", "2027-06-01", "2027-06-10"),
        ("Q3 2027", "2027-07-01", "2027-09-30"),
        ("2027년 3분기", "2027-07-01", "2027-09-30"),
        ("2027년 하반기", "2027-07-01", "2027-12-31"),
        ("the first half of 2027", "2027-01-01", "2027-06-30"),
        ("2027년", "2027-01-01", "2027-12-31"),
        ("1897년 10월 12일", "1897-10-12", "1897-10-12"),
        ("end of 2027", "2027-12-31", "2027-12-31"),
    ],
)
def test_a_written_date_is_an_interval(text: str, first: str, last: str) -> None:
    found = whole_date(text)
    assert found is not None
    assert (found.first, found.last) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("5월 5일", "2027-05-05", "2027-05-05"),
        ("12월 말", "2026-12-31", "2026-12-31"),
        ("내년 3월", "2027-03-01", "2027-03-31"),
        ("올해 말", "2026-12-31", "2026-12-31"),
        ("end of March", "2027-03-31", "2027-03-31"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("tomorrow", "2026-11-17", "2026-11-17"),
    ],
)
def test_a_date_without_a_year_needs_to_know_the_day(text: str, first: str, last: str) -> None:
    found = whole_date(text, TODAY)
    assert found is not None
    assert (found.first, found.last) == (date.fromisoformat(first), date.fromisoformat(last))
    assert not any(each.is_read for each in find_dates(text))


@pytest.mark.parametrize("text", ["2025년 2월 30일", "2024-13-01"])
def test_a_day_that_does_not_exist_is_marked(text: str) -> None:
    (found,) = find_dates(text)
    assert not found.possible
    assert found.first is None


@pytest.mark.parametrize("text", ["3개월", "2026-14", "2,027 units", "제2026호", "may be", "march on", "5일간"])
def test_other_figures_are_no_dates(text: str) -> None:
    assert find_dates(text, TODAY) == []


def test_the_place_in_the_text_is_kept() -> None:
    text = "계약은 2027년 5월 5일 이전에, renewal by end of June 2028 at the latest."
    assert [text[each.start : each.end] for each in find_dates(text)] == ["2027년 5월 5일", "end of June 2028"]


def test_a_date_with_more_words_is_no_whole_date() -> None:
    assert whole_date("from May 2027 or later") is None
