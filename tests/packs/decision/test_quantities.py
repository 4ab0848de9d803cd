"""What a value says, and that nothing is converted."""

from fractions import Fraction

import pytest

from packs.decision.brief import Scalar
from packs.decision.quantities import Flag, Judgement, Level, Quantity, Reading, interpret, verbatim


@pytest.mark.parametrize(
    ("value", "amount", "unit"),
    [
        (30, "30", ""),
        (0.1, "1/10", ""),
        (-2.5, "-5/2", ""),
        ("30 USD", "30", "usd"),
        ("1,200,000원", "1200000", "원"),
        ("99.9 %", "999/10", "%"),
        ("30 days", "30", "day"),
        ("1 day", "1", "day"),
        ("$25", "25", "$|"),
        ("３０일", "30", "일"),
        ("+4", "4", ""),
    ],
)
def test_one_number_with_its_unit_is_a_quantity(value: Scalar, amount: str, unit: str) -> None:
    assert interpret(value) == Quantity(Fraction(amount), unit)


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
    ],
)
def test_grades_and_yes_or_no_are_read(value: Scalar, reading: Reading) -> None:
    assert interpret(value) == reading


@pytest.mark.parametrize(
    "value",
    [
        "",
        "10-20 days",
        "3억 5천만원",
        "2 of 5",
        "v2",
        "1.2.3",
        "3rd",
        "a long story about 5 things that happened",
        "상당함",
    ],
)
def test_what_is_not_one_comparable_value_is_left_alone(value: str) -> None:
    assert interpret(value) is None


@pytest.mark.parametrize(
    ("one", "other"), [("30 days", "2 weeks"), ("30 USD", "30 EUR"), ("5", "5 kg"), ("1.5k", "1500")]
)
def test_different_units_stay_different(one: str, other: str) -> None:
    first, second = interpret(one), interpret(other)
    assert isinstance(first, Quantity)
    assert isinstance(second, Quantity)
    assert first.unit != second.unit


@pytest.mark.parametrize(("value", "text"), [(30, "30"), (0.1, "0.1"), (True, "true"), ("1,200,000원", "1,200,000원")])
def test_values_are_shown_as_they_were_given(value: Scalar, text: str) -> None:
    assert verbatim(value) == text
