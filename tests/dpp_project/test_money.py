"""Micros and their text: exact, or refused."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpp_project.money import MAX_BALANCE, InvalidMoney, Micros, format_usd, parse_usd
from dpp_project.profile import LOCKED, PROFILE, load_profile

_AMOUNTS = {"0": 0, "0.5": 500_000, "0.5000": 500_000, "0.0001": 100, "1000000000": 10**15, "007.1": 7_100_000}
_NOT_TEXT: list[Any] = [1, 0.5, True, None, Decimal("0.5"), ["1"]]
_BAD_TEXT = ["", ".5", "1.", "0.50000", "1e3", "-1", "+1", "NaN", "Infinity", " 1", "1 ", "1_000", "1,5", "٣", "0x10"]
_SHOWN = {0: "0.0000", 49: "0.0000", 50: "0.0001", 149: "0.0001", 150: "0.0002", -150: "-0.0002", 500_000: "0.5000"}
_FEES = {5_000: 5_000, 250_000: 5_000, 250_049: 5_000, 250_050: 5_001, 500_000: 10_000, 5_000_000: 100_000}


@pytest.mark.parametrize(("text", "micros"), _AMOUNTS.items())
def test_usd_text_becomes_exact_micros(text: str, micros: int) -> None:
    assert parse_usd(text) == micros


@pytest.mark.parametrize("text", [*_BAD_TEXT, "1\n", "9" * 21, *_NOT_TEXT])
def test_everything_else_is_refused(text: Any) -> None:
    with pytest.raises(InvalidMoney):
        parse_usd(text)


@pytest.mark.parametrize(("micros", "text"), [*_SHOWN.items(), (MAX_BALANCE, "9007199254.7410")])
def test_micros_are_shown_with_four_places_half_up(micros: int, text: str) -> None:
    assert format_usd(Micros(micros)) == text


@given(st.integers(min_value=0, max_value=10**13))
def test_what_is_shown_reads_back_the_same(hundreds: int) -> None:
    assert parse_usd(format_usd(Micros(hundreds * 100))) == hundreds * 100


@pytest.mark.parametrize(("reserved", "fee"), [*_FEES.items(), (10**15, 100_000), (4_000, 4_000), (1, 1)])
def test_the_minimum_fee_is_two_percent_within_its_bounds_and_the_reservation(reserved: int, fee: int) -> None:
    assert LOCKED.minimum_fee(Micros(reserved)) == fee


def test_the_profile_under_test_is_the_locked_one() -> None:
    assert PROFILE == LOCKED


def test_an_override_that_breaks_a_relation_is_refused() -> None:
    with pytest.raises(AssertionError):
        load_profile({"DPP_PROFILE_OVERRIDES": '{"lease_heartbeat_sec": 60}'})
    with pytest.raises(TypeError):
        load_profile({"DPP_PROFILE_OVERRIDES": '{"no_such_number": 1}'})
