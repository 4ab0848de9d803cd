"""Numbers with their units: notation is read exactly, and what cannot be read to the last character is refused."""

import time
from decimal import Decimal

import pytest

from packs.text.quantities import comparable, converted, find_quantities, whole_quantity


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("₩82 million", "82000000", "KRW"),
        ("$1,310", "1310", "USD"),
        ("US$ 17k", "17000", "USD"),
        ("€2.5m", "2500000", "EUR"),
        ("48,500 dollars", "48500", "USD"),
        ("1.3bn won", "1300000000", "KRW"),
        ("2억 7천만원", "270000000", "KRW"),
        ("1.35억 원", "135000000", "KRW"),
        ("3억 5,000만 원", "350000000", "KRW"),
        ("1억 2,345만 6,789원", "123456789", "KRW"),
        ("3,200백만원", "3200000000", "KRW"),
        ("2천 4백원", "2400", "KRW"),
        ("7만 5천원", "75000", "KRW"),
        ("1조 2,000억 원", "1200000000000", "KRW"),
        ("이천오백만 원", "25000000", "KRW"),
        ("만 원", "10000", "KRW"),
        ("４５만원", "450000", "KRW"),
        ("4만 달러", "40000", "USD"),
        ("three weeks", "3", "week"),
        ("twenty-five days", "25", "day"),
        ("two and a half years", "2.5", "year"),
        ("half an hour", "30", "minute"),
        ("2년 3개월", "27", "month"),
        ("1 h 45 min", "105", "minute"),
        ("2년 반", "2.5", "year"),
        ("보름", "15", "day"),
        ("열흘", "10", "day"),
        ("한 시간", "1", "hour"),
        ("두 배", "2", "times"),
        ("세 곳", "3", "place"),
        ("5영업일", "5", "business day"),
        ("99.95 %", "99.95", "%"),
        ("1.5%p", "1.5", "%p"),
        ("2 percentage points", "2", "%p"),
        ("-5.3%", "-5.3", "%"),
        ("1.7M", "1700000", ""),
        ("1,700m", "1700", "m"),
        ("900평", "900", "pyeong"),
        ("2,900 W", "2900", "W"),
        ("3 TB", "3", "TB"),
        ("76점", "76", "point"),
        ("4 branches", "4", "branches"),
        ("350 people", "350", "person"),
        ("2,000", "2000", ""),
    ],
)
def test_one_amount_is_read_exactly(text: str, amount: str, unit: str) -> None:
    quantity = whole_quantity(text)
    assert quantity is not None
    assert (quantity.low, quantity.high, quantity.unit) == (Decimal(amount), Decimal(amount), unit)


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("21–24%", "21", "24", "%"),
        ("4-6 days", "4", "6", "day"),
        ("between 12 and 15 percent", "12", "15", "%"),
        ("7 to 9 weeks", "7", "9", "week"),
        ("27~31만원", "270000", "310000", "KRW"),
        ("8천~1만 2천원", "8000", "12000", "KRW"),
        ("6%에서 9%", "6", "9", "%"),
        ("3일에서 5일", "3", "5", "day"),
        ("$1.2–1.5 million", "1200000", "1500000", "USD"),
        ("$14-$18", "14", "18", "USD"),
    ],
)
def test_a_range_has_two_ends(text: str, low: str, high: str, unit: str) -> None:
    quantity = whole_quantity(text)
    assert quantity is not None
    assert (quantity.low, quantity.high, quantity.unit) == (Decimal(low), Decimal(high), unit)


@pytest.mark.parametrize(
    ("text", "per"),
    [
        ("월 8만 9천원", "month"),
        ("연 120만원", "year"),
        ("매월 300만원", "month"),
        ("한 달에 7만원", "month"),
        ("1인당 4만원", "person"),
        ("$90k per year", "year"),
        ("$40k a year", "year"),
        ("$6/user/month", "user/month"),
        ("12 USD per seat", "seat"),
        ("주 4일", "week"),
        ("$5,000", ""),
    ],
)
def test_what_an_amount_is_per_is_kept(text: str, per: str) -> None:
    quantity = whole_quantity(text)
    assert quantity is not None
    assert quantity.per == per


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at most 30 days", "at_most"),
        ("45일 이내", "at_most"),
        ("no more than $5,000", "at_most"),
        ("must not exceed $5,000", "at_most"),
        ("700만원을 초과할 수 없다", "at_most"),
        ("700만원을 넘지 않아야 한다", "at_most"),
        ("5명까지", "at_most"),
        ("at least 3 years", "at_least"),
        ("not less than 99%", "at_least"),
        ("경력 5년 이상", "at_least"),
        ("최소 3명", "at_least"),
        ("less than 2%", "under"),
        ("90% 미만", "under"),
        ("more than $70", "over"),
        ("700만원을 넘는", "over"),
        ("700만원 초과", "over"),
        ("30 days", ""),
    ],
)
def test_words_beside_a_figure_bound_it(text: str, bound: str) -> None:
    (quantity,) = find_quantities(text)
    assert quantity.bound == bound


