"""A figure that follows from those of the source is no contradiction of them."""

import pytest

from packs.evaluate import assess


def status(claim: str, source: str) -> str:
    data = assess([{"text": claim, "source_ids": ["1"]}], [{"id": "1", "title": "Source", "text": source}], None)
    return str(data["interpretation"][0]["status"])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The hall was planned to cost 40 million euros.", "It cost 47 million euros, 7 million more than planned."),
        ("The fare for pupils is 4 euros.", "The fare is 8 euros, and pupils pay half."),
        ("Wind's share has grown by 6 percentage points.", "Wind supplies 33 percent. In 2020 it supplied 27 percent."),
        ("120명은 찬성한다고 답하지 않았다.", "주민 400명 가운데 280명이 찬성한다고 답했다."),
        ("학생 요금은 4,000원이다.", "어른 요금은 8,000원이고 학생은 반값이다."),
        ("수력의 비중은 2020년보다 6%포인트 낮아졌다.", "2023년 수력은 27%였다. 비중은 2020년 33%에서 낮아졌다."),
        ("새 모터는 출력의 90%를 낸다.", "새 모터가 출력의 90%를 낸다고 회사는 밝혔다. 기존 모터는 70%를 냈다."),
    ],
)  # fmt: skip
def test_what_follows_from_the_figures_is_not_contradicted(claim: str, source: str) -> None:
    assert status(claim, source) != "contradicted"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The hall cost 40 million euros.", "The hall cost 47 million euros."),
        ("Profits rose by 6 percentage points.", "Profits rose by 6 percent."),
        ("어른 요금은 9,000원이다.", "어른 요금은 8,000원이고 학생은 반값이다."),
    ],
)
def test_another_figure_still_contradicts(claim: str, source: str) -> None:
    assert status(claim, source) == "contradicted"
