"""What the law says of the options: the compliance pack over every text, and rules of its own over what is proposed.

An option whose own words propose something unlawful is excluded. A finding in the question or the context is shown, and
excludes nobody.
"""

import re
import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from dpp_project.json_pointer import escape
from packs.base import JsonObject
from packs.compliance import review
from packs.decision.brief import Brief
from packs.decision.evidence import Passage
from packs.decision.readings import interpret
from packs.text.sentences import quotation

_STOPS = frozenset({"critical"})
_AD_LIKE = re.compile(
    r"\b(?:ads?|advert\w*|slogan|copy|campaign|headline|banner|wording|message|label)\b|광고|문구|카피|슬로건|배너"
    r"|홍보|표시|라벨",
    re.IGNORECASE,
)
MAX_FINDINGS = 40


@dataclass(frozen=True)
class ConductRule:
    id: str
    severity: str
    all: tuple[re.Pattern[str], ...]
    unless: re.Pattern[str] | None
    basis: dict[str, str]
    mitigation: dict[str, str]


@lru_cache(maxsize=1)
def conduct_rules() -> tuple[ConductRule, ...]:
    given: dict[str, Any] = tomllib.loads((files(__package__) / "lawfulness.toml").read_text(encoding="utf-8"))
    return tuple(
        ConductRule(
            id=entry["id"],
            severity=entry["severity"],
            all=tuple(re.compile(pattern) for pattern in entry["all"]),
            unless=re.compile(entry["unless"]) if "unless" in entry else None,
            basis={"en": entry["basis_en"], "ko": entry["basis_ko"]},
            mitigation={"en": entry["mitigation_en"], "ko": entry["mitigation_ko"]},
        )
        for entry in given["rule"]
    )


@dataclass(frozen=True)
class Finding:
    option: int | None
    """Whose own text it is; None for the question, the context and pages."""
    stops: bool
    pointer: str
    data: JsonObject


def findings_in(brief: Brief, texts: tuple[Passage, ...]) -> list[Finding]:
    """Over the question, the options with their descriptions, the context and the pages."""
    found: list[Finding] = []
    kind = "ad" if _AD_LIKE.search(brief.question) else "general"
    for index, option in enumerate(brief.options):
        if not option.pointer.startswith("/options/"):
            continue
        own = f"{option.name}. {option.description}".strip()
        pointer = f"{option.pointer}/description" if option.description else option.pointer
        found += _conduct(own, brief.question, pointer, index)
        found += _serious_together(_reviewed(option.description, kind, pointer, index), kind)
        for name, value in option.attributes.items():
            if isinstance(value, str) and interpret(value) is None:
                place = f"{option.pointer}/attributes/{escape(name)}"
                found += _conduct(value, brief.question, place, index)
                found += _reviewed(value, "ad" if _AD_LIKE.search(name) else kind, place, index)
    found += _reviewed(brief.question, "general", brief.question_pointer, None)
    for passage in texts:
        if passage.about is None:
            found += _reviewed(passage.text, "general", passage.pointer, None)
    return found[:MAX_FINDINGS]


def _conduct(text: str, question: str, pointer: str, option: int) -> list[Finding]:
    """What is sold, or who is concerned, may stand in the question; what is done stands in the option's own words."""
    found = []
    for rule in conduct_rules():
        places = [pattern.search(text) for pattern in rule.all]
        known = [
            place is not None or (i == 0 and pattern.search(question))
            for i, (place, pattern) in enumerate(zip(places, rule.all, strict=True))
        ]
        if not all(known) or not any(places[1:] or places) or (rule.unless is not None and rule.unless.search(text)):
            continue
        start = min(place.start() for place in places if place is not None)
        end = max(place.end() for place in places if place is not None)
        data: JsonObject = {
            "rule_id": rule.id,
            "severity": rule.severity,
            "span": {"start": start, "end": end},
            "quote": quotation(text[start:end]),
            "basis": rule.basis,
            "mitigation": rule.mitigation,
        }
        found.append(Finding(option, rule.severity in _STOPS, pointer, data))
    return found


def _serious_together(found: list[Finding], kind: str) -> list[Finding]:
    """One serious point in an advertisement can be mended; a text of several rules' points is not to be published."""
    serious = {each.data["rule_id"] for each in found if each.data["severity"] == "high"}
    if kind != "ad" or len(serious) < 2:
        return found
    return [replace(each, stops=each.stops or each.data["rule_id"] in serious) for each in found]


def _reviewed(text: str, kind: str, pointer: str, option: int | None) -> list[Finding]:
    if not text.strip():
        return []
    return [Finding(option, each["severity"] in _STOPS, pointer, dict(each)) for each in _findings(text, kind)]


@lru_cache(maxsize=500)
def _findings(text: str, kind: str) -> tuple[JsonObject, ...]:
    """Passages of a brief repeat each other; each is reviewed once."""
    return tuple(review(text, kind, rewrites=False)["findings"])