@pytest.mark.parametrize("text", ["about 7%", "약 7%", "7% 정도", "~7%", "roughly 7 percent"])
def test_an_approximate_figure_says_so(text: str) -> None:
    quantity = whole_quantity(text)
    assert quantity is not None
    assert quantity.approximate


def test_a_score_keeps_its_scale() -> None:
    quantity = whole_quantity("4.3/5")
    assert quantity is not None
    assert (quantity.low, quantity.unit, quantity.out_of) == (Decimal("4.3"), "point", Decimal(5))


@pytest.mark.parametrize(
    "text",
    [
        "to be confirmed", "업체 확인 필요", "3rd", "v2", "1.2.3", "2 of 5", "30 days or 2 weeks",
        "5 things that happened", "2027-05-01", "35만 원이며", "1,5", "", "9" * 200, "3분기", "제3조",
    ],
)  # fmt: skip
def test_what_is_not_one_quantity_is_refused(text: str) -> None:
    assert whole_quantity(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "ISO 27001", "SOC 2", "제3조 2항", "2분기", "[12]", "1588-1234", "https://a.example/2024/55", "Q3 2027",
        "v1.2.3", "B2B", "오전 9시 30분", "at 9:30", "2027년 5월 5일", "the 3rd offer", "Phase 2",
        "a 5G network", "one of them", "(source: Survey 2025, p. 4)", "decision 2026-14", "in 2026",
    ],
)  # fmt: skip
def test_names_dates_and_ordinals_are_no_quantities(text: str) -> None:
    assert find_quantities(text) == []


def test_spans_lead_back_into_the_given_text() -> None:
    text = "비용은\u200b ２００만원이고, 기간은 약 3~5주이다."
    found = find_quantities(text)
    assert [text[each.start : each.end] for each in found] == ["２００만원", "3~5주"]
    assert text[slice(*found[1].around)] == "약 3~5주"


def test_a_sentence_may_hold_several() -> None:
    found = find_quantities("Setup costs $30k plus $2k a month, and 4 people need 6 weeks.")
    assert [(str(each.low), each.unit, each.per) for each in found] == [
        ("30000", "USD", ""),
        ("2000", "USD", "month"),
        ("4", "person", ""),
        ("6", "week", ""),
    ]


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [("2 weeks", "day", "14"), ("3 years", "month", "36"),
     ("5 miles", "km", "8.04672"), ("1,500 W", "kW", "1.5"), ("121평", "m2", "400")],
)  # fmt: skip
def test_exact_factors_convert(text: str, unit: str, amount: str) -> None:
    quantity = whole_quantity(text)
    assert quantity is not None
    result = converted(quantity, unit)
    assert result is not None
    assert (result.low, result.unit) == (Decimal(amount), unit)


@pytest.mark.parametrize(("text", "unit"), [("1 month", "day"), ("5 USD", "KRW"), ("5%", "%p"), ("3 kg", "km")])
def test_what_has_no_exact_factor_is_not_converted(text: str, unit: str) -> None:
    quantity = whole_quantity(text)
    assert quantity is not None
    assert converted(quantity, unit) is None


def test_a_month_is_comparable_as_the_days_it_can_have() -> None:
    month, half_year = whole_quantity("1 month"), whole_quantity("6개월")
    assert month is not None
    assert half_year is not None
    in_days, longer = comparable(month, "day"), comparable(half_year, "day")
    assert in_days is not None
    assert longer is not None
    assert (in_days.low, in_days.high) == (Decimal(28), Decimal(31))
    assert (longer.low, longer.high) == (Decimal(181), Decimal(184))


def test_a_hundred_thousand_characters_are_read_in_seconds() -> None:
    text = "회의 결과 3주 뒤 다시 보기로 했고 비용은 3억 5,000만 원이다. Then 4 people met on 3 May 2027. " * 1_200
    started = time.perf_counter()
    assert len(find_quantities(text)) == 3 * 1_200
    assert time.perf_counter() - started < 10
