"""What a poll tells of a result without reading it: how reliable it is, what to be careful about, whether the limit cut
it short. Recorded by the claim, beside the outcome; small, so that the row stays small."""

from collections.abc import Iterator
from typing import NamedTuple

from packs.base import JsonObject, PackResult
from runs.lifecycle import envelope
from runs.models import Run

MAX_WARNINGS = 20
MAX_TEXT_CHARS = 300

BUDGET_CAP_REACHED = "BUDGET_CAP_REACHED"

_CAP = {
    "en": "The limit was reached before the work was done: the result holds what was paid for.",
    "ko": "한도에 도달하여 일부만 처리했습니다. 결과에는 비용이 지불된 부분만 있습니다.",
}
_MORE = {
    "en": "{count} more warnings stand in the result.",
    "ko": "경고 {count}건이 결과에 더 있습니다.",
}


class _Warning(NamedTuple):
    code: str
    text: str


def summary_of(run: Run, result: PackResult) -> JsonObject:
    score = envelope.score(result)
    language = _language(result)
    found = list(dict.fromkeys(_warnings(run, result, score, language)))
    if len(found) > MAX_WARNINGS:
        left_out = len(found) - MAX_WARNINGS + 1
        found = [*found[: MAX_WARNINGS - 1], _Warning("MORE_WARNINGS", _MORE[language].format(count=left_out))]
    required = run.min_reliability_score
    return {
        "reliability": {"score": score, "required": required, "met": score >= required},
        "warnings": [warning._asdict() for warning in found],
        "budget_cap": BUDGET_CAP_REACHED if result.budget_cap_reached else None,
    }


def _warnings(run: Run, result: PackResult, score: float, language: str) -> Iterator[_Warning]:
    """The platform's own first, then what the pack left open, then what it could not use."""
    if score < run.min_reliability_score:
        text = envelope.PROVISIONAL[language].format(score=score, required=run.min_reliability_score)
        yield _Warning("RELIABILITY_NOT_MET", text)
    if result.budget_cap_reached:
        yield _Warning(BUDGET_CAP_REACHED, _CAP[language])
    for item in filter(_is_entry, result.data.get("open", [])):
        yield _Warning(str(item.get("code") or item.get("kind") or "OPEN"), _short(str(item.get("text", ""))))
    for code, text in result.warnings:
        yield _Warning(code, _short(text))
    for entry in result.discard_log:
        subject = str(entry.get("url") or entry.get("source") or "")
        yield _Warning(str(entry.get("reason_code", "DISCARDED")), _short(f"{subject}: {_why(entry)}"))


def _is_entry(item: object) -> bool:
    return isinstance(item, dict)


def _why(entry: JsonObject) -> str:
    return str(entry.get("reason_detail") or entry.get("reason") or "was not used.")


def _language(result: PackResult) -> str:
    return "ko" if result.data.get("language") == "ko" else "en"


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[: MAX_TEXT_CHARS - 1]}…"
