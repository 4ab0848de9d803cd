"""What a lawyer corrected once stays corrected: which act is cited for which product, and whom it binds."""

import pytest

from packs.compliance import review
from packs.compliance.rules import PRODUCTS, Rule, rulebook

RULES = rulebook().rules
BY_ID = {rule.id: rule for rule in RULES}
STATUTES = rulebook().statutes

# An act for one product is cited for that product only; these rules are about nothing else.
ONLY_FOR = {
    "medical_service": ("medical", {"HL-PATIENT-INDUCEMENT", "HL-AI-MEDICAL"}),
    "food_labeling": ("food", set()),
    "children_food": ("food", set()),
    "cosmetics": ("cosmetic", set()),
    "medical_devices": ("device", {"HL-DEVICE"}),
    "virtual_asset": ("virtual_asset", set()),
}


def cites(rule: Rule, product: str, statute: str) -> bool:
    acts = {
        each.rsplit(" 제", 1)[0].removesuffix(" (조문 확인 필요)") for each in rule.basis_for(product).ko.split("; ")
    }
    return STATUTES[statute].ko in acts


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("statute", ONLY_FOR)
def test_the_act_of_one_product_is_not_cited_for_another(statute: str, product: str) -> None:
    own, always = ONLY_FOR[statute]
    citing = {rule.id for rule in RULES if product in rule.products and cites(rule, product, statute)}
    assert product == own or citing <= always


@pytest.mark.parametrize("statute", ONLY_FOR)
def test_and_is_cited_for_its_own(statute: str) -> None:
    own, _ = ONLY_FOR[statute]
    assert [rule.id for rule in RULES if cites(rule, own, statute)]


@pytest.mark.parametrize("statute", ["financial_consumer", "capital_markets"])
def test_financial_acts_are_not_cited_for_virtual_assets(statute: str) -> None:
    citing = {rule.id for rule in RULES if "virtual_asset" in rule.products and cites(rule, "virtual_asset", statute)}
    assert citing <= {"FN-LOAN"}  # lending money against coins is lending


def test_a_promise_about_coins_cites_what_covers_coins() -> None:
    data = review("이 코인은 원금과 월 10% 수익을 보장합니다.", "ad")
    (basis,) = {each["basis"]["ko"] for each in data["findings"] if each["rule_id"] == "AD-FINANCE"}
    assert data["summary"]["product"] == "virtual_asset"
    assert "가상자산 이용자 보호" in basis
    assert "금융소비자" not in basis


@pytest.mark.parametrize("product", ["cosmetic", "food", "medical", "device"])
def test_naming_the_expert_is_no_way_out_where_the_recommendation_is_forbidden(product: str) -> None:
    redline = BY_ID["AD-AUTHORITY"].redline_for(product)
    assert "실명" not in redline.ko
    assert "name" not in redline.en.replace("even if the expert is named", "")
    assert "실명" in BY_ID["AD-AUTHORITY"].redline_for("general").ko


@pytest.mark.parametrize("rule_id", ["AI-LABEL-REMOVAL", "AI-HUMAN-CLAIM", "AI-LEFTOVER"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_duty_of_ai_operators_is_no_basis_for_what_anybody_does(rule_id: str, product: str) -> None:
    assert not cites(BY_ID[rule_id], product, "ai_basic")


def test_who_is_bound_by_the_ai_act_and_its_period_of_grace_are_said() -> None:
    citing = [rule for rule in RULES if cites(rule, "general", "ai_basic")]
    assert {rule.id for rule in citing} == {"AI-LABEL", "AI-SYNTHETIC", "AI-NOTICE"}
    for rule in citing:
        assert "인공지능사업자" in rule.mitigation.ko
        assert "계도기간" in rule.mitigation.ko
        assert "period of grace" in rule.mitigation.en


def test_foreign_courts_and_foreign_law_are_two_articles() -> None:
    rule = BY_ID["TS-JURISDICTION-FOREIGN"]
    acts = rule.basis.ko.split("; ")
    assert acts == ["약관의 규제에 관한 법률 제14조", "국제사법 제42조", "국제사법 제47조"]
    for article in ("제14조", "제42조", "제47조"):
        assert article in rule.mitigation.ko


def test_the_companys_own_interpretation_is_unfair_under_the_general_clause() -> None:
    assert BY_ID["TS-INTERPRETATION"].basis.ko == "약관의 규제에 관한 법률 제6조"


def test_a_licence_that_is_a_transfer_is_called_one() -> None:
    rule = BY_ID["TS-LICENCE"]
    assert {"저작권법 제45조", "저작권법 제46조"} <= set(rule.basis.ko.split("; "))
    assert "양도" in rule.mitigation.ko
    for words in (rule.rewrite.ko, rule.rewrite.ko_end):
        assert "양도" not in words
        assert "귀속" not in words


def test_a_cap_on_the_companys_liability_is_no_penalty_of_the_customer() -> None:
    assert BY_ID["TS-LIABILITY-CAP"].basis.ko == "약관의 규제에 관한 법률 제7조"


def test_an_unconfirmed_article_says_so() -> None:
    for rule in RULES:
        for product in PRODUCTS:
            basis = rule.basis_for(product)
            assert basis.ko.count("조문 확인 필요") == basis.en.count("article to be confirmed")
    assert "조문 확인 필요" in BY_ID["AD-FINANCE"].basis_for("virtual_asset").ko
