"""A whole memo instead of options and criteria: what is paid once, what is paid again, and who is spoken of."""

from typing import Any

from packs.decision import PACK
from tests.packs.llm.context import a_context

MEMO = """Memo: a new till system

The owner has approved a one-off budget of 30,000 EUR; running costs must stay below 900 EUR a month.

Tally costs 21,000 EUR once and 820 EUR a month. The vendor needs four months for the rollout.

Abacus costs 12,000 EUR once and 1,150 EUR a month, and is live within two months.

Ledger costs 28,500 EUR once and 700 EUR a month; the rollout takes six months.

The works council insists that nobody's speed is recorded.
Low running costs are twice as important as a quick rollout."""


def decided() -> dict[str, Any]:
    question = "Which till system should we buy: Tally, Abacus or Ledger?"
    return PACK.execute({"question": question, "context": MEMO}, a_context()).data


def test_what_is_paid_once_and_what_is_paid_again_are_two_criteria() -> None:
    data = decided()
    criteria = {row["criterion"]: row["share"] for row in data["weights"]}
    assert list(criteria) == ["one-off cost", "monthly cost", "time"]
    assert criteria["monthly cost"] == 2 * criteria["time"]
    limits = {row["subject"]: row["quantity"] for row in data["constraints"]}
    assert limits == {
        "one-off cost": {"amount": 30000, "unit": "EUR"},
        "monthly cost": {"amount": 900, "unit": "EUR/month"},
    }


def test_only_who_breaks_a_condition_is_excluded() -> None:
    data = decided()
    assert [row["option"] for row in data["excluded"]] == ["Abacus"]
    assert data["recommendation"]["option"] in ("Tally", "Ledger")


def test_a_sentence_that_goes_on_about_an_option_is_no_condition_for_all() -> None:
    assert not any("four months" in row["quote"] for row in decided()["constraints"])


def test_a_demand_that_stays_unread_makes_the_recommendation_conditional() -> None:
    data = decided()
    assert [row["text"] for row in data["residue"] if row["binding"]] == [
        "The works council insists that nobody's speed is recorded."
    ]
    assert data["reliability"]["score"] < 0.8


MEMO_KO = """[검토] 계산대 교체

초기 도입비는 3천만원까지 승인되었고, 월 이용료는 90만원을 넘을 수 없다.

한셈은 초기 비용 2,100만원에 월 이용료 82만원이다. 구축에는 4개월이 걸린다.
두레는 초기 비용 1,200만원, 월 이용료 115만원이며 두 달이면 쓸 수 있다.
세움은 초기 비용 2,850만원, 월 이용료 70만원이고 구축에 6개월이 걸린다.

구축 기간보다 월 이용료가 두 배 중요하다."""


def test_a_korean_memo_whose_lines_begin_with_the_option_they_are_about() -> None:
    question = "한셈, 두레, 세움 중 어느 계산대를 들여야 할까요?"
    data = PACK.execute({"question": question, "context": MEMO_KO}, a_context()).data
    assert [row["option"] for row in data["excluded"]] == ["두레"]
    shares = {row["criterion"]: row["share"] for row in data["weights"]}
    assert shares["월 이용료"] == 2 * shares["기간"]
    own = next(row for row in data["scores"] if row["option"] == "한셈")
    values = {cell["criterion"]: cell["quantity"]["amount"] for cell in own["criteria"]}
    assert values == {"초기 비용": 21_000_000, "월 이용료": 820_000, "기간": 4}
