"""What a review says: findings with words to publish instead, required notices, policies applied, and a summary.

Personal data is masked before anything is quoted, from all rules and all recognised forms, whether or not they led to
a finding for this kind: what leaves here is either ours or masked.
"""

from collections.abc import Iterator
from functools import cache

from packs.base import JsonObject
from packs.compliance.actions import next_actions
from packs.compliance.detectors import Place
from packs.compliance.identifiers import masked, number_like
from packs.compliance.notices import required_notices
from packs.compliance.phrases import ABOUT_THE_REVIEW, STANCES, verdict_text
from packs.compliance.rewrites import MAX_REWRITES, Rewritten, rewrite_of
from packs.compliance.rules import SEVERITIES, Rule, rulebook
from packs.compliance.run_state import RunState
from packs.compliance.spans import Span
from packs.text.sentences import quotation

MAX_LISTED_PER_RULE = 20
MAX_COUNTED_PER_RULE = 500
MAX_LEFT_OUT = 20

VERDICTS = {"critical": "stop", "high": "revise", "medium": "revise", "low": "note"}
CLEAR = "clear"
_FOREIGN_NOTICE_BELOW = 0.8


def result_of(text: str, kind: str | None, state: RunState, *, rewrites: bool = True) -> JsonObject:
    safe = masked_text(text, state)
    findings = [
        _finding(rule, text, safe, state, span)
        for rule in state.rules
        for span in state.met.get(rule.id, [])[:MAX_LISTED_PER_RULE]
    ]
    findings += state.by_model
    findings.sort(key=_order)
    if rewrites:
        _add_rewrites(text, safe, findings, state)
        findings.sort(key=_order)
    counts = dict.fromkeys(SEVERITIES, 0)
    for rule in state.rules:
        counts[rule.severity] += min(len(state.met.get(rule.id, ())), MAX_COUNTED_PER_RULE)
    for each in state.by_model:
        counts[each["severity"]] += 1
    found = sum(counts.values())
    verdict = next((VERDICTS[severity] for severity in SEVERITIES if counts[severity]), CLEAR)
    data: JsonObject = {
        "language": state.language,
        "verdict": verdict_text(state.language, verdict, counts),
        "findings": findings,
        "required_notices": required_notices(state),
        "left_out": _left_out(safe, state),
        "policies_applied": policies_applied(state),
        "notices": about_the_review(text, kind, state, shortened=found > len(findings)),
        "summary": {
            "verdict": verdict,
            "counts": counts,
            "found": found,
            "listed": len(findings),
            "kind": state.reading.kind,
            "product": state.product,
            "rules_applied": len(state.rules),
            "rules_sha256": rulebook().sha256,
        },
    }
    data["next_actions"] = next_actions(data)
    return data


def masked_text(text: str, state: RunState) -> str:
    original = state.reading.folded.original

    def all_spans() -> Iterator[Span]:
        for rule in rulebook().rules:
            if rule.personal:
                yield from state.met.get(rule.id, ())
        yield from ((each.start, each.end) for each in state.reading.identified)
        yield from number_like(state.reading.digits)

    return masked(text, ((original(start), original(end)) for start, end in all_spans()))


def finding_json(rule: Rule, product: str, start: int, end: int, quote: str, source: str) -> JsonObject:
    return {
        "rule_id": rule.id,
        "title": rule.title.as_json(),
        "severity": rule.severity,
        "span": {"start": start, "end": end},
        "quote": quote,
        "basis": rule.basis_for(product).as_json(),
        "redline": rule.redline_for(product).as_json(),
        "mitigation": rule.mitigation.as_json(),
        "source": source,
    }


def _finding(rule: Rule, text: str, safe: str, state: RunState, span: Span) -> JsonObject:
    start, end = (state.reading.folded.original(place) for place in span)
    return finding_json(rule, state.product, start, end, quotation(safe[start:end]), "rule")


