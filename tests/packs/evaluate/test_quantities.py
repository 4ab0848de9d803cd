"""Figures, units and dates are read as written: notation is understood, nothing is converted or rounded."""

import pytest

from packs.evaluate.quantities import quantities, without


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1조 2,000억 원", "1200000000000", "KRW"),
        ("1억 2천만원", "120000000", "KRW"),
        ("12,000,000원", "12000000", "KRW"),
        ("₩1,000", "1000", "KRW"),
        ("3만 5천 명", "35000", "person"),
        ("350 people", "350", "person"),
        ("USD 5 million", "5000000", "USD"),
        ("$1.2 billion", "1200000000", "USD"),
        ("5달러", "5", "USD"),
        ("3.50%", "3.5", "%"),
        ("12 percent", "12", "%"),
        ("1.5%p", "1.5", "%p"),
        ("2 percentage points", "2", "%p"),
        ("-5.3%", "-5.3", "%"),
        ("14일", "14", "day"),
        ("6주", "6", "week"),
        ("300 ms", "300", "ms"),
        ("2024. 5. 31.", "2024-05-31", "date"),
        ("2024년 5월 31일", "2024-05-31", "date"),
        ("May 31, 2024", "2024-05-31", "date"),
        ("31 May 2024", "2024-05-31", "date"),
        ("2024년 5월", "2024-05", "date"),
        ("2024년", "2024", "date"),
        ("5월 31일", "--05-31", "date"),
        ("10,000", "10000", ""),
        ("9" * 40, "9" * 40, ""),
        ("0.1", "0.1", ""),
    ],
)
def test_a_figure_is_read_as_written(text: str, value: str, unit: str) -> None:
    (found,) = quantities(f"값 {text} 이다")
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    ("text", "written", "unit"),
    [
        ("It ran in 4 branches for a while.", "4 branches", "branches"),
        ("12 of 30 hospitals answered.", "30 hospitals", "hospitals"),
        ("It was rated 4 versus the rest.", "4", ""),
        ("The 2019 sales were high.", "2019", ""),
        ("Of these, 7 was the best.", "7", ""),
    ],
)
def test_what_is_counted_is_the_unit(text: str, written: str, unit: str) -> None:
    found = quantities(text)[-1]
    assert (found.written, found.unit) == (written, unit)
    assert unit in without(text, quantities(text)), "the noun stays a word of the sentence"


@pytest.mark.parametrize(
    "text",
    [
        "(출처: 2025 고객 조사)",
        "(source: Survey 2025, p. 4)",
        "제3조 2항",
        "2분기",
        "[12]",
        "1588-1234",
        "https://a.example/2024/55",
        "Q3",
        "v1.2.3",
    ],
)
def test_names_with_digits_are_no_figures(text: str) -> None:
    assert quantities(text) == ()


def test_a_day_that_does_not_exist_is_marked() -> None:
    assert [each.possible for each in quantities("2025년 2월 30일, 2월 29일, 2024-13-01")] == [False, True, False]


def test_units_and_currencies_stay_apart() -> None:
    keys = {each.key for each in quantities("5% 5%p 5원 5달러 5명 5개")}
    assert len(keys) == 6


def test_what_is_left_without_figures_are_the_words() -> None:
    text = "매출은 120억 원으로 10% 늘었다"
    assert without(text, quantities(text)).split() == ["매출은", "으로", "늘었다"]
