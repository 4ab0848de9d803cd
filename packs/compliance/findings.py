"""`review`: every rule that applies to a kind of text, run over it once.

Personal data is masked before anything is quoted, from all rules and all recognised forms, whether or not they led to
a finding for this kind: what leaves here is either ours or masked.
"""

from collections.abc import Iterator

from packs.base import JsonObject
from packs.compliance.detectors import DETECTORS, Reading, Span
from packs.compliance.identifiers import masked, number_like
from packs.compliance.rules import KINDS, SEVERITIES, Both, Rule, rulebook
from packs.text.folding import fold
from packs.text.sentences import quotation

MAX_LISTED_PER_RULE = 20
MAX_COUNTED_PER_RULE = 500

_VERDICTS = {"critical": "stop", "high": "revise", "medium": "revise", "low": "note"}
CLEAR = "clear"

NOT_LEGAL_ADVICE = Both(
    ko="이 검토는 정해진 규칙에 따른 자동 점검이며 법률 자문이 아닙니다. 지적이 없다는 것이 적법하다는 뜻은 아닙니다.",
    en="An automatic check against fixed rules, not legal advice. No finding does not mean that the text is lawful.",
)
_KIND_ASSUMED = Both(
    ko="글의 종류가 주어지지 않아 일반 글로 보았습니다. 광고, 약관, AI 결과물 전용 규칙은 적용하지 않았습니다.",
    en="No kind was given, so the text was read as general: rules for advertisements, policies and AI output only "
    "were not applied.",
)
_CHECKSUM = Both(
    ko="2020년 10월부터 부여된 주민·외국인등록번호에는 검증번호가 없어, 검증에 실패해도 실제 번호일 수 있습니다.",
    en="Resident and foreigner numbers issued since October 2020 carry no check digit: a number that fails the "
    "checksum can still be real.",
)
_NAMES = Both(
    ko="이름과 주소는 앞에 항목명이 있을 때만 알아봅니다. 그 밖의 개인정보는 가려지지 않았을 수 있습니다.",
    en="Names and addresses are recognised only after a label. Other personal data may have gone unnoticed.",
)
_SHORTENED = Both(
    ko="같은 규칙의 지적이 많아 일부만 실었습니다. 개수는 summary에 있습니다.",
    en="Some rules were met too often to list every place; the summary has the counts.",
)
_OTHER_SCRIPT = Both(
    ko="한국어와 영어가 아닌 부분은 점검하지 못했습니다.",
    en="Parts that are neither Korean nor English were not checked.",
)


def review(text: str, kind: str | None = None) -> JsonObject:
    """Findings, notices and a summary for one text of a kind (`ad`, `policy`, `ai_output`, `general`)."""
    applied = kind or "general"
    if applied not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}")
    reading = Reading(fold(text))
    spans = {rule.id: _spans(rule, reading) for rule in rulebook().rules if rule.personal or applied in rule.kinds}
    safe = _masked(text, reading, [span for rule in rulebook().rules if rule.personal for span in spans[rule.id]])

    rules = [rule for rule in rulebook().rules if applied in rule.kinds]
    findings = [_finding(rule, safe, reading, span) for rule in rules for span in spans[rule.id][:MAX_LISTED_PER_RULE]]
    findings.sort(key=lambda each: (each["span"]["start"], each["span"]["end"], each["rule_id"]))
    counts = dict.fromkeys(SEVERITIES, 0)
    for rule in rules:
        counts[rule.severity] += min(len(spans[rule.id]), MAX_COUNTED_PER_RULE)
    found = sum(counts.values())
    return {
        "findings": findings,
        "notices": _notices(text, kind, shortened=found > len(findings)),
        "summary": {
            "verdict": next((_VERDICTS[severity] for severity in SEVERITIES if counts[severity]), CLEAR),
            "counts": counts,
            "found": found,
            "listed": len(findings),
            "kind": applied,
            "rules_applied": len(rules),
            "rules_sha256": rulebook().sha256,
        },
    }


def _spans(rule: Rule, reading: Reading) -> list[Span]:
    """The places a rule is met, each once: two wordings of a rule that overlap are one finding."""
    merged: list[Span] = []
    for start, end in sorted(DETECTORS[rule.detector](rule, reading)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _masked(text: str, reading: Reading, personal: list[Span]) -> str:
    def all_spans() -> Iterator[Span]:
        yield from personal
        yield from ((each.start, each.end) for each in reading.identified)
        yield from number_like(reading.plain)

    original = reading.folded.original
    return masked(text, ((original(start), original(end)) for start, end in all_spans()))


def _finding(rule: Rule, safe: str, reading: Reading, span: Span) -> JsonObject:
    start, end = (reading.folded.original(place) for place in span)
    return {
        "rule_id": rule.id,
        "title": rule.title.as_json(),
        "severity": rule.severity,
        "span": {"start": start, "end": end},
        "quote": quotation(safe[start:end]),
        "basis": rule.basis.as_json(),
        "redline": rule.redline.as_json(),
        "mitigation": rule.mitigation.as_json(),
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


_FOREIGN_NOTICE_BELOW = 0.8


def _notices(text: str, kind: str | None, *, shortened: bool) -> list[JsonObject]:
    notices = [
        ("NOT_LEGAL_ADVICE", NOT_LEGAL_ADVICE, True),
        ("KIND_ASSUMED", _KIND_ASSUMED, kind is None),
        ("CHECKSUM_IS_NO_PROOF", _CHECKSUM, True),
        ("NAMES_NEED_LABELS", _NAMES, True),
        ("LIST_SHORTENED", _SHORTENED, shortened),
        ("OTHER_SCRIPT", _OTHER_SCRIPT, readable_share(text) < _FOREIGN_NOTICE_BELOW),
    ]
    return [{"code": code, **notice.as_json()} for code, notice, applies in notices if applies]
