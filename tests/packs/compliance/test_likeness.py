"""Sentences that resemble examples: what is guessed, what lawful examples prevent, and what it may cost."""

import numpy as np
import pytest

from packs.compliance import review
from packs.compliance.detectors import detected
from packs.compliance.examples import LAWFUL, digest, labelled, written_examples
from packs.compliance.likeness import (
    MAX_SENTENCES,
    Judged,
    Judgement,
    judged,
    learnt,
    likenesses,
    pieces,
    set_aside,
)
from packs.compliance.meaning import ENGLISH, KOREAN, meaning
from packs.compliance.normalise import read, undisguised
from packs.compliance.reading import reading_of
from packs.compliance.rules import KINDS, rulebook

LEAST_RIGHT = 0.97


def judgement(text: str) -> Judgement:
    return learnt().judge(read(text).lower)


def alike(language: str, one: str, other: str) -> float:
    rarity = learnt().word_rarity[language]
    first, second = meaning(one, language, rarity), meaning(other, language, rarity)
    assert first is not None
    assert second is not None
    return float(first @ second)


def test_the_weights_were_learnt_from_the_examples_as_they_are() -> None:
    assert learnt().learnt_from == digest(), "run: python -m bench.packs.likeness"


def test_a_wording_that_is_no_example_gets_the_rule_it_resembles() -> None:
    text = "탈퇴하는 순간 모아 둔 포인트는 몽땅 날아갑니다."
    assert text not in {each for each, _ in labelled()}
    assert judgement(text).label == "TS-FORFEITURE"
    assert judgement("탈퇴하시면 모아 둔 포인트를 바로 계좌로 보내 드립니다.").label == LAWFUL


def test_words_that_are_used_alike_mean_much_the_same() -> None:
    assert alike(ENGLISH, "doctor", "physician") > alike(ENGLISH, "doctor", "weather") + 0.2
    assert alike(KOREAN, "환불은", "반품을") > alike(KOREAN, "환불은", "의사가") + 0.2


def test_a_sentence_without_known_words_is_not_judged() -> None:
    assert judgement("zzqx vvkw qqpz").marks is None


def test_a_sentence_mostly_about_something_else_is_not_like_the_example_it_shares_words_with() -> None:
    near = judgement("적립한 포인트는 즉시 모두 없어집니다.")
    far = judgement("포인트는 즉시 모두 없어집니다만 감독은 노르웨이 피오르에서 새로운 영화를 촬영했다고 한다.")
    assert near.label == "TS-FORFEITURE"
    assert near.clearly > far.clearly


def test_a_frame_in_a_sentence_that_looks_lawful_or_clearly_like_another_rule_is_set_aside() -> None:
    marks = np.zeros(len(learnt().labels), dtype=np.float32)
    marks[0] = 0.6
    assert set_aside("TS-CHANGE", Judgement(LAWFUL, 0.6, marks))
    marks[0], marks[learnt().labels.index("TS-CHANGE")] = 0.0, 0.6
    change = Judgement("TS-CHANGE", 0.6, marks)
    assert set_aside("TS-PENALTY", change)
    assert not set_aside("TS-CHANGE", change)


@pytest.mark.parametrize(
    "text",
    [
        "매장에 오시면 의자에 앉아 보실 수 있습니다.",
        "We opened a second bakery near the station.",
        "목수 한 분을 모십니다.",
    ],
)
def test_an_everyday_sentence_resembles_no_rule(text: str) -> None:
    assert review(text, "ad")["findings"] == []


def test_a_paraphrase_that_no_frame_meets_is_found() -> None:
    text = "면접 자리에서 사귀는 사람이 있는지 여쭤봅니다."
    rule = next(each for each in rulebook().rules if each.id == "HR-DATA")
    assert detected(rule, reading_of(text, "general"))[0] == []
    (finding,) = review(text, "general")["findings"]
    assert (finding["rule_id"], finding["span"]) == ("HR-DATA", {"start": 0, "end": len(text)})
    assert finding["rewrite"] is not None


def test_a_report_about_it_is_left_out() -> None:
    text = "고용노동부는 면접 자리에서 사귀는 사람이 있는지 물은 업체에 과태료를 물렸다."
    data = review(text, "general")
    assert data["findings"] == []


def test_of_the_examples_nearly_all_are_remembered_without_being_looked_up() -> None:
    """What is stored in whole numbers still says what was learnt; what it is worth is measured on other texts."""
    guesses = []
    for text, rule in labelled():
        lower = undisguised(read(text).lower)
        marks = learnt().marks(lower, pieces(lower))
        if rule != LAWFUL and marks is not None:
            guesses.append(learnt().labels[1 + int(np.argmax(marks[1:]))] == rule)
    assert len(guesses) > len(labelled()) / 2
    assert sum(guesses) / len(guesses) > LEAST_RIGHT


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_text_gives_the_same_findings(kind: str) -> None:
    text = " ".join(each.text for each in list(written_examples())[::97])
    learnt.cache_clear()
    first = review(text, kind, rewrites=False)["findings"]
    learnt.cache_clear()
    assert review(text, kind, rewrites=False)["findings"] == first


def likened(text: str) -> dict[str, list[tuple[int, int]]]:
    known: Judged = {}
    return likenesses(judged(text, text.lower(), "policy", known), text.lower(), "policy")


def test_only_so_many_sentences_of_a_long_text_are_compared() -> None:
    known = "탈퇴하면 남은 포인트는 모두 사라지고 돌려받을 수 없습니다."
    filler = "\n".join(
        f"{number}번째 물건은 {number}호 창고의 {number}번 선반에 있습니다." for number in range(MAX_SENTENCES)
    )
    assert likened(f"{known}\n{filler}")["TS-FORFEITURE"]
    assert "TS-FORFEITURE" not in likened(f"{filler}\n{known}")


def test_every_example_stands_below_a_rule_and_a_kind_it_applies_to() -> None:
    kinds = {rule.id: rule.kinds for rule in rulebook().rules}
    for each in written_examples():
        assert each.kind in KINDS
        assert each.rule == LAWFUL or each.kind in kinds[each.rule], each
