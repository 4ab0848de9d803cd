"""Tables and lists decide comparisons, superlatives and ranks by their figures."""

import pytest

from packs.evaluate import assess

HEATERS = "\n".join(
    (
        "| Stove | Power | Noise | Price |",
        "|---|---|---|---|",
        "| Alder | 1,400 W | 41 dB | $82 |",
        "| Birch | 1,900 W | 37 dB | $71 |",
        "| Cedar | 1,100 W | 30 dB | $99 |",
    )
)
RACE = "Regatta results: 1. Ines Maro 1:12:05; 2. Ola Brandt 1:12:40; 3. Kai Fenn 1:14:02."
TOWNS = "Inhabitants: Arlo 52,000; Benn 38,000; Corva 9,400."
STOVES_KO = "\n".join(
    (
        "난로 | 출력 | 소음 | 값",
        "참나무 | 1,400W | 41dB | 8만 원",
        "자작 | 1,900W | 37dB | 7만 원",
        "삼나무 | 1,100W | 30dB | 9만 원",
    )
)
RACE_KO = "결과: 1위 강마루 1시간 12분 5초, 2위 윤슬기 1시간 12분 40초, 3위 한결 1시간 14분 2초."


def status(source: str, claim: str) -> str:
    data = assess([{"text": claim, "source_ids": ["1"]}], [{"id": "1", "title": "", "text": source}], None)
    return str(data["interpretation"][0]["status"])


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        (HEATERS, "Birch is the cheapest stove.", "supported"),
        (HEATERS, "Cedar is the cheapest stove.", "contradicted"),
        (HEATERS, "Cedar is the quietest of the three stoves.", "supported"),
        (HEATERS, "Alder costs more than Birch.", "supported"),
        (HEATERS, "Alder costs more than Cedar.", "contradicted"),
        (HEATERS, "Cedar has the lowest power.", "supported"),
        (RACE, "Ola Brandt finished second.", "supported"),
        (RACE, "Kai Fenn won the regatta.", "contradicted"),
        (RACE, "Kai Fenn finished ahead of Ola Brandt.", "contradicted"),
        (RACE, "Brandt was 35 seconds behind Maro.", "supported"),
        (RACE, "Brandt was 53 seconds behind Maro.", "contradicted"),
        (TOWNS, "Arlo has the most inhabitants.", "supported"),
        (TOWNS, "Corva has more inhabitants than Benn.", "contradicted"),
        (STOVES_KO, "자작이 가장 싸다.", "supported"),
        (STOVES_KO, "소음은 참나무가 가장 작다.", "contradicted"),
        (RACE_KO, "윤슬기는 2위를 했다.", "supported"),
        (RACE_KO, "한결이 우승했다.", "contradicted"),
        (RACE_KO, "한결이 윤슬기보다 빨랐다.", "contradicted"),
    ],
)
def test_the_rows_decide(source: str, claim: str, expected: str) -> None:
    assert status(source, claim) == expected


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (HEATERS, "Birch was the cheapest stove in 2019."),
        (HEATERS, "Birch is the cheapest stove made in Norway."),
        (HEATERS, "Birch is the prettiest stove."),
        (HEATERS, "Birch may become the cheapest stove."),
        (RACE, "Ola Brandt finished second in the national league."),
        (STOVES_KO, "자작이 작년에 가장 많이 팔렸다."),
    ],
)
def test_what_the_rows_do_not_explain_is_left_open(source: str, claim: str) -> None:
    assert status(source, claim) in ("not_verified", "not_in_sources")


def test_a_second_answer_about_the_same_table_gets_the_same_verdict() -> None:
    assert [status(HEATERS, "Birch is the cheapest stove.") for _ in range(2)] == ["supported", "supported"]
