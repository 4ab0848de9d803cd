"""What an assessment says: sub-scores with reasons, evidence apart from its reading, open points, assumptions."""

import time
from typing import Any

import pytest

from dpp_project.canonical import canonical_bytes
from packs.evaluate import WEIGHTS, assess
from packs.evaluate.submission import MAX_CLAIMS

REPORT = {"id": "1", "title": "사업보고서", "text": "2024년 매출은 120억 원이다. 직원은 350명이다. 공장은 부산에 있다."}


def reasons(data: dict[str, Any], name: str) -> list[str]:
    return [reason["code"] for reason in data["subscores"][name]["reasons"]]


def statuses(data: dict[str, Any]) -> list[str]:
    return [each["status"] for each in data["interpretation"]]


def test_every_subscore_carries_its_weight_and_reasons() -> None:
    data = assess("2024년 매출은 120억 원이다 [1].", [REPORT], None)
    assert list(data["subscores"]) == list(WEIGHTS)
    for name, subscore in data["subscores"].items():
        assert subscore["weight"] == WEIGHTS[name]
        assert subscore["reasons"]
    assert data["score"] == 100


def test_the_rows_add_up_to_the_score_and_the_reasons_to_each_subscore() -> None:
    for text in (
        "매출은 매우 좋다. 직원은 성실하다.",
        "직원은 530명이다 [1]. 공장은 부산에 있다 [1]. 매출은 130억 원이다.",
    ):
        data = assess(text, [REPORT], None)
        assert sum(row["points"] for row in data["adds_up"]) == data["score"]
        for name, subscore in data["subscores"].items():
            if subscore["applies"]:
                start = 0 if name == "evidence_coverage" else 100
                assert start + sum(reason["points"] for reason in subscore["reasons"]) == subscore["score"], name


def test_the_weight_of_what_does_not_apply_goes_to_the_evidence() -> None:
    data = assess("매출은 매우 좋다. 직원은 성실하다.", [], None)
    assert data["subscores"]["number_consistency"]["score"] is None
    assert reasons(data, "number_consistency") == ["NO_FIGURES"]
    assert [row["part"] for row in data["adds_up"]] == [
        "evidence_coverage",
        "contradictions",
        "citation_hygiene",
        "clarity",
    ]


def test_the_caller_may_change_weights() -> None:
    text = "매출은 매우 좋다. 직원은 성실하다."
    only_clarity = {"weights": dict.fromkeys(WEIGHTS, 0) | {"clarity": 1}}
    data = assess(text, [], only_clarity)
    assert data["score"] == data["subscores"]["clarity"]["score"]
    assert data["rubric"] == {"weights": only_clarity["weights"], "overridden": True}


@pytest.mark.parametrize("weights", [{"beauty": 1}, dict.fromkeys(WEIGHTS, 0), {"clarity": -1}])
def test_a_rubric_that_cannot_score_is_refused(weights: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="weights"):
        assess("text", [], {"weights": weights})


def test_evidence_holds_facts_and_interpretation_the_reading() -> None:
    data = assess("직원은 350명이다. 공장은 서울에 있다.", [REPORT], None)
    first = data["evidence"][0]
    assert first["passage"]["quote"] == "직원은 350명이다."
    assert [each["written"] for each in first["figures"]] == ["350명"]
    assert REPORT["text"][first["passage"]["start"] : first["passage"]["end"]] == "직원은 350명이다."
    assert all("status" not in entry for entry in data["evidence"])
    assert statuses(data) == ["supported", "contradicted"]


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("2024년 매출은 12,000,000,000원이다.", "supported"),
        ("2024년 매출은 130억 원이다.", "contradicted"),
        ("공장은 부산에 있지 않다.", "contradicted"),
        ("직원은 350명이고 매출은 130억 원이다.", "partly"),
        ("공장은 부산에 있고 매우 크다.", "partly"),
        ("2024년 부산 공장의 매출은 120억 원이다.", "not_verified"),
        ("경영진은 낙관적으로 전망한다.", "not_in_sources"),
        ("한국은행에 따르면 물가 전망은 밝다.", "not_verified"),
        ("물가 전망은 밝다 (한국은행, 2024).", "not_verified"),
        ("경영진은 낙관적으로 전망한다 [1].", "not_in_sources"),  # the text of [1] was given, and does not say so
    ],
)
def test_a_claim_is_read_against_its_source(claim: str, status: str) -> None:
    assert statuses(assess(claim, [REPORT], None)) == [status]


