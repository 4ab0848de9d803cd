"""Writes an outcome down: the claims with their evidence, the answer's text and the key findings. Pure."""

from fractions import Fraction

from packs.decision.cells import Cell
from packs.decision.conditions.checks import Check
from packs.decision.evidence import Evidence, Passage, quotation, sentences
from packs.decision.gaps import leaders
from packs.decision.readings import verbatim
from packs.decision.residue import uncertain_conditions, unread_context
from packs.decision.run_state import (
    Claim,
    Outcome,
    listed,
    percent_text,
    points_text,
    shown,
)
from packs.decision.yes_no import Ruled

# How much of the context is restated as claims when there is nothing to weigh.
CONTEXT_CLAIMS = {"brief": 8, "full": 40}
BRIEF_COMPARISONS = 3
MAX_PAGE_CLAIMS = 10


def claims(outcome: Outcome) -> list[Claim]:
    if outcome.winner is None:
        return [*_context_claims(outcome), *_given_facts(outcome), *_page_claims(outcome)]
    rival = outcome.rival
    comparisons = [] if rival is None else _comparisons(outcome, outcome.winner, rival)
    conclusion = _conclusion(outcome, outcome.winner)
    first = [conclusion, *_exclusion_claims(outcome)]
    if outcome.brief.mode == "brief":
        return [*first, *comparisons[:BRIEF_COMPARISONS], *_page_claims(outcome)]
    return [*first, *comparisons, *_given_facts(outcome), *_page_claims(outcome)]


def _exclusion_claims(outcome: Outcome) -> list[Claim]:
    if outcome.ruled is not None:
        return []
    return [
        Claim(
            exclusion_text(outcome, checks[0]),
            "interpretation",
            _once([checks[0].constraint.evidence, *checks[0].evidence]),
        )
        for checks in outcome.failed.values()
    ]


def _conclusion(outcome: Outcome, winner: int) -> Claim:
    """Rests on every supported score of the winner and of the option next to it."""
    evidence = [
        cited
        for i in (winner, outcome.rival)
        if i is not None
        for scored in outcome.columns
        if scored.cells[i].strength
        for cited in scored.cells[i].evidence
    ]
    decided_by = [
        each for checks in outcome.failed.values() for each in (checks[0].constraint.evidence, *checks[0].evidence)
    ]
    name = outcome.brief.options[winner].name
    if outcome.ruled is not None:
        return Claim(_ruled_text(outcome, outcome.ruled), "conclusion", _once([outcome.ruled.rule, outcome.ruled.fact]))
    key = "claim_only" if len(outcome.weighing.admissible) == 1 else "claim_answer"
    return Claim(outcome.say(key, option=name), "conclusion", _once(evidence or decided_by))


def _comparisons(outcome: Outcome, winner: int, rival: int) -> list[Claim]:
    """Where the two best options differ, the largest difference first."""
    found: list[tuple[Fraction, Claim]] = []
    for scored, weight in zip(outcome.columns, outcome.weighing.weights, strict=True):
        one, other = scored.cells[winner], scored.cells[rival]
        if not (one.strength and other.strength) or one.score == other.score:
            continue
        ahead, behind = (winner, rival) if one.score > other.score else (rival, winner)
        text = _comparison_text(
            outcome, scored.criterion.name, ahead, behind, scored.cells[ahead], scored.cells[behind]
        )
        claim = Claim(text, "interpretation", _once([*scored.cells[ahead].evidence, *scored.cells[behind].evidence]))
        found.append((weight.share * abs(one.score - other.score), claim))
    found.sort(key=lambda each: -each[0])
    return [claim for _, claim in found]


def _comparison_text(outcome: Outcome, criterion: str, ahead: int, behind: int, better: Cell, worse: Cell) -> str:
    names = {
        "criterion": criterion,
        "better": outcome.brief.options[ahead].name,
        "worse": outcome.brief.options[behind].name,
    }
    if better.value is None or worse.value is None:
        return outcome.say("claim_ahead_plain", **names)
    return outcome.say("claim_ahead", **names, better_value=shown(better), worse_value=shown(worse))


def _given_facts(outcome: Outcome) -> list[Claim]:
    return [
        Claim(
            outcome.say(
                "claim_fact",
                option=option.name,
                criterion=scored.criterion.name,
                value=shown(scored.cells[i]),
            ),
            "fact",
            scored.cells[i].evidence,
        )
        for i, option in enumerate(outcome.brief.options)
        for scored in outcome.columns
        if scored.cells[i].value is not None
    ]


def _context_claims(outcome: Outcome) -> list[Claim]:
    found: list[Claim] = []
    for leaf in outcome.brief.context:
        if isinstance(leaf.value, str):
            for sentence in sentences(leaf.value):
                quote = quotation(sentence)
                text = outcome.say("claim_states", quote=quote)
                found.append(Claim(text, "fact", (Evidence(leaf.pointer, quote),)))
        else:
            value = verbatim(leaf.value)
            text = outcome.say("claim_value", name=" / ".join(leaf.path), value=value)
            found.append(Claim(text, "fact", (Evidence(leaf.pointer, value),)))
        if len(found) >= CONTEXT_CLAIMS[outcome.brief.mode]:
            break
    return found[: CONTEXT_CLAIMS[outcome.brief.mode]]


