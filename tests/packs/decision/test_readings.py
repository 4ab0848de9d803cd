"""What a value says, and that the caller's own text is kept beside it."""

from decimal import Decimal

import pytest

from packs.decision.brief import Scalar
from packs.decision.readings import Amount, Day, Flag, Judgement, Level, Reading, as_json, interpret, verbatim


@pytest.mark.parametrize(
    ("value", "amount", "unit"),
    [
        (30, "30", ""),
        (0.1, "0.1", ""),
        (-2.5, "-2.5", ""),
        ("30 USD", "30", "USD"),
        ("1,200,000원", "1200000", "KRW"),
        ("99.9 %", "99.9", "%"),
        ("30 days", "30", "day"),
        ("$25", "25", "USD"),
        ("３０일", "30", "day"),
        ("+4", "4", ""),
    ],
)
def test_one_number_with_its_unit_is_an_amount(value: Scalar, amount: str, unit: str) -> None:
    reading = interpret(value)
    assert isinstance(reading, Amount)
    assert (reading.quantity.low, reading.quantity.unit) == (Decimal(amount), unit)


@pytest.mark.parametrize(
    ("value", "reading"),
    [
        ("High", Level(3)),
        ("매우 낮음", Level(0)),
        ("상", Level(3)),
        ("excellent", Judgement(4)),
        ("미흡", Judgement(1)),
        (True, Flag(True)),
        ("없음", Flag(False)),
        ("yes", Flag(True)),
        ("expired", Flag(False)),
    ],
)
def test_grades_and_yes_or_no_are_read(value: Scalar, reading: Reading) -> None:
    assert interpret(value) == reading


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2 of 5",
        "v2",
        "1.2.3",
        "3rd",
        "a long story about 5 things that happened",
        "상당함",
        "to be confirmed",
        "심사 중",
    ],
)
def test_what_is_not_one_comparable_value_is_left_alone(value: str) -> None:
    assert interpret(value) is None


def test_a_day_is_a_reading_of_its_own() -> None:
    reading = interpret("2027년 3월 2일")
    assert isinstance(reading, Day)
    assert str(reading.span.first) == "2027-03-02"


def test_the_declared_quantity_has_an_amount_or_two_ends() -> None:
    one, both = interpret("월 9만원"), interpret("3~5주")
    assert isinstance(one, Amount)
    assert isinstance(both, Amount)
    assert as_json(one.quantity) == {"amount": 90000, "unit": "KRW/month"}
    assert as_json(both.quantity) == {"low": 3, "high": 5, "unit": "week"}


@pytest.mark.parametrize(("value", "text"), [(30, "30"), (0.1, "0.1"), (True, "true"), ("1,200,000원", "1,200,000원")])
def test_values_are_shown_as_they_were_given(value: Scalar, text: str) -> None:
    assert verbatim(value) == text
