"""Every rule against the examples that sit beside it, and what the rule files must keep to."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from packs.compliance.detectors import DETECTORS, detected, places
from packs.compliance.examination import examine
from packs.compliance.identifiers import NAMES
from packs.compliance.reading import Reading, reading_of
from packs.compliance.review import spans_of
from packs.compliance.rewrites import rewrite_of
from packs.compliance.rules import AREAS, FRAME_PARAMETERS, KINDS, Both, MalformedRule, Rule, bounded, cite, rulebook
from packs.compliance.run_state import RunState
from packs.compliance.spans import Spans

RULES = rulebook().rules
HITS = [pytest.param(rule, hit, id=f"{rule.id}-{place}") for rule in RULES for place, hit in enumerate(rule.hits)]
NEAR_MISSES = [
    pytest.param(rule, text, id=f"{rule.id}-{place}") for rule in RULES for place, text in enumerate(rule.near_misses)
]
EXCUSES = [
    pytest.param(rule, name, pattern.pattern, id=f"{rule.id}-{name}-{place}")
    for rule in RULES
    for name in ("unless_near", "unless_anywhere")
    for place, pattern in enumerate(rule.patterns(name))
]
CHECK_HOLDS_FOR = timedelta(days=400)
TODAY = datetime.now(tz=UTC).date()


def uncompared(text: str, kind: str) -> Reading:
    """Read without the examples: the rule's own frames and excuses alone have to be right about its near misses."""
    reading = reading_of(text, kind)
    reading.__dict__["judged"] = ()
    return reading


def unmarked(hit: str) -> tuple[str, tuple[int, int]]:
    start, end = hit.index("[["), hit.index("]]") - 2
    return hit.replace("[[", "", 1).replace("]]", "", 1), (start, end)


@pytest.mark.parametrize(("rule", "hit"), HITS)
def test_a_rule_finds_the_marked_words(rule: Rule, hit: str) -> None:
    text, (start, end) = unmarked(hit)
    found, _ = spans_of(rule, text, rule.kinds[0])
    assert [span for span in found if span[0] < end and start < span[1]]


@pytest.mark.parametrize(("rule", "text"), NEAR_MISSES)
def test_a_rule_lets_a_near_miss_pass(rule: Rule, text: str) -> None:
    assert spans_of(rule, text, rule.kinds[0])[0] == []
    assert detected(rule, uncompared(text, rule.kinds[0]))[0] == []


@pytest.mark.parametrize(("rule", "name", "pattern"), EXCUSES)
def test_an_excuse_has_a_counterexample(rule: Rule, name: str, pattern: str) -> None:
    """Some near miss says it, and would be a finding without the excuses."""
    excuse = next(each for each in rule.patterns(name) if each.pattern == pattern)
    without = {key: value for key, value in rule.parameters.items() if key not in ("unless_near", "unless_anywhere")}
    strict = replace(rule, parameters=without)
    assert [
        text
        for text in rule.near_misses
        if excuse.search(text.lower()) and places(strict, uncompared(text, rule.kinds[0]))[0]
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_complete_and_its_check_is_not_stale(rule: Rule) -> None:
    assert rule.hits
    assert rule.near_misses
    assert all(hit.count("[[") == hit.count("]]") == 1 for hit in rule.hits)
    assert rule.effective_from <= rule.checked_on <= TODAY + timedelta(days=1)
    assert TODAY - rule.checked_on < CHECK_HOLDS_FOR, "compare the entry with the law in force, then set the date"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_names_a_known_detector_and_its_parameters(rule: Rule) -> None:
    assert rule.detector in DETECTORS
    if rule.detector == "identifier":
        assert rule.parameters["identifier"] in NAMES
    if rule.detector == "wording":
        assert rule.patterns("any") or any(rule.frames(name) for name in FRAME_PARAMETERS)


@pytest.mark.parametrize(("rule", "hit"), HITS)
def test_a_finding_has_a_rewrite_that_a_second_review_accepts(rule: Rule, hit: str) -> None:
    text, _ = unmarked(hit)
    kind = rule.kinds[0]
    (start, end), *_ = spans_of(rule, text, kind)[0]
    for language in ("ko", "en"):
        state = examine(text, kind, language)
        rewritten = rewrite_of(text, state, rule, start, end)
        assert rewritten is not None
        first, last = start - rewritten.before, end + rewritten.after
        again = examine(text[:first] + rewritten.words + text[last:], kind, product=state.product)
        changed = (first, first + max(1, len(rewritten.words)))
        assert not Spans(again.met[rule.id]).overlap(changed)
        assert met_in(again) <= met_in(state) | {rule.id}


def met_in(state: RunState) -> set[str]:
    return {rule.id for rule in state.rules if state.met.get(rule.id)}


def test_a_rule_does_not_apply_to_other_kinds() -> None:
    for rule in RULES:
        assert set(rule.kinds) <= set(KINDS)


def test_every_area_has_rules() -> None:
    assert {rule.area for rule in RULES} == set(AREAS)


def test_the_product_decides_the_law_and_the_advice() -> None:
    by_id = {rule.id: rule for rule in RULES}
    assert "화장품법" in by_id["AD-AUTHORITY"].basis_for("cosmetic").ko
    assert "실명" not in by_id["AD-AUTHORITY"].redline_for("cosmetic").ko
    assert "의료법" not in by_id["AD-BEFORE-AFTER"].basis_for("general").ko
    assert "의료법" in by_id["AD-BEFORE-AFTER"].basis_for("medical").ko
    assert "금융소비자" not in by_id["AD-FINANCE"].basis_for("virtual_asset").ko
    assert "국제사법" in by_id["TS-JURISDICTION-FOREIGN"].basis.ko
    assert "제5조" not in by_id["TS-INTERPRETATION"].basis.ko


@pytest.mark.parametrize("pattern", ["a*", "a+b", "(?:a|b){2,}", "[ab]+", "a{1,5000}"])
def test_an_unbounded_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(MalformedRule):
        bounded(pattern)


@pytest.mark.parametrize("pattern", [r"a\+b", "[*+]", "a{1,20}", r"\[x\]\*"])
def test_a_bounded_pattern_is_accepted(pattern: str) -> None:
    assert bounded(pattern) == pattern


def test_articles_are_cited_as_the_statutes_write_them() -> None:
    statutes = {"pipa": Both(ko="개인정보 보호법", en="PIPA")}
    assert cite(statutes, "pipa 24-2").ko == "개인정보 보호법 제24조의2"
    assert cite(statutes, "pipa 3(1)2") == Both(ko="개인정보 보호법 제3조제1항제2호", en="PIPA, Art. 3(1)2")
    assert cite(statutes, "pipa").en == "PIPA"
    assert cite(statutes, "pipa ?").en == "PIPA (article to be confirmed)"
    for wrong in ("gdpr 6", "pipa six"):
        with pytest.raises(MalformedRule):
            cite(statutes, wrong)
