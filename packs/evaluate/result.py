"""`assess`: five sub-scores, the points they give, the caps on them, and what could not be settled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from packs.base import JsonObject
from packs.claims.verdict import Status
from packs.evaluate import phrases
from packs.evaluate.actions import next_actions
from packs.evaluate.citations import score_citations
from packs.evaluate.clarity import score_clarity
from packs.evaluate.consistency import Opposed, opposed_claims, score_contradictions, score_numbers
from packs.evaluate.coverage import (
    UNSEEN_CREDIT,
    Assessed,
    assess_claims,
    coverage_score,
    evidence_json,
    interpretation_json,
    reason_text,
    score_evidence,
)
from packs.evaluate.model_judge import Judged
from packs.evaluate.rubric import (
    CITATIONS,
    CLARITY,
    CONTRADICTIONS,
    EVIDENCE,
    NUMBERS,
    Subscore,
    caps,
    weighted,
    weights_of,
)
from packs.evaluate.submission import Submission, read_submission
from packs.text.sentences import quotation

MAX_OPEN_CLAIMS = 20

Judge = Callable[[Submission, tuple[Assessed, ...]], Judged]

_TO_SETTLE = (Status.CONTRADICTED, Status.PARTLY, Status.NOT_VERIFIED, Status.NOT_IN_SOURCES)


def assess(
    text_or_claims: str | Sequence[str | Mapping[str, Any]],
    sources: Sequence[str | Mapping[str, Any]] = (),
    rubric: Mapping[str, Any] | None = None,
    judge: Judge | None = None,
) -> JsonObject:
    """Score a text, or claims given one by one, against sources by a declared rubric.

    `judge` may settle claims that the rules left open; what it did is told under `model_judge`.
    """
    weights = weights_of(rubric)
    submission = read_submission(text_or_claims, sources)
    assessed = assess_claims(submission)
    judged = judge(submission, assessed) if judge is not None else None
    assessed = judged.assessed if judged is not None else assessed
    inside = opposed_claims(submission)
    subscores = subscores_of(submission, assessed, inside)
    scores = {name: each.score for name, each in subscores.items()}
    score, adding_up = total_score(scores, weights, submission, assessed)
    data = {
        "verdict": _verdict(score, assessed, submission),
        "score": score,
        "adds_up": adding_up,
        "subscores": {name: _subscore_json(each, weights[name]) for name, each in subscores.items()},
        "evidence": [evidence_json(each) for each in assessed],
        "interpretation": [interpretation_json(each, submission.language) for each in assessed],
        "open": _open(submission, assessed, judged.failure if judged is not None else ""),
        "asmp": _assumptions(submission, assessed, scores, weights),
        "next_actions": next_actions(
            submission,
            assessed,
            score,
            lambda changed: score_of(submission, changed, inside, weights),
        ),
        "rubric": {"weights": weights, "overridden": weights != weights_of(None)},
    }
    return data if judged is None else {**data, "model_judge": judged.as_json()}


def score_of(
    submission: Submission, assessed: tuple[Assessed, ...], inside: list[Opposed], weights: Mapping[str, int]
) -> int:
    """The score that an answer would have with these verdicts."""
    scores = {name: each.score for name, each in subscores_of(submission, assessed, inside).items()}
    return total_score(scores, weights, submission, assessed)[0]


def subscores_of(submission: Submission, assessed: tuple[Assessed, ...], inside: list[Opposed]) -> dict[str, Subscore]:
    return {
        EVIDENCE: score_evidence(assessed, submission.language),
        NUMBERS: score_numbers(submission, assessed, inside),
        CONTRADICTIONS: score_contradictions(submission, assessed, inside),
        CITATIONS: score_citations(submission),
        CLARITY: score_clarity(submission, assessed),
    }


def total_score(
    scores: Mapping[str, int | None], weights: Mapping[str, int], submission: Submission, assessed: tuple[Assessed, ...]
) -> tuple[int, list[JsonObject]]:
    """The score, and the rows that add up to it: the points of each sub-score, less what a cap takes."""
    points = weighted(scores, weights)
    rows: list[JsonObject] = [{"part": name, "points": gained} for name, gained in points.items()]
    score = sum(points.values())
    supported = sum(each.status is Status.SUPPORTED for each in assessed)
    contradicted = sum(each.status is Status.CONTRADICTED for each in assessed)
    if any(source.text for source in submission.sources) and weights[EVIDENCE]:
        values = {"supported": supported, "rest": len(assessed) - contradicted, "total": len(assessed)}
        for cap in caps(len(assessed), supported, contradicted):
            if cap.limit < score:
                text = phrases.say(submission.language, cap.code, **values)
                rows.append({"part": cap.code, "points": cap.limit - score, "reason": text})
                score = cap.limit
    return score, rows


def _verdict(score: int, assessed: tuple[Assessed, ...], submission: Submission) -> str:
    if not assessed:
        return phrases.say(submission.language, "verdict_empty", score=score)
    count = {status: sum(each.status is status for each in assessed) for status in Status}
    return phrases.say(
        submission.language,
        "verdict",
        score=score,
        total=len(assessed),
        supported=count[Status.SUPPORTED],
        contradicted=count[Status.CONTRADICTED],
        partly=count[Status.PARTLY],
        open=count[Status.NOT_VERIFIED] + count[Status.NOT_IN_SOURCES],
    )


def _subscore_json(subscore: Subscore, weight: int) -> JsonObject:
    return {
        "score": subscore.score,
        "weight": weight,
        "applies": subscore.score is not None,
        "reasons": [reason.as_json() for reason in subscore.reasons],
    }


def _open(submission: Submission, assessed: tuple[Assessed, ...], failure: str) -> list[JsonObject]:
    """What a person would have to settle: gaps of the input first, then claim by claim."""
    say = partial(phrases.say, submission.language)
    points: list[tuple[str, str, int | None]] = [(code, text, None) for code, text in _gaps(submission)]
    if failure:
        points.append((f"MODEL_{failure.upper()}", say(f"open_MODEL_{failure.upper()}"), None))
    concerned = [each for status in _TO_SETTLE for each in assessed if each.status is status]
    for each in concerned[:MAX_OPEN_CLAIMS]:
        code = "UNSEEN" if each.unseen else each.status.upper()
        source = each.verdict.passage.source.id if each.verdict.passage is not None else ""
        reason = reason_text(each.verdict, submission.language)
        text = say(f"open_{code}", claim=quotation(each.claim.text), source=source, reason=reason)
        points.append((code, text, each.claim.index))
    if len(concerned) > MAX_OPEN_CLAIMS:
        points.append(("MORE", say("open_MORE", count=len(concerned) - MAX_OPEN_CLAIMS), None))
    return [
        {"id": f"OPEN-{number}", "code": code, "text": text, "claim_index": index}
        for number, (code, text, index) in enumerate(points, start=1)
    ]


def _gaps(submission: Submission) -> Iterator[tuple[str, str]]:
    say = partial(phrases.say, submission.language)
    if not submission.sources:
        yield "NO_SOURCES", say("open_NO_SOURCES")
    elif not any(source.text for source in submission.sources):
        yield "SOURCES_WITHOUT_TEXT", say("open_SOURCES_WITHOUT_TEXT")
    if submission.claims_left_out:
        yield "CLAIMS_LEFT_OUT", say("open_CLAIMS_LEFT_OUT", count=submission.claims_left_out)
    if submission.library.left_out:
        yield "SOURCES_CUT", say("open_SOURCES_CUT", count=submission.library.left_out)


def _assumptions(
    submission: Submission, assessed: tuple[Assessed, ...], scores: Mapping[str, int | None], weights: Mapping[str, int]
) -> list[JsonObject]:
    """What the score takes for granted, and what it would be if that turned out better or worse."""
    if not any(each.unseen for each in assessed):
        return []

    def score_if(credit: int) -> int:
        return total_score({**scores, EVIDENCE: coverage_score(assessed, credit)}, weights, submission, assessed)[0]

    return [
        {
            "id": "ASMP-1",
            "code": "CITED_SOURCES_UNSEEN",
            "text": phrases.say(submission.language, "asmp_CITED_SOURCES_UNSEEN"),
            "base": score_if(UNSEEN_CREDIT),
            "optimistic": score_if(100),
            "pessimistic": score_if(0),
        }
    ]
