"""Figures against the sources and against each other, and statements that say the opposite of one another."""

from collections.abc import Iterator
from functools import partial

from packs.claims.findings import Conflict
from packs.claims.verdict import Status, opposed
from packs.evaluate import phrases
from packs.evaluate.coverage import Assessed
from packs.evaluate.rubric import ScoreReason, Subscore, deducted
from packs.evaluate.submission import Claim, Submission

_FIGURE_CODES = frozenset({"FIGURE", "DATE", "ARITHMETIC"})
_MAX_COMPARED = 120  # every pair of claims is compared


def score_contradictions(submission: Submission, assessed: tuple[Assessed, ...], inside: list["Opposed"]) -> Subscore:
    say = partial(phrases.say, submission.language)
    if not submission.claims:
        return Subscore(None, (ScoreReason("NO_CLAIMS", say("NO_CLAIMS_TO_OPPOSE")),))
    reasons = []
    pairs = [each for each in inside if each[2].code not in _FIGURE_CODES]
    if pairs:
        concerned = tuple(sorted({claim.index for one, two, _ in pairs for claim in (one, two)}))
        text = say("SELF_CONTRADICTION", count=len(pairs))
        reasons.append(ScoreReason("SELF_CONTRADICTION", text, -_taken(submission, len(pairs)), concerned))
    against = tuple(each.claim.index for each in assessed if each.status is Status.CONTRADICTED)
    if against:
        text = say("CONTRADICTS_SOURCE", count=len(against))
        reasons.append(ScoreReason("CONTRADICTS_SOURCE", text, -min(100, 50 * len(against)), against))
    if not reasons:
        reasons.append(ScoreReason("NONE_FOUND", say("NONE_FOUND")))
    return deducted(reasons)


def _taken(submission: Submission, pairs: int) -> int:
    """With source texts at hand they decide what is wrong: the pair is named and costs nothing more."""
    return 0 if any(source.text for source in submission.sources) else min(100, 50 * pairs)


Opposed = tuple[Claim, Claim, Conflict]


def opposed_claims(submission: Submission) -> list[Opposed]:
    """Pairs of claims of which at most one can be true."""
    found = []
    claims = submission.claims[:_MAX_COMPARED]
    for place, first in enumerate(claims):
        for second in claims[place + 1 :]:
            conflict = opposed(first.parsed, second.parsed)
            if conflict is not None:
                found.append((first, second, conflict))
    return found


def score_numbers(submission: Submission, assessed: tuple[Assessed, ...], inside: list[Opposed]) -> Subscore:
    say = partial(phrases.say, submission.language)
    checked = _checked(submission, assessed)
    total = sum(len(claim.parsed.figures) + len(claim.parsed.dates) for claim in checked)
    if not total:
        return Subscore(None, (ScoreReason("NO_FIGURES", say("NO_FIGURES")),))
    reasons = [
        *_against_sources(assessed, submission),
        *_two_values(inside, submission),
        *_impossible(submission),
        *_bare(submission, checked),
    ]
    if not reasons:
        reasons.append(ScoreReason("CONSISTENT", say("CONSISTENT", count=total)))
    return deducted(reasons)


def _checked(submission: Submission, assessed: tuple[Assessed, ...]) -> list[Claim]:
    """The claims whose figures a source decided on. Without source texts all of them are looked at."""
    if not any(source.text for source in submission.sources):
        return list(submission.claims)
    return [
        each.claim
        for each in assessed
        if each.status is Status.SUPPORTED or each.verdict.code in _FIGURE_CODES or not _possible(each.claim)
    ]


def _possible(claim: Claim) -> bool:
    return all(date.possible for date in claim.parsed.dates)


def _against_sources(assessed: tuple[Assessed, ...], submission: Submission) -> Iterator[ScoreReason]:
    differing = [
        each
        for each in assessed
        if each.status in (Status.CONTRADICTED, Status.PARTLY) and each.verdict.code in _FIGURE_CODES
    ]
    if differing:
        say = partial(phrases.say, submission.language)
        shown = "; ".join(
            say("against", mine=each.verdict.claimed, theirs=each.verdict.found) for each in differing[:3]
        )
        text = say("FIGURES_DIFFER", count=len(differing), shown=shown)
        yield ScoreReason("DIFFERS", text, -100, tuple(each.claim.index for each in differing))


def _two_values(inside: list[Opposed], submission: Submission) -> Iterator[ScoreReason]:
    conflicts = [each for each in inside if each[2].code in ("FIGURE", "ARITHMETIC")]
    if conflicts:
        say = partial(phrases.say, submission.language)
        shown = "; ".join(say("and", mine=found.found, theirs=found.claimed) for _, _, found in conflicts[:3])
        text = say("TWO_VALUES", count=len(conflicts), shown=shown)
        concerned = tuple(two.index for _, two, _ in conflicts)
        yield ScoreReason("TWO_VALUES", text, -_taken(submission, len(conflicts)), concerned)


def _impossible(submission: Submission) -> Iterator[ScoreReason]:
    dates = [(claim.index, date) for claim in submission.claims for date in claim.parsed.dates if not date.possible]
    if dates:
        text = phrases.say(submission.language, "IMPOSSIBLE_DATE", count=len(dates), shown=dates[0][1].text)
        yield ScoreReason("IMPOSSIBLE_DATE", text, -min(100, 60 * len(dates)), tuple(index for index, _ in dates))


def _bare(submission: Submission, checked: list[Claim]) -> Iterator[ScoreReason]:
    bare = [claim.index for claim in checked if any(not figure.unit for figure in claim.parsed.figures)]
    if bare:
        text = phrases.say(submission.language, "NO_UNIT", count=len(bare))
        yield ScoreReason("NO_UNIT", text, -(30 * len(bare) // len(submission.claims)), tuple(bare))
