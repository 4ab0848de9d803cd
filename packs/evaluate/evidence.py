"""What speaks for each claim. Facts (passage, words, figures) are kept apart from the reading of them."""

import re
from dataclasses import dataclass

from packs.base import JsonObject
from packs.evaluate.material import Claim, Material, Passage
from packs.evaluate.quantities import Quantity
from packs.evaluate.rubric import Reason, Subscore
from packs.evaluate.sayings import Language, say
from packs.evaluate.stance import oppose
from packs.text.sentences import quotation

SUPPORTED, PARTIAL, CITED = "supported", "partial", "cited"
DIFFERS, CONTRADICTED, UNSUPPORTED = "differs", "contradicted", "unsupported"
CREDIT = {SUPPORTED: 100, PARTIAL: 50, CITED: 50, DIFFERS: 0, CONTRADICTED: 0, UNSUPPORTED: 0}

SUPPORTS_FROM = 60
TOUCHES_FROM = 35
_FIGURE_WEIGHT = 2  # a wrong or unfounded figure does more harm than a wrong adjective

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
class Support:
    claim: Claim
    status: str
    passage: Passage | None
    covered: int
    agreeing: tuple[Quantity, ...]
    missing: tuple[Quantity, ...]
    """Figures of the claim that its source does not contain."""
    differing: tuple[tuple[Quantity, Quantity], ...]
    """Figures for which the passage has another value of the same unit."""


def find_support(material: Material) -> tuple[Support, ...]:
    return tuple(_support(claim, material) for claim in material.claims)


def _support(claim: Claim, material: Material) -> Support:
    nearest = material.nearest(claim)
    cited = bool(claim.cites) or CITATION.search(claim.text) is not None
    if nearest is None or nearest[1] < TOUCHES_FROM:
        return Support(claim, CITED if cited and _unseen(claim, material) else UNSUPPORTED, None, 0, (), (), ())
    passage, covered = nearest
    in_source = material.figures_of[passage.source.index]
    agreeing = tuple(each for each in claim.quantities if each.key in in_source)
    missing = tuple(each for each in claim.quantities if each.key not in in_source)
    differing = tuple(
        (mine, theirs) for mine in missing for theirs in (_other_value(mine, claim, passage),) if theirs is not None
    )
    if oppose(claim, passage):
        status = CONTRADICTED
    elif covered >= SUPPORTS_FROM and differing:
        status = DIFFERS
    elif covered >= SUPPORTS_FROM and not missing:
        status = SUPPORTED
    else:
        status = PARTIAL
    return Support(claim, status, passage, covered, agreeing, missing, differing)


def _unseen(claim: Claim, material: Material) -> bool:
    """Whether the cited thing may hold the claim: it does not, once its text was given and looked through."""
    marks = {match["mark"] for match in CITATION.finditer(claim.text) if match["mark"]} | set(claim.cites)
    named = [source for source in material.sources if source.id in marks]
    return not named or any(not source.text for source in named)


def _other_value(mine: Quantity, claim: Claim, passage: Passage) -> Quantity | None:
    """The passage's value where it can only be the same figure: one of that unit on each side."""
    theirs = [each for each in passage.quantities if each.unit == mine.unit]
    ours = [each for each in claim.quantities if each.unit == mine.unit]
    same_time = mine.unit == "date" or not (claim.dates and passage.dates) or claim.dates & passage.dates
    return theirs[0] if mine.unit and same_time and len(theirs) == len(ours) == 1 else None


def coverage(supports: tuple[Support, ...], cited_credit: int) -> int | None:
    weights = [_FIGURE_WEIGHT if each.claim.amounts else 1 for each in supports]
    if not weights:
        return None
    credit = [cited_credit if each.status == CITED else CREDIT[each.status] for each in supports]
    total = sum(weights)
    return (2 * sum(map(int.__mul__, weights, credit)) + total) // (2 * total)


def score_evidence(supports: tuple[Support, ...], language: Language) -> Subscore:
    reasons = []
    for status, credit in CREDIT.items():
        concerned = tuple(each.claim.index for each in supports if each.status == status)
        if concerned:
            code = status.upper()
            share = say(language, code, count=len(concerned), total=len(supports), credit=credit)
            reasons.append(Reason(code, share, 0, concerned))
    if not supports:
        reasons.append(Reason("NO_CLAIMS", say(language, "NO_CLAIMS")))
    return Subscore(coverage(supports, CREDIT[CITED]), tuple(reasons))


def evidence_json(support: Support) -> JsonObject:
    """Facts only: the claim, the nearest passage, the words and figures they share."""
    claim, passage = support.claim, support.passage
    entry: JsonObject = {
        "claim_index": claim.index,
        "claim": quotation(claim.text),
        "claim_start": claim.start,
        "figures": [{"written": each.written, "value": each.value, "unit": each.unit} for each in claim.quantities],
        "passage": None,
    }
    if passage is not None:
        entry["passage"] = {
            "source_id": passage.source.id,
            "source_index": passage.source.index,
            "quote": quotation(passage.text),
            "start": passage.start,
            "shared_words_percent": support.covered,
            "figures_found": [each.written for each in support.agreeing],
            "figures_not_found": [each.written for each in support.missing],
        }
    return entry


def interpretation_json(support: Support, language: Language) -> JsonObject:
    why = say(language, f"why_{support.status}")
    return {"claim_index": support.claim.index, "status": support.status, "reason": why}
