"""A rewrite is given only if a second review of the changed text meets neither the rule nor anything new."""

import pytest

from packs.compliance import review
from packs.compliance.examination import examine
from packs.compliance.rewrites import WHOLE, accepted
from packs.compliance.rules import rulebook

BY_ID = {rule.id: rule for rule in rulebook().rules}
FAR = "회사는 매주 월요일에 창고의 재고를 확인하고 그 결과를 기록합니다. " * (2 * WHOLE // 30)


def is_accepted(text: str, rule_id: str, quoted: str, proposal: str, kind: str = "ad") -> bool:
    start = text.index(quoted)
    return accepted(text, examine(text, kind), BY_ID[rule_id], start, start + len(quoted), proposal)


@pytest.mark.parametrize("far", ["", FAR], ids=["short", "long"])
def test_words_that_no_longer_meet_the_rule_are_accepted(far: str) -> None:
    assert is_accepted(f"{far}당뇨를 완치하는 차입니다. {far}", "AD-MEDICAL", "당뇨를 완치하는", "구수한 향이 나는")


@pytest.mark.parametrize("far", ["", FAR], ids=["short", "long"])
@pytest.mark.parametrize(
    "proposal",
    ["당뇨를 고치는", "부작용 없는", "문의 010-7364-8192, 향이 나는"],
    ids=["same rule", "other rule", "personal"],
)
def test_words_that_meet_a_rule_are_refused(far: str, proposal: str) -> None:
    assert not is_accepted(f"{far}당뇨를 완치하는 차입니다. {far}", "AD-MEDICAL", "당뇨를 완치하는", proposal)


@pytest.mark.parametrize("far", ["", FAR], ids=["short", "long"])
def test_a_sentence_whose_rest_still_resembles_the_rules_examples_is_refused(far: str) -> None:
    text = f"{far}You waive the right to join a class action against us. {far}"
    assert not is_accepted(text, "TS-NO-SUIT", "waive the right", "", "policy")


def test_then_the_whole_sentence_is_rewritten() -> None:
    (finding,) = review("You waive the right to join a class action against us.", "policy")["findings"]
    assert finding["rule_id"] == "TS-NO-SUIT"
    assert finding["quote"] == "You waive the right to join a class action against us"
    assert finding["rewrite"] == BY_ID["TS-NO-SUIT"].rewrite.en


def test_what_was_there_before_is_no_objection() -> None:
    text = "당뇨를 완치하는 차입니다. 암도 완치합니다. 문의 010-7364-8192"
    assert is_accepted(text, "AD-MEDICAL", "당뇨를 완치하는", "구수한 향이 나는")


def test_a_rewrite_that_takes_a_required_label_away_is_refused() -> None:
    text = "AI가 작성한 당뇨를 완치하는 차 소개입니다."
    assert not is_accepted(text, "AD-MEDICAL", "AI가 작성한 당뇨를 완치하는", "구수한 향이 나는", "ai_output")


def test_a_long_text_excuses_from_afar_what_it_excuses_as_a_whole() -> None:
    excused, plain = (f"{head}{FAR}당뇨를 완치하는 차입니다. 구매는 제휴 링크에서 하세요." for head in ("[광고] ", ""))
    assert [each["rule_id"] for each in review(excused, "ad")["findings"]] == ["AD-MEDICAL"]
    assert [each["rule_id"] for each in review(plain, "ad")["findings"]] == ["AD-MEDICAL", "AD-AFFILIATE"]
    assert is_accepted(excused, "AD-MEDICAL", "당뇨를 완치하는", "구수한 향이 나는")


@pytest.mark.parametrize("quoted", ["850714-1234564", "010-7364-8192"])
def test_a_number_is_removed_or_masked_so_that_the_sentence_stays_readable(quoted: str) -> None:
    text = f"신분증 사본: {quoted} 확인했습니다."
    (finding,) = [each for each in review(text, "general")["findings"] if each["rule_id"].startswith("PD-")]
    assert "확인했습니다" not in text[finding["span"]["start"] : finding["span"]["end"]]
    assert finding["rewrite"]
    assert not any(character.isdigit() for character in finding["rewrite"])
