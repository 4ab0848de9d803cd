"""Whether a text claims something itself, or asks, warns, denies or reports."""

import pytest

from packs.compliance import review
from packs.compliance.frames import ENGLISH, MalformedFrame, parse_frame


def found(text: str) -> list[str]:
    return [each["rule_id"] for each in review(text, "general", rewrites=False)["findings"]]


@pytest.mark.parametrize(
    ("claimed", "not_claimed"),
    [
        ("부작용 없는 약이 나왔습니다.", "부작용 없는 약이 있을까요?"),
        ("“무조건 수익을 보장한다”고 약속드립니다.", "“무조건 수익을 보장한다”는 광고를 믿을 수 있을까?"),
        ("원금 보장을 약속합니다.", "원금 보장을 약속하면 의심한다."),
        ("직원 채용, 키 170cm 이상만 지원", "다음 중 위법한 채용 공고는? 1) 키 170cm 이상만 지원"),
        ("A loan with approval for everyone.", "If it promises approval for everyone, walk away."),
    ],
    ids=["question", "doubt", "advice", "exercise", "warning"],
)
def test_who_asks_or_warns_claims_nothing(claimed: str, not_claimed: str) -> None:
    assert found(claimed)
    assert found(not_claimed) == []


def test_only_a_bar_before_the_mark_makes_alternatives_optional() -> None:
    """`others?` reads as one optional word and would make the whole element optional: it is refused."""
    with pytest.raises(MalformedFrame, match="optional"):
        parse_frame("ahead_of ~14 rivals|others?", ENGLISH, {})
    assert parse_frame("ahead_of ~14 rivals|others|?", ENGLISH, {}).orders[0][1][0].optional