def _page_claims(outcome: Outcome) -> list[Claim]:
    pages = [passage for passage in outcome.material.texts if passage.url is not None and passage.quote]
    return [_page_claim(outcome, page) for page in pages[:MAX_PAGE_CLAIMS]]


def _page_claim(outcome: Outcome, page: Passage) -> Claim:
    quote = quotation(page.quote)
    text = outcome.say("claim_page", title=page.title or page.url or "", quote=quote)
    return Claim(text, "fact", (Evidence(page.pointer, quote, page.url),))


def _once(evidence: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(evidence))


def answer_text(outcome: Outcome, known: int, turned_by: list[str]) -> str:
    """`known` is the number of claims; without a decision the text says how much was at least structured."""
    winner = outcome.winner
    parts = _undecided(outcome, known) if winner is None else _decided(outcome, winner, turned_by)
    separator = "\n\n" if outcome.brief.mode == "full" else " "
    return separator.join([*parts, outcome.say("method")])


def _undecided(outcome: Outcome, known: int) -> list[str]:
    brief, say = outcome.brief, outcome.say
    if outcome.frame == "yes_no":
        why, needed = say("undecided_rule"), "need_rule"
    elif not brief.options:
        why, needed = say("undecided_options"), "need_options"
    elif not outcome.weighing.admissible:
        why, needed = say("undecided_excluded"), "need_admissible"
    elif not brief.criteria:
        why, needed = say("undecided_criteria"), "need_criteria"
    elif not outcome.weighing.coverage:
        names = listed([option.name for option in brief.options])
        why, needed = say("undecided_evidence", options=names), "need_values"
    else:
        level = leaders(outcome)
        names = listed([brief.options[i].name for i in level])
        total = points_text(outcome.weighing.totals[level[0]])
        why, needed = say("undecided_tie", options=names, total=total), "need_tie"
    structured = [say("undecided_known", count=str(known))] if known else []
    parts = [why, *_exclusions(outcome), *structured, say("undecided_need", what=say(needed))]
    return [*parts, say("undecided_fee")]


def _decided(outcome: Outcome, winner: int, turned_by: list[str]) -> list[str]:
    brief, say, weighing = outcome.brief, outcome.say, outcome.weighing
    if outcome.ruled is not None:
        return [_ruled_text(outcome, outcome.ruled)]
    rival = outcome.rival
    parts = [_headline(outcome, winner), *conditions_to_confirm(outcome, winner), *_exclusions(outcome)]
    if rival is None or rival in weighing.excluded or not outcome.columns:
        return parts
    ahead, behind = _ahead(outcome, winner, rival), _ahead(outcome, rival, winner)
    if ahead:
        parts.append(say("answer_why", criteria=listed(ahead)))
    if behind:
        parts.append(say("answer_why_not", rival=brief.options[rival].name, criteria=listed(behind)))
    assumed = _assumed(outcome, winner, rival)
    if assumed:
        parts.append(say("answer_not_compared", criteria=listed(assumed)))
    if brief.mode == "full":
        ranked = [
            say("ranked", option=brief.options[i].name, total=points_text(weighing.totals[i]))
            for i in weighing.admissible
        ]
        parts.append(say("ranking", ranking=listed(ranked)))
        parts += _details(outcome)
    parts.append(_flip_text(outcome, "answer_flip") or say("answer_no_flip"))
    if turned_by:
        parts.append(say("answer_turned", ids=listed(turned_by)))
    if weighing.coverage < 1:
        parts.append(say("answer_coverage", percent=percent_text(weighing.coverage)))
        parts.append(say("answer_robust" if weighing.gap_proof else "answer_fragile"))
    return parts


def _headline(outcome: Outcome, winner: int) -> str:
    brief, weighing, rival = outcome.brief, outcome.weighing, outcome.rival
    name = brief.options[winner].name
    if len(weighing.admissible) == 1:
        return outcome.say("answer_only", option=name)
    if rival is None or not outcome.columns:
        return outcome.say("answer_plain", option=name)
    return outcome.say(
        "answer",
        option=name,
        total=points_text(weighing.totals[winner]),
        rival=brief.options[rival].name,
        rival_total=points_text(weighing.totals[rival]),
        criteria=str(len(brief.criteria)),
    )


def conditions_to_confirm(outcome: Outcome, winner: int) -> list[str]:
    """What has to be confirmed before the recommendation holds."""
    found = [
        outcome.say("answer_condition", condition=each.constraint.evidence.quote)
        for each in outcome.unknown.get(winner, ())
    ]
    if outcome.reading.unread:
        found.append(outcome.say("answer_unread", count=str(len(outcome.reading.unread))))
    found += [outcome.say("answer_uncertain", condition=each.evidence.quote) for each in uncertain_conditions(outcome)]
    if rest := [each for each in unread_context(outcome) if not each.binding]:
        found.append(outcome.say("answer_sentences", count=str(len(rest))))
    return list(dict.fromkeys(found))


