"""A language model reads the claims that the rules left open. It points to words of a cited source; code decides.

Only what the rules could not tell is asked, several claims in one call, in a bounded number of calls. A verdict counts
only where its words stand in a source that may speak for the claim and no check objects (`packs.claims.vouched`).
Everything else stays as the rules left it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from packs.base import JsonObject, PackContext
from packs.claims.verdict import Status, Verdict
from packs.claims.vouched import objection, pointed_at
from packs.evaluate.coverage import Assessed, wanted_sources
from packs.evaluate.submission import Submission
from packs.llm import Model, Prompt, Unanswered, ask

CLAIMS_PER_CALL = 8
MAX_CALLS = 5
PASSAGES_PER_CLAIM = 4
MAX_SPAN_CHARS = 600

_OPEN = (Status.NOT_VERIFIED, Status.NOT_IN_SOURCES)

SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["judgements"],
    "properties": {
        "judgements": {
            "type": "array",
            "maxItems": CLAIMS_PER_CALL,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["claim", "verdict", "span"],
                "properties": {
                    "claim": {"type": "integer", "description": "The number of the claim."},
                    "verdict": {"type": "string", "enum": ["supported", "contradicted", "not_said"]},
                    "span": {
                        "type": "string",
                        "maxLength": MAX_SPAN_CHARS,
                        "description": "The words of a passage that decide, letter by letter; empty for not_said.",
                    },
                },
            },
        }
    },
}

TASK = (
    "For each claim under `claims`, say whether its passages support it in every part, contradict it, or do not say "
    "it. Copy the words that decide, letter by letter, from one passage. When in doubt: not_said."
)


@dataclass(frozen=True)
class Judged:
    assessed: tuple[Assessed, ...]
    asked: int = 0
    accepted: int = 0
    refused: int = 0
    """Verdicts of the model that a check objected to."""
    tokens: int = 0
    failure: str = ""
    """Why the model gave no answer."""

    def as_json(self) -> JsonObject:
        return {"asked": self.asked, "accepted": self.accepted, "refused": self.refused}


def judged_by(model: Model, context: PackContext, submission: Submission, assessed: tuple[Assessed, ...]) -> Judged:
    open_ones = [
        each for each in assessed if each.status in _OPEN and not each.unseen and wanted_sources(each, submission)
    ]
    result = Judged(assessed)
    for start in range(0, min(len(open_ones), CLAIMS_PER_CALL * MAX_CALLS), CLAIMS_PER_CALL):
        batch = open_ones[start : start + CLAIMS_PER_CALL]
        try:
            answer = ask(model, _prompt(batch, submission), context, partial(_faults, batch))
        except Unanswered as unanswered:
            return replace(result, tokens=result.tokens + unanswered.tokens, failure=unanswered.why.value)
        result = _with_verdicts(result, batch, answer.value["judgements"], submission)
        result = replace(result, tokens=result.tokens + answer.tokens)
    return result


def _prompt(batch: Sequence[Assessed], submission: Submission) -> Prompt:
    claims = [
        {
            "claim": each.claim.index,
            "text": each.claim.plain,
            "passages": [
                passage.text
                for passage in submission.library.near(each.claim.plain, wanted_sources(each, submission))[
                    :PASSAGES_PER_CLAIM
                ]
            ],
        }
        for each in batch
    ]
    return Prompt("claim_judgements", TASK, {"claims": claims}, SCHEMA)


def _faults(batch: Sequence[Assessed], value: JsonObject) -> list[str]:
    known = {each.claim.index for each in batch}
    numbers = [each["claim"] for each in value["judgements"]]
    faults = [f"There is no claim {number}." for number in numbers if number not in known]
    return faults if len(set(numbers)) == len(numbers) else [*faults, "One judgement for each claim."]


def _with_verdicts(
    result: Judged, batch: Sequence[Assessed], judgements: Sequence[JsonObject], submission: Submission
) -> Judged:
    said = {each["claim"]: each for each in judgements if each["verdict"] != "not_said"}
    changed: dict[int, Assessed] = {}
    for each in batch:
        if each.claim.index in said:
            verdict = _accepted(each, said[each.claim.index], submission)
            if verdict is not None:
                changed[each.claim.index] = replace(each, verdict=verdict)
    return replace(
        result,
        assessed=tuple(changed.get(each.claim.index, each) for each in result.assessed),
        asked=result.asked + len(batch),
        accepted=result.accepted + len(changed),
        refused=result.refused + len(said) - len(changed),
    )


def _accepted(each: Assessed, judgement: JsonObject, submission: Submission) -> Verdict | None:
    wanted = wanted_sources(each, submission)
    passage = pointed_at(judgement["span"], wanted, submission.library)
    if passage is None:
        return None
    found = objection(each.claim.plain, passage, submission.library)
    if judgement["verdict"] == "supported":
        return Verdict(Status.SUPPORTED, "JUDGED", passage=passage, share=each.verdict.share) if not found else None
    # A claim that nothing speaks against cannot be contradicted by these words; another subject does not exclude it.
    if found in ("", "NAME", "LOOSE", "LANGUAGE"):
        return None
    return Verdict(Status.CONTRADICTED, "JUDGED", passage=passage, share=each.verdict.share)
