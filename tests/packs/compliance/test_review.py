"""What leaves a review: exact spans, masked quotations, counts, and the same bytes every time."""

import random
import time
import unicodedata

import pytest

from dpp_project.canonical import canonical_bytes
from packs.compliance import KINDS, preload, review
from packs.compliance.likeness import learnt
from packs.compliance.result import MAX_COUNTED_PER_RULE, MAX_LISTED_PER_RULE
from packs.compliance.rules import rulebook

RULES = rulebook().rules
BY_ID = {rule.id: rule for rule in RULES}
PLANTED = {
    "PD-RRN": "900101-1234568",
    "PD-RRN-FORM": "210305-3987654",
    "PD-FRN": "770707-5987656",
    "PD-PASSPORT": "M73648192",
    "PD-LICENCE": "11-19-736481-92",
    "PD-CARD": "4111-1111-1111-1111",
    "PD-ACCOUNT": "736481-04-925173",
    "PD-MOBILE": "010-7364-8192",
    "PD-EMAIL": "gildong.hong@mail.example",
    "PD-SECRET": "Zx9!vB7qLm",
    "PD-NAME": "홍길동",
}
LETTER = (
    "성명: 홍길동, 주민등록번호 900101-1234568, 자녀 210305-3987654, 외국인등록번호 770707-5987656, "
    "여권 M73648192, 면허 11-19-736481-92, 카드 4111-1111-1111-1111, 계좌 국민은행 736481-04-925173, "
    "휴대폰 010-7364-8192, 메일 gildong.hong@mail.example, 비밀번호: Zx9!vB7qLm"
)


def windows(secret: str, size: int) -> set[str]:
    bare = "".join(character for character in secret if character.isalnum())
    return {bare[place : place + size] for place in range(len(bare) - size + 1)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "disguise",
    [
        lambda text: text,
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace("-", "\u2013"),
        lambda text: "국내 최고의 효과 100% 보장! “" + text + " 그리고 길게 이어지는 인용문이 여기에 있다” " + text,
        lambda text: "> " + text + "\n> " + text,
    ],
    ids=["plain", "decomposed", "dashes", "inside_a_quotation", "block_quotation"],
)
def test_no_personal_data_leaves_in_clear(kind: str, disguise: object) -> None:
    text = disguise(LETTER)  # type: ignore[operator]
    data = review(text, kind)
    quotes = unicodedata.normalize("NFC", "\n".join(finding["quote"] for finding in data["findings"]))
    assert quotes
    for rule_id, secret in PLANTED.items():
        assert not [window for window in windows(secret, 3) if window in quotes], rule_id
    for finding in data["findings"]:
        rule = BY_ID[finding["rule_id"]]
        product = data["summary"]["product"]
        assert finding["basis"] == rule.basis_for(product).as_json()
        assert finding["redline"] == rule.redline_for(product).as_json()
        assert (finding["title"], finding["mitigation"]) == (rule.title.as_json(), rule.mitigation.as_json())
        assert set(finding) - {"rewrite"} == {
            "rule_id", "title", "severity", "span", "quote", "basis", "redline", "mitigation", "source",
        }  # fmt: skip


def test_every_planted_item_is_found_once() -> None:
    found = [finding["rule_id"] for finding in review(LETTER, "general")["findings"]]
    assert sorted(found) == sorted(PLANTED)


def test_a_number_no_rule_reports_is_masked_too() -> None:
    data = review(
        "“송장 110-123-456789 그리고 7364819251730 을 확인한 다음 반드시 회신해 주시기 바랍니다” 어디선가 본 글이다.",
        "general",
    )
    quotes = " ".join(finding["quote"] for finding in data["findings"])
    assert quotes
    assert not any(character.isdigit() for character in quotes)


def test_spans_point_into_the_text_as_given() -> None:
    text = unicodedata.normalize("NFD", "연락처는 ") + "\u200b０１０－７３６４－８１９２ 입니다."
    (finding,) = review(text, "general")["findings"]
    assert text[finding["span"]["start"] : finding["span"]["end"]] == "０１０－７３６４－８１９２"
    assert finding["quote"] == "***－****－****"


def test_quotations_have_at_most_25_words() -> None:
    text = "“" + "아주 긴 인용문을 이어 씁니다 " * 60 + "”"
    for finding in review(text, "general")["findings"]:
        assert len(finding["quote"].removesuffix(" …").split()) <= 25


