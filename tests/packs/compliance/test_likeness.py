"""Sentences that resemble examples: what is guessed, what lawful examples prevent, and what it may cost."""

import pytest

from packs.compliance import review
from packs.compliance.detectors import detected
from packs.compliance.likeness import (
    LAWFUL,
    MAX_SENTENCES,
    index,
    index_of,
    likenesses,
    pieces,
    written_examples,
)
from packs.compliance.normalise import read
from packs.compliance.reading import reading_of
from packs.compliance.rules import KINDS, rulebook

FOUND, LEAST_RIGHT = 0.5, 0.7
SMALL = index_of(
    (
        ("남은 포인트는 탈퇴하면 모두 없어집니다.", "TS-FORFEITURE"),
        ("탈퇴하면 남은 적립금은 모두 없어집니다.", "TS-FORFEITURE"),
        ("탈퇴하는 즉시 포인트는 모두 사라집니다.", "TS-FORFEITURE"),
        ("탈퇴하면 남은 포인트를 모두 돌려드립니다.", LAWFUL),
        ("탈퇴하시면 남은 적립금을 돌려드립니다.", LAWFUL),
        ("배송은 사흘 걸립니다.", LAWFUL),
        ("주문은 앱에서 하실 수 있습니다.", LAWFUL),
        ("회의는 화요일에 합니다.", LAWFUL),
    )
)


def voted(text: str) -> tuple[str, float]:
    return SMALL.vote(pieces(read(text).lower))


def test_the_nearest_examples_decide() -> None:
    assert voted("탈퇴하면 적립한 포인트는 즉시 모두 없어집니다.")[0] == "TS-FORFEITURE"
    assert voted("탈퇴하시면 남은 포인트를 바로 돌려드립니다.")[0] == LAWFUL


def test_a_sentence_that_shares_nothing_is_not_judged() -> None:
    assert voted("오늘 저녁 메뉴는 무엇인가요") == (LAWFUL, 0.0)


def test_a_sentence_mostly_about_something_else_is_not_like_the_example_it_shares_words_with() -> None:
    near, far = (
        "적립한 포인트는 즉시 모두 없어집니다.",
        "포인트는 즉시 모두 없어집니다만 감독은 노르웨이 피오르에서 촬영했다.",
    )
    assert voted(near)[0] == voted(far)[0] == "TS-FORFEITURE"
    assert voted(far)[1] < voted(near)[1]


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


def test_of_examples_left_out_one_by_one_most_guesses_are_right() -> None:
    """An example never votes for itself here: what is measured is what the others know."""
    examples = [(each.text, each.rule) for each in written_examples()]
    every = index_of(examples)
    guesses = []
    for place, (text, rule) in enumerate(examples):
        guess, agreed = every.vote(pieces(read(text).lower), but=place)
        if guess != LAWFUL and agreed >= FOUND:
            guesses.append(guess == rule)
    assert len(guesses) > len(examples) / 10
    assert sum(guesses) / len(guesses) > LEAST_RIGHT


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_text_gives_the_same_findings(kind: str) -> None:
    text = " ".join(each.text for each in list(written_examples())[::97])
    index.cache_clear()
    first = review(text, kind, rewrites=False)["findings"]
    index.cache_clear()
    assert review(text, kind, rewrites=False)["findings"] == first


def test_only_so_many_sentences_of_a_long_text_are_compared() -> None:
    known = "탈퇴하면 남은 포인트는 모두 사라지고 돌려받을 수 없습니다."
    filler = "\n".join(
        f"{number}번째 물건은 {number}호 창고의 {number}번 선반에 있습니다." for number in range(MAX_SENTENCES)
    )
    assert likenesses(f"{known}\n{filler}", f"{known}\n{filler}".lower())
    assert not likenesses(f"{filler}\n{known}", f"{filler}\n{known}".lower()).get("TS-FORFEITURE")


def test_every_example_stands_below_a_rule_and_a_kind_it_applies_to() -> None:
    kinds = {rule.id: rule.kinds for rule in rulebook().rules}
    for each in written_examples():
        assert each.kind in KINDS
        assert each.rule == LAWFUL or each.kind in kinds[each.rule], each