def test_claims_given_one_by_one_may_name_their_sources() -> None:
    claims: list[str | dict[str, Any]] = ["직원은 350명이다.", {"text": "환율은 안정될 전망이다.", "source_ids": ["b"]}]
    data = assess(claims, [REPORT, {"id": "b", "title": "전망", "url": "https://b.example"}], None)
    assert statuses(data) == ["supported", "not_verified"]
    assert data["interpretation"][1]["code"] == "SOURCE_WITHOUT_TEXT"
    assert [each["claim_index"] for each in data["evidence"]] == [0, 1]


def test_unseen_sources_are_an_assumption_with_three_outcomes() -> None:
    (assumption,) = assess("한국은행에 따르면 물가 전망은 밝다.", [], None)["asmp"]
    assert assumption["pessimistic"] < assumption["base"] < assumption["optimistic"]
    assert assess("직원은 350명이다.", [REPORT], None)["asmp"] == []


def test_every_open_point_names_its_claim() -> None:
    assert [each["code"] for each in assess("경영진은 낙관적으로 전망한다.", [], None)["open"]] == [
        "NO_SOURCES",
        "NOT_VERIFIED",
    ]
    (point,) = assess("2024년 매출은 130억 원이다.", [REPORT], None)["open"]
    assert (point["id"], point["code"], point["claim_index"]) == ("OPEN-1", "CONTRADICTED", 0)
    assert "2024년 매출은 130억 원이다." in point["text"]
    (no_text, _) = assess("매출은 좋다고 본다.", [{"title": "t"}], None)["open"]
    assert no_text["code"] == "SOURCES_WITHOUT_TEXT"


def test_what_can_be_computed_is_computed_and_shown() -> None:
    source = "Sales were 40 million euros in 2023 and 50 million euros in 2024."
    data = assess("Sales rose by 10 million euros between 2023 and 2024 [1].", [{"id": "1", "text": source}], None)
    assert statuses(data) == ["supported"]
    shown = {each["written"]: each["arithmetic"] for each in data["evidence"][0]["computed"]}
    assert shown["10 million euros"] == "50 million euros - 40 million euros = 10000000"


def test_a_contradicted_claim_caps_the_score() -> None:
    right = assess("직원은 350명이다 [1]. 공장은 부산에 있다 [1].", [REPORT], None)
    wrong = assess("직원은 350명이다 [1]. 공장은 부산에 있지 않다 [1].", [REPORT], None)
    assert right["score"] == 100
    assert wrong["score"] == 30  # 60 x 1/2
    assert [row["part"] for row in wrong["adds_up"]][-1] == "CAP_CONTRADICTED"


def test_an_answer_nobody_could_verify_stays_below_half() -> None:
    data = assess("경영진은 낙관적으로 전망한다 [1]. 주주는 배당을 기대한다 [1].", [REPORT], None)
    assert data["score"] <= 30
    assert [row["part"] for row in data["adds_up"]][-1] == "CAP_VERIFIED"


def test_at_most_five_next_actions_each_with_its_effect() -> None:
    text = " ".join(f"부서 {number}번은 예산을 모두 집행했다 [1]." for number in range(8))
    data = assess(text, [REPORT], None)
    assert len(data["next_actions"]) == 5
    assert all(action["action"] and action["changes"] for action in data["next_actions"])
    assert {action["claim_index"] for action in data["next_actions"]} <= set(range(8))


