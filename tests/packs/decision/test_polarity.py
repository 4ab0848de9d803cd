"""Which way a sentence leans. Only clear sentences count; a word list must not pretend to read more."""

import pytest

from packs.decision.polarity import lean


@pytest.mark.parametrize(
    "text",
    [
        "Support is excellent.",
        "The support team is not slow.",
        "Support has never been unreliable.",
        "기술 지원이 우수합니다.",
        "속도가 빠릅니다.",
        "지원이 느리지 않습니다.",
        "Support quality is high.",
        "가동률이 높습니다.",
        "고객 지원에 불만이 없습니다.",
        "고객 지원에 불만이 적습니다.",
    ],
)
def test_speaks_for_it(text: str) -> None:
    assert lean(text, "higher_is_better") == 1


@pytest.mark.parametrize(
    "text",
    [
        "Support is slow.",
        "Support is not reliable.",
        "Customers say the support isn't good.",
        "기술 지원이 느립니다.",
        "서비스가 불안정합니다.",
        "지원이 좋지 않습니다.",
        "품질이 낮다는 평가가 있다.",
        "고객 지원이 느리다는 불만이 많다.",
        "고객 지원에 불만이 있다.",
    ],
)
def test_speaks_against_it(text: str) -> None:
    assert lean(text, "higher_is_better") == -1


@pytest.mark.parametrize(
    "text",
    ["There is support.", "Support is good but slow.", "지원이 있습니다.", "빠르지만 비싸다.", "", "A goodwill badge."],
)
def test_says_nothing_clear(text: str) -> None:
    assert lean(text, "higher_is_better") == 0


@pytest.mark.parametrize(
    ("text", "sign"), [("The risk is low.", 1), ("The risk is high.", -1), ("비용이 낮습니다.", 1)]
)
def test_high_and_low_depend_on_the_direction(text: str, sign: int) -> None:
    assert lean(text, "lower_is_better") == sign
    assert lean(text, "higher_is_better") == -sign
