"""What the sources say of each claim, and the sub-score that follows from it."""

import re
from dataclasses import dataclass, replace

from packs.base import JsonObject
from packs.claims.verdict import Status, Verdict, judge
from packs.evaluate.phrases import say
from packs.evaluate.rubric import ScoreReason, Subscore, shared_out
from packs.evaluate.submission import Claim, Submission
from packs.text.language import Language
from packs.text.sentences import quotation

CREDIT = {
    Status.SUPPORTED: 100,
    Status.PARTLY: 25,
    Status.NOT_VERIFIED: 25,
    Status.NOT_IN_SOURCES: 25,
    Status.CONTRADICTED: 0,
}
"""Of 100 points per claim. What could not be verified counts alike: another wording must not pay."""

UNSEEN_CREDIT = 50
"""For a claim that names a source whose text was not given."""

# A citation names something a reader can find: a mark, an address, an author with a year, a named body.
CITATION = re.compile(
    r"\[(?P<mark>[0-9]{1,3}|[A-Za-z][A-Za-z0-9_-]{0,20})\]"
    r"|https?://[^\s)\]]{4,}"
    r"|\((?:출처 ?: ?)?[가-힣A-Za-z○][^()]{0,60}(?:19|20)[0-9]{2}[^()]{0,20}\)"
    r"|\((?:출처|source) ?: ?[^()]{2,80}\)"
    r"|(?<![가-힣])(?!전문가|업계|관계자|일부|소식통|연구|인터넷)[가-힣A-Za-z]{2,20}"
    r"(?:에| (?:보고서|발표|통계|조사|자료)에) 따르면"
    r"|\b[Aa]ccording to (?:the )?[A-Z가-힣0-9]",
)


@dataclass(frozen=True)
class Assessed:
    claim: Claim
    verdict: Verdict
    unseen: bool = False
    """It names a source whose text was not given."""

    @property
    def status(self) -> Status:
        return self.verdict.status


def assess_claims(submission: Submission) -> tuple[Assessed, ...]:
    return tuple(_assessed(claim, submission) for claim in submission.claims)


def _assessed(claim: Claim, submission: Submission) -> Assessed:
    cited = submission.cited_sources(claim)
    names_one = bool(claim.cites) or CITATION.search(claim.text) is not None
    readable = [source for source in submission.sources if source.text]
    if names_one and not any(source.text for source in cited) and (cited or not _known_mark(claim, submission)):
        unseen = Verdict(Status.NOT_VERIFIED, "SOURCE_WITHOUT_TEXT")
        if not readable or cited:
            return Assessed(claim, unseen, unseen=True)
        found = judge(claim.plain, [source.index for source in readable], submission.library)
        return (
            Assessed(claim, found)
            if found.status is not Status.NOT_IN_SOURCES
            else Assessed(claim, unseen, unseen=True)
        )
    if not readable:
        return Assessed(claim, Verdict(Status.NOT_VERIFIED, "NO_SOURCES"))
    wanted = [source.index for source in cited if source.text] or [source.index for source in readable]
    return Assessed(claim, judge(claim.plain, wanted, submission.library))


def wanted_sources(each: Assessed, submission: Submission) -> list[int]:
    """The sources that may speak for a claim: the cited ones, or all where none is cited."""
    cited = submission.cited_sources(each.claim)
    readable = [source.index for source in submission.sources if source.text]
    return [source.index for source in cited if source.text] if cited else readable


def _known_mark(claim: Claim, submission: Submission) -> bool:
    known = {source.id for source in submission.sources}
    return any(mark in known for mark in claim.cites)


def coverage_score(assessed: tuple[Assessed, ...], unseen_credit: int) -> int | None:
    if not assessed:
        return None
    credit = [_credit(each, unseen_credit) for each in assessed]
    return (2 * sum(credit) + len(credit)) // (2 * len(credit))


def _credit(each: Assessed, unseen_credit: int) -> int:
    return unseen_credit if each.unseen else CREDIT[each.status]


def score_evidence(assessed: tuple[Assessed, ...], language: Language) -> Subscore:
    score = coverage_score(assessed, UNSEEN_CREDIT)
    if score is None:
        return Subscore(None, (ScoreReason("NO_CLAIMS", say(language, "NO_CLAIMS")),))
    groups: list[tuple[str, int, list[Assessed]]] = [
        (status.upper(), CREDIT[status], [each for each in assessed if each.status is status and not each.unseen])
        for status in CREDIT
    ]
    groups.append(("UNSEEN", UNSEEN_CREDIT, [each for each in assessed if each.unseen]))
    groups = [group for group in groups if group[2]]
    points = shared_out(score, [credit * len(members) for _, credit, members in groups])
    reasons = [
        ScoreReason(
            code,
            say(language, code, count=len(members), total=len(assessed), credit=credit),
            gained,
            tuple(each.claim.index for each in members),
        )
        for (code, credit, members), gained in zip(groups, points, strict=True)
    ]
    return Subscore(score, tuple(reasons))


def evidence_json(each: Assessed) -> JsonObject:
    """Facts only: the claim, the passage it was held against, the figures of both, and what was computed."""
    claim, verdict = each.claim, each.verdict
    parsed = claim.parsed
    entry: JsonObject = {
        "claim_index": claim.index,
        "claim": quotation(claim.text),
        "claim_start": claim.start,
        "claim_end": claim.start + len(claim.text),
        "figures": [
            {
                "written": figure.text,
                "low": format(figure.low, "f"),
                "high": format(figure.high, "f"),
                "unit": figure.unit,
            }
            for figure in parsed.figures
        ],
        "dates": [date.text for date in parsed.dates],
        "passage": None,
        "computed": [{"written": one.written, "arithmetic": one.arithmetic} for one in verdict.computations],
    }
    passage = verdict.passage
    if passage is not None:
        entry["passage"] = {
            "source_id": passage.source.id,
            "source_index": passage.source.index,
            "quote": quotation(passage.text),
            "start": passage.start,
            "end": passage.start + len(passage.text),
            "shared_words_percent": round(verdict.share * 100),
        }
    return entry


def interpretation_json(each: Assessed, language: Language) -> JsonObject:
    verdict = each.verdict
    entry: JsonObject = {
        "claim_index": each.claim.index,
        "status": verdict.status.value,
        "code": verdict.code,
        "reason": reason_text(verdict, language),
    }
    if verdict.parts:
        entry["parts"] = [
            {
                "text": quotation(part.part),
                "status": part.status.value,
                "code": part.code,
                "reason": reason_text(part, language),
            }
            for part in verdict.parts
        ]
    return entry


def reason_text(verdict: Verdict, language: Language) -> str:
    """In words, naming the part of the claim that decided."""
    if verdict.code == "PARTS_DIFFER":
        wrong = next((part for part in verdict.parts if part.status is not Status.SUPPORTED), None)
        inner = reason_text(wrong, language) if wrong is not None else ""
        return say(language, "why_partly_PARTS_DIFFER", part=quotation(wrong.part) if wrong else "", inner=inner)
    if verdict.status is Status.PARTLY and verdict.code != "WRONG_CITATION":
        return say(language, "why_partly_FIGURES", claimed=verdict.claimed, found=verdict.found)
    shown = replace(verdict, claimed=quotation(verdict.claimed), found=quotation(verdict.found))
    source = shown.passage.source.id if shown.passage is not None else ""
    arithmetic = "; ".join(one.arithmetic for one in shown.computations)
    key = f"why_{shown.status.value}_{shown.code}"
    return say(language, key, claimed=shown.claimed, found=shown.found, source=source, arithmetic=arithmetic)