def _order(finding: JsonObject) -> tuple[int, int, str]:
    return finding["span"]["start"], finding["span"]["end"], finding["rule_id"]


def _add_rewrites(text: str, safe: str, findings: list[JsonObject], state: RunState) -> None:
    by_id = {rule.id: rule for rule in state.rules}
    known: dict[tuple[str, str, str], Rewritten | None] = {}
    for each in findings[:MAX_REWRITES]:
        if "rewrite" in each:
            continue
        start, end = each["span"]["start"], each["span"]["end"]
        key = (each["rule_id"], text[max(0, start - 40) : start], text[start : end + 40])
        if key not in known:
            rule = by_id[each["rule_id"]]
            known[key] = rewrite_of(text, state, rule, start, end)
        rewritten = known[key]
        if rewritten is not None:
            each["rewrite"] = rewritten.words
            start, end = start - rewritten.before, end + rewritten.after
            each["span"], each["quote"] = {"start": start, "end": end}, quotation(safe[start:end])


def _left_out(safe: str, state: RunState) -> list[JsonObject]:
    original = state.reading.folded.original
    entries: list[JsonObject] = []
    for rule in state.rules:
        for place in _distinct(state.left_out.get(rule.id, []), state.met.get(rule.id, [])):
            start, end = original(place.start), original(place.end)
            entries.append(
                {
                    "rule_id": rule.id,
                    "span": {"start": start, "end": end},
                    "quote": quotation(safe[start:end]),
                    "why": place.left_out,
                    "text": STANCES[place.left_out or ""].as_json(),
                }
            )
    entries.sort(key=_order)
    return entries[:MAX_LEFT_OUT]


def _distinct(left_out: list[Place], met: list[Span]) -> Iterator[Place]:
    last = -1
    for place in left_out[:MAX_COUNTED_PER_RULE]:
        if place.start >= last and not any(start < place.end and place.start < end for start, end in met[:50]):
            last = place.end
            yield place


def policies_applied(state: RunState) -> list[JsonObject]:
    """Which rules were looked at, as of when, and with what result."""
    applied = []
    for rule in state.rules:
        met, excused = len(state.met.get(rule.id, ())), len(state.left_out.get(rule.id, ()))
        result = "met" if met else "left_out" if excused else "not_met"
        if state.product not in rule.products:
            result = "other_product"
        applied.append({**_policy(rule.id, state.product), "result": result, "found": min(met, MAX_COUNTED_PER_RULE)})
    return applied


@cache
def _policy(rule_id: str, product: str) -> JsonObject:
    """What is the same in every review."""
    rule = next(each for each in rulebook().rules if each.id == rule_id)
    return {
        "rule_id": rule.id,
        "effective_from": rule.effective_from.isoformat(),
        "checked_on": rule.checked_on.isoformat(),
        "basis": rule.basis_for(product).as_json(),
    }


def readable_share(text: str) -> float:
    """How much of the letters is Korean or Latin: the rules can read nothing else."""
    letters = [character for character in text if character.isalpha()]
    readable = sum(
        character < "\u0250"
        or "\u1100" <= character <= "\u11ff"
        or "\u3131" <= character <= "\u318e"
        or "가" <= character <= "힣"
        or "\uff21" <= character <= "\uff5a"
        for character in letters
    )
    return readable / len(letters) if letters else 0.0


def about_the_review(text: str, kind: str | None, state: RunState, *, shortened: bool) -> list[JsonObject]:
    applies = {
        "NOT_LEGAL_ADVICE": True,
        "KIND_ASSUMED": kind is None,
        "CHECKSUM_IS_NO_PROOF": True,
        "NAMES_NEED_LABELS": True,
        "LIST_SHORTENED": shortened,
        "OTHER_SCRIPT": readable_share(text) < _FOREIGN_NOTICE_BELOW,
        "MODEL_UNUSED": state.model_note is not None,
    }
    return [{"code": code, **ABOUT_THE_REVIEW[code].as_json()} for code, holds in applies.items() if holds]
