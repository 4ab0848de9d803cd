"""The score follows the verdicts: a claim that turns out worse never raises it, whatever else the answer is like."""

import random
from dataclasses import replace

import pytest

from packs.claims.verdict import Status, Verdict
from packs.evaluate import WEIGHTS
from packs.evaluate.consistency import opposed_claims
from packs.evaluate.coverage import Assessed
from packs.evaluate.result import score_of
from packs.evaluate.submission import read_submission

SOURCE = {"id": "1", "title": "Report", "text": "The report speaks of many things."}
CLAIMS = (
    "Sales rose 12 percent in 2024 [1].",
    "Perhaps it was probably very good, more or less [1].",
    "Sales fell in 2024 [1].",
    "The plant has 7 [1].",
    "Experts say the outlook is bright.",
    "ABSOLUTELY NOBODY EVER DOUBTED THE PLANT [1]!",
    "It opened on 31 February 2024 [1].",
)
WORSE = {
    Status.SUPPORTED: (Status.NOT_VERIFIED, Status.NOT_IN_SOURCES, Status.PARTLY, Status.CONTRADICTED),
    Status.NOT_VERIFIED: (Status.CONTRADICTED,),
    Status.NOT_IN_SOURCES: (Status.CONTRADICTED,),
    Status.PARTLY: (Status.CONTRADICTED,),
}
CODES = ("FIGURE", "OPPOSITE", "WORD", "ALIGNED")


@pytest.mark.parametrize("seed", range(60))
def test_a_worse_verdict_never_raises_the_score(seed: int) -> None:
    draw = random.Random(seed)
    texts = [draw.choice(CLAIMS) for _ in range(draw.choice((1, 2, 3, 6, 20, 60)))]
    submission = read_submission(texts, [SOURCE])
    inside = opposed_claims(submission)
    before = tuple(
        Assessed(claim, Verdict(draw.choice(list(WORSE)), draw.choice(CODES))) for claim in submission.claims
    )
    for place in range(min(len(before), 6)):
        for status in WORSE[before[place].status]:
            changed = replace(before[place], verdict=Verdict(status, draw.choice(CODES)))
            after = (*before[:place], changed, *before[place + 1 :])
            assert score_of(submission, after, inside, WEIGHTS) <= score_of(submission, before, inside, WEIGHTS)


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_an_answer_whose_claims_are_all_false_never_reaches_60_points(count: int) -> None:
    submission = read_submission(["The plant is open [1]."] * count, [SOURCE])
    for status in (Status.CONTRADICTED, Status.NOT_VERIFIED, Status.NOT_IN_SOURCES, Status.PARTLY):
        assessed = tuple(Assessed(claim, Verdict(status, "WORD")) for claim in submission.claims)
        assert score_of(submission, assessed, [], WEIGHTS) < 60


def test_how_an_unverified_claim_is_worded_does_not_move_the_score() -> None:
    clear, vague = "The plant is open [1].", "The plant may perhaps be open more or less [1]."
    scores = {
        score_of(
            given, tuple(Assessed(claim, Verdict(Status.NOT_VERIFIED, "WORD")) for claim in given.claims), [], WEIGHTS
        )
        for given in (read_submission([text, clear], [SOURCE]) for text in (clear, vague))
    }
    assert len(scores) == 1
