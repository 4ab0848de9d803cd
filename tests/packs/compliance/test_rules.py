"""Every rule against the examples that sit beside it, and what the rule files must keep to."""

import re

import pytest

from packs.compliance import review
from packs.compliance.detectors import DETECTORS
from packs.compliance.identifiers import NAMES
from packs.compliance.rules import AREAS, KINDS, Both, MalformedRule, Rule, bounded, cite, rulebook

RULES = rulebook().rules
HITS = [pytest.param(rule, hit, id=f"{rule.id}-{place}") for rule in RULES for place, hit in enumerate(rule.hits)]
NEAR_MISSES = [
    pytest.param(rule, text, id=f"{rule.id}-{place}") for rule in RULES for place, text in enumerate(rule.near_misses)
]


def spans_of(rule: Rule, text: str, kind: str) -> list[tuple[int, int]]:
    findings = review(text, kind)["findings"]
    return [(each["span"]["start"], each["span"]["end"]) for each in findings if each["rule_id"] == rule.id]


def unmarked(hit: str) -> tuple[str, tuple[int, int]]:
    start, end = hit.index("[["), hit.index("]]") - 2
    return hit.replace("[[", "", 1).replace("]]", "", 1), (start, end)


@pytest.mark.parametrize(("rule", "hit"), HITS)
def test_a_rule_finds_exactly_the_marked_span(rule: Rule, hit: str) -> None:
    text, span = unmarked(hit)
    assert spans_of(rule, text, rule.kinds[0]) == [span]


@pytest.mark.parametrize(("rule", "text"), NEAR_MISSES)
def test_a_rule_lets_a_near_miss_pass(rule: Rule, text: str) -> None:
    assert spans_of(rule, text, rule.kinds[0]) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_hits_and_near_misses(rule: Rule) -> None:
    assert rule.hits
    assert rule.near_misses
    assert all(hit.count("[[") == hit.count("]]") == 1 for hit in rule.hits)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_names_a_known_detector_and_its_parameters(rule: Rule) -> None:
    assert rule.detector in DETECTORS
    if rule.detector == "identifier":
        assert rule.parameters["identifier"] in NAMES
    if rule.detector in ("pattern", "absent"):
        assert rule.patterns("any")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_does_not_object_to_the_wording_it_proposes(rule: Rule) -> None:
    for advice in (rule.redline.ko, rule.redline.en):
        if advice.startswith(("예: “", "For example: “")):
            proposed = "".join(re.findall("“([^”]*)”", advice))
            assert spans_of(rule, proposed, rule.kinds[0]) == []


def test_a_rule_does_not_apply_to_other_kinds() -> None:
    for rule in RULES:
        text, _ = unmarked(rule.hits[0])
        for kind in sorted(set(KINDS) - set(rule.kinds)):
            assert spans_of(rule, text, kind) == []


def test_every_area_has_rules() -> None:
    assert {rule.area for rule in RULES} == set(AREAS)


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
    for wrong in ("gdpr 6", "pipa six"):
        with pytest.raises(MalformedRule):
            cite(statutes, wrong)