def _exclusions(outcome: Outcome) -> list[str]:
    return [exclusion_text(outcome, checks[0]) for checks in outcome.failed.values()]


def exclusion_text(outcome: Outcome, check: Check) -> str:
    """One sentence: who is out, by which condition, on what evidence."""
    constraint = check.constraint
    name = outcome.brief.options[check.option].name
    if constraint.kind == "law":
        return outcome.say("excluded_law", option=name, rule=constraint.subject, quote=constraint.evidence.quote)
    if constraint.kind == "excluded" or not check.evidence:
        return outcome.say("excluded_named", option=name, condition=constraint.evidence.quote)
    given = check.evidence[0].quote
    if check.evidence[0].pointer.startswith("/options/") and not check.evidence[0].pointer.endswith("/description"):
        value = f"{constraint.subject} {given}".strip()
    else:
        value = f'"{given}"'  # a sentence, which names what it speaks of itself
    return outcome.say("excluded_value", option=name, condition=constraint.evidence.quote, value=value)


def _ruled_text(outcome: Outcome, found: Ruled) -> str:
    return outcome.say(f"ruled_{found.answer}", rule=found.rule.quote, fact=found.fact.quote)


def _ahead(outcome: Outcome, one: int, other: int) -> list[str]:
    return [
        scored.criterion.name
        for scored in outcome.columns
        if scored.cells[one].strength
        and scored.cells[other].strength
        and scored.cells[one].score > scored.cells[other].score
    ]


def _assumed(outcome: Outcome, one: int, other: int) -> list[str]:
    """Criteria on which one of the two stands on an assumption: part of the lead, but no reason for it."""
    return [
        scored.criterion.name
        for scored in outcome.columns
        if bool(scored.cells[one].strength) != bool(scored.cells[other].strength)
    ]


def _details(outcome: Outcome) -> list[str]:
    lines = []
    for scored, weight in zip(outcome.columns, outcome.weighing.weights, strict=True):
        cells = [
            outcome.say("detail_cell", option=option.name, score=points_text(cell.score), reason=outcome.reason(cell))
            for option, cell in zip(outcome.brief.options, scored.cells, strict=True)
        ]
        percent = percent_text(weight.share)
        lines.append(outcome.say("detail", criterion=scored.criterion.name, percent=percent, cells="; ".join(cells)))
    return lines


def _flip_text(outcome: Outcome, key: str) -> str | None:
    if not outcome.weighing.flips:
        return None
    flip = outcome.weighing.flips[0]
    return outcome.say(
        key,
        criterion=outcome.columns[flip.criterion].criterion.name,
        now=percent_text(flip.share),
        at=percent_text(flip.at),
        rival=outcome.brief.options[flip.rival].name,
    )


def key_findings(outcome: Outcome, turned_by: list[str]) -> list[str]:
    if outcome.winner is None:
        return [_undecided(outcome, 0)[0]]
    brief, say, weighing = outcome.brief, outcome.say, outcome.weighing
    rival = outcome.rival
    if outcome.ruled is not None:
        return [_ruled_text(outcome, outcome.ruled)]
    if rival is None or rival in weighing.excluded or not outcome.columns:
        return [
            _headline(outcome, outcome.winner),
            *conditions_to_confirm(outcome, outcome.winner),
            *_exclusions(outcome),
        ]
    found = [
        say(
            "finding_leads",
            option=brief.options[outcome.winner].name,
            total=points_text(weighing.totals[outcome.winner]),
            margin=points_text(weighing.shown_margin),
            rival=brief.options[rival].name,
        ),
        *conditions_to_confirm(outcome, outcome.winner),
        *_exclusions(outcome),
    ]
    found += [text for j in range(len(outcome.columns)) if (text := _best_on(outcome, j)) is not None]
    if flip := _flip_text(outcome, "finding_flip"):
        found.append(flip)
    if turned_by:
        found.append(say("finding_turned", ids=listed(turned_by)))
    if weighing.coverage < 1:
        found.append(say("finding_coverage", percent=percent_text(weighing.coverage)))
    return found


def _best_on(outcome: Outcome, j: int) -> str | None:
    """The one option that is best on a criterion; None when it is shared or rests on an assumption."""
    scored = outcome.columns[j]
    best = max(cell.score for cell in scored.cells)
    holders = [i for i, cell in enumerate(scored.cells) if cell.score == best]
    if len(holders) != 1 or not all(cell.strength for cell in scored.cells):
        return None
    names = {"criterion": scored.criterion.name, "option": outcome.brief.options[holders[0]].name}
    if scored.cells[holders[0]].value is None:
        return outcome.say("finding_best_plain", **names)
    return outcome.say("finding_best", **names, value=shown(scored.cells[holders[0]]))