def test_different_years_are_no_conflict() -> None:
    data = assess("2023년 회사 매출 총액은 100억 원이다. 2024년 회사 매출 총액은 120억 원이다.", [], None)
    assert reasons(data, "number_consistency") == ["CONSISTENT"]
    data = assess("2023년 회사 수출 물량은 증가했다. 2024년 회사 수출 물량은 감소했다.", [], None)
    assert reasons(data, "contradictions") == ["NONE_FOUND"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("전문가들에 따르면 시장은 성장한다.", "VAGUE_ATTRIBUTION"),
        ("Studies show the market is growing.", "VAGUE_ATTRIBUTION"),
        ("시장은 매년 성장한다 [9].", "DANGLING_CITATION"),
        ("그는 “" + "아주 긴 말을 " * 10 + "”라고 했다.", "LONG_QUOTATION"),
        ("그는 “공장은 대구에 이미 있다고 한다”라고 했다.", "INEXACT_QUOTATION"),
        ("시장은 매년 성장한다.", "NO_CITATIONS"),
    ],
)
def test_citation_faults_are_named(text: str, code: str) -> None:
    assert code in reasons(assess(text, [REPORT], None), "citation_hygiene")


def test_an_exact_quotation_passes_whatever_its_marks_and_spaces() -> None:
    data = assess(
        '보고서는 "공장은   부산에 있다"고 썼다 [1]. 보고서는 “공장은 부산에 있다.”라고 적었다 [1].', [REPORT], None
    )
    assert "INEXACT_QUOTATION" not in reasons(data, "citation_hygiene")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("매우 다양한 효과가 있다.", "VAGUE_WORDS"),
        ("비용은 줄어들 것 같다.", "HEDGING"),
        ("지금 바로 시작하세요!!", "SHOUTING"),
        ("하지 않을 수 없다고 본다.", "DOUBLE_NEGATIVE"),
        ("word " * 40 + "end.", "LONG_SENTENCES"),
        ("단어 " * 30 + "끝이다.", "LONG_SENTENCES"),
        ("비용은 줄었다.", "CLEAR"),
    ],
)
def test_clarity_faults_are_named(text: str, code: str) -> None:
    assert code in reasons(assess(text, [], None), "clarity")


def test_quotations_have_at_most_25_words() -> None:
    long = "단어 " * 40 + "끝이다."
    data = assess(long, [{"title": "t", "text": long}], None)
    for entry in data["evidence"]:
        for quote in (entry["claim"], entry["passage"]["quote"]):
            assert len(quote.removesuffix(" …").split()) <= 25


def test_what_is_left_out_is_said() -> None:
    data = assess("\n".join(f"부서 {number}번은 예산을 모두 집행했다." for number in range(MAX_CLAIMS + 5)), [], None)
    assert len(data["evidence"]) == MAX_CLAIMS
    assert "CLAIMS_LEFT_OUT" in [each["code"] for each in data["open"]]


def test_the_same_inputs_give_the_same_bytes() -> None:
    text = "2024년 매출은 130억 원이다 [1]. 직원은 350명이다. 공장은 부산에 있지 않다. 전문가들에 따르면 매우 좋다."
    assert canonical_bytes(assess(text, [REPORT], None)) == canonical_bytes(assess(text, [REPORT], None))


@pytest.mark.parametrize("text", [" ", "a", "?", "1", "\n\n", "“”", "[1]", "\u200b", "2024-99-99", "\U0001f600"])
def test_tiny_texts_are_assessed(text: str) -> None:
    data = assess(text, [], None)
    assert 0 <= data["score"] <= 100
    canonical_bytes(data)


HOSTILE = {
    "digits": "1,",
    "figures": "1억 2천만 원 ",
    "sentences": "매출은 10% 늘었다. ",
    "quotes": "“a b c d” ",
    "brackets": "([",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_cost_bounded_time(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    took = _seconds_for(text)
    # On a slow machine: four times the text is about four times the work, not sixteen times.
    assert took < 5 or took < 8 * _seconds_for(text[:25_000])


def _seconds_for(text: str) -> float:
    before = time.process_time()
    assess(text, [text[: len(text) // 2]], None)
    return time.process_time() - before


@pytest.mark.parametrize(
    ("text", "vague"),
    [
        ("전문가들은 성장이 계속될 것으로 본다고 합니다.", True),
        ("일부는 가격이 곧 내릴 것으로 전망한다.", True),
        ("한국은행은 성장률이 2%가 될 것으로 전망한다.", False),
    ],
)
def test_nobody_in_particular_is_no_source(text: str, vague: bool) -> None:
    reasons = assess(text, ["성장률은 2%다."])["subscores"]["citation_hygiene"]["reasons"]
    assert ("VAGUE_ATTRIBUTION" in {reason["code"] for reason in reasons}) is vague