def test_the_summary_counts_what_was_found_and_decides() -> None:
    data = review("국내 최고의 효과! 오늘만 특가. 주민번호 900101-1234568", "ad")
    summary = data["summary"]
    assert summary["counts"] == {"critical": 1, "high": 0, "medium": 2, "low": 0}
    assert (summary["verdict"], summary["found"], summary["listed"]) == ("stop", 3, 3)
    assert review("문의는 1588-1234로 주세요.", "ad")["summary"]["verdict"] == "clear"
    assert review("부작용 없는 시술", "ad")["summary"]["verdict"] == "revise"
    assert review("메일 gildong@mail.example", "ad")["summary"]["verdict"] == "note"


def test_a_text_that_repeats_itself_is_counted_and_listed_in_part() -> None:
    data = review("업계 1위! " * 600, "ad")
    assert data["summary"]["found"] == MAX_COUNTED_PER_RULE
    assert data["summary"]["listed"] == MAX_LISTED_PER_RULE
    assert "LIST_SHORTENED" in [notice["code"] for notice in data["notices"]]


def test_notices_say_what_the_review_cannot_do() -> None:
    codes = [notice["code"] for notice in review("これは日本語の文章です。", None)["notices"]]
    assert codes == ["NOT_LEGAL_ADVICE", "KIND_ASSUMED", "CHECKSUM_IS_NO_PROOF", "NAMES_NEED_LABELS", "OTHER_SCRIPT"]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind"):
        review("text", "novel")


@pytest.mark.parametrize("text", ["", " ", "\n", "\u200b", "a", "[[", "“”", "> ", "1" * 13, "\ud7ff", "\U0001f600"])
def test_tiny_texts_are_reviewed(text: str) -> None:
    for kind in KINDS:
        canonical_bytes(review(text, kind))


def test_the_same_text_gives_the_same_bytes() -> None:
    text = " ".join(hit.replace("[[", "").replace("]]", "") for rule in RULES for hit in rule.hits)
    for kind in KINDS:
        assert canonical_bytes(review(text, kind)) == canonical_bytes(review(text, kind))


SIZE = 200_000
HOSTILE = {
    "spaces": " ",
    "digit_pairs": "1-",
    "numbers": "900101-1234568 계좌 ",
    "open_quotes": "“",
    "straight_quotes": '"aaaa bbbb ',
    "blocks": '>a\n"b"\n',
    "disclaimers": "국내 최고 어떠한 책임 위약금 임의로 판단에 따라 a@a.",
    "changes": "change governed by the laws of thanks to a ",
    "home_addresses": "주소: 서울 강남구 강남구 가로 ",
    "labels": "생년월일 : 성명: ",
    "disguised": "１\u200b",
    "one_claim": "부작용 없이 100% 완치를 보장합니다! ",
    "claims_without_spaces": "부작용없는국내최고다이어트원금보장환불불가",
    "short_lines": "가\n",
    "spelled_digits": "공일공 다시 일이 one two 3 ",
    "split_words": "g.u.a.r.a.n.t.e.e (환)(불) ",
    "questions": "부작용? 없습니다. ",
    "reports": "공정위는 “완치 보장” 광고를 적발했다고 밝혔다. ",
    "one_word": "a",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_cost_linear_time(unit: str) -> None:
    text = (unit * SIZE)[:SIZE]
    took = _seconds_for(text)
    # On a slow machine: four times the text is about four times the work, not sixteen times.
    assert took < 2.5 or took < 8 * _seconds_for(text[: SIZE // 4])


def _seconds_for(text: str) -> float:
    before = time.process_time()  # other work on the machine is not ours to measure
    review(text, "policy")
    return time.process_time() - before


def test_random_texts_never_fail_and_spans_stay_inside() -> None:
    chance = random.Random(7)
    alphabet = "가나암 치료보장100%ai.,:-\n\"“”'()@[]>0123456789MS\u200b１"
    for _ in range(40):
        text = "".join(chance.choice(alphabet) for _ in range(400))
        for finding in review(text, chance.choice(KINDS))["findings"]:
            assert 0 <= finding["span"]["start"] < finding["span"]["end"] <= len(text)


def test_a_process_that_forks_loads_the_rules_once_for_its_children() -> None:
    learnt.cache_clear()
    preload()
    assert learnt.cache_info().currsize == 1
    review("국내 최고의 효과", "ad")
    assert learnt.cache_info().misses == 1
