"""An outcome as the run's `data`: everything but the reviews."""

from fractions import Fraction

from packs.base import JsonObject
from packs.decision import answer
from packs.decision.actions import next_actions
from packs.decision.assumptions import assumptions, turning
from packs.decision.conditions.checks import Check
from packs.decision.gaps import OpenItem, open_items
from packs.decision.narration import Narrative
from packs.decision.pages import Pages
from packs.decision.readings import as_json
from packs.decision.reliability import reliability
from packs.decision.residue import as_json as residue_json
from packs.decision.residue import residue
from packs.decision.robustness import as_json as robustness_json
from packs.decision.robustness import robustness
from packs.decision.run_state import Outcome, points, share
from packs.llm import Why

CLEAR_LEAD = 25
MOST_CONFIDENT = Fraction(95, 100)


def written(outcome: Outcome, pages: Pages) -> JsonObject:
    """The deterministic result: everything but the reviews."""
    brief, weighing, winner = outcome.brief, outcome.weighing, outcome.winner
    claims = [{**claim.as_json(), "author": "weighing"} for claim in answer.claims(outcome)]
    assumed = assumptions(outcome)
    turned_by = turning(outcome, assumed)
    robust = robustness(outcome)
    figure, caps = reliability(outcome, turned_by, robust)
    data: JsonObject = {
        "question": brief.question,
        "language": brief.language,
        "mode": brief.mode,
        "method": {"kind": "deterministic_weighing", "note": outcome.say("method")},
        "read_by_model": outcome.read_by_model,
        "decided": winner is not None,
        "recommendation": None
        if winner is None
        else {
            "option": brief.options[winner].name,
            "pointer": brief.options[winner].pointer,
            "conditional": bool(answer.conditions_to_confirm(outcome, winner)),
        },
        "answer_text": answer.answer_text(outcome, len(claims), turned_by),
        "confidence": confidence(outcome, turned_by),
        "key_findings": answer.key_findings(outcome, turned_by),
        "weights": weight_rows(outcome),
        "scores": score_rows(outcome),
        "excluded": excluded_rows(outcome),
        "constraints": constraint_rows(outcome),
        "sensitivity": {**sensitivity(outcome, turned_by), **robustness_json(outcome, robust)},
        "evidence": {"coverage": float(round(weighing.coverage, 4)), "keep": list(pages.keep)},
        "reliability": {"score": figure, "capped_by": caps},
        "residue": residue_json(residue(outcome)),
        "open": [],
        "asmp": assumed,
        "next_actions": next_actions(outcome, assumed, turned_by),
    }
    _set_claims(data, claims)
    for item in (*open_items(outcome), *pages.opens):
        note(data, item)
    return data


def with_narrative(outcome: Outcome, data: JsonObject, narrative: Narrative) -> JsonObject:
    """The same result in the model's words, which say themselves whose they are."""
    method = outcome.say("method_model")
    result = {
        **data,
        "method": {"kind": "language_model", "note": method},
        "answer_text": f"{narrative.answer_text}\n\n{method}",
        "key_findings": narrative.key_findings,
        "open": list(data["open"]),
    }
    _set_claims(result, [*data["claims"], *({**claim, "author": "model"} for claim in narrative.claims)])
    result["next_actions"] = [dict(action) for action in data["next_actions"]]
    for rewritten in narrative.next_actions:
        result["next_actions"][rewritten["number"] - 1] |= {
            "action": rewritten["action"],
            "changes": rewritten["changes"],
        }
    for text in narrative.open:
        note(result, OpenItem("MODEL_NOTE", text))
    return result


def _set_claims(data: JsonObject, claims: list[JsonObject]) -> None:
    data["claims"] = [{**claim, "id": f"C{number}"} for number, claim in enumerate(claims, 1)]
    data["evidence_map"] = evidence_map(data["claims"])


def note(data: JsonObject, item: OpenItem) -> None:
    data["open"].append(item.as_json(len(data["open"]) + 1, data["language"]))


def why_not(outcome: Outcome, why: Why) -> str:
    text = outcome.say("open_model", why=outcome.say(f"why_{why}"))
    unread = len(residue(outcome))
    return f"{text} {outcome.say('open_model_unread', count=str(unread))}" if unread else text


def confidence(outcome: Outcome, turned_by: list[str]) -> float:
    """For display only: the supported part of the weight, halved when the lead is nothing and whole from 25
    points, a quarter less when an assumption could turn the answer.

    Never above 0.95: the weighing sees only what it was given.
    """
    if outcome.winner is None:
        return 0.0
    lead = min(outcome.weighing.margin / CLEAR_LEAD, Fraction(1))
    doubt = Fraction(3, 4) if turned_by else Fraction(1)
    return float(round(min(outcome.weighing.coverage * (1 + lead) / 2 * doubt, MOST_CONFIDENT), 2))


def evidence_map(claims: list[JsonObject]) -> JsonObject:
    """Pointer or URL -> the claims that rest on it."""
    rests: dict[str, list[str]] = {}
    for claim in claims:
        for source in dict.fromkeys(cited.get("url") or cited["pointer"] for cited in claim["evidence"]):
            rests.setdefault(source, []).append(claim["id"])
    return dict(rests)


def score_rows(outcome: Outcome) -> list[JsonObject]:
    """Best first."""
    weighing = outcome.weighing
    return [
        {
            "option": outcome.brief.options[i].name,
            "pointer": outcome.brief.options[i].pointer,
            "rank": _rank(outcome, i),
            "excluded": i in weighing.excluded,
            "total": points(weighing.totals[i]),
            "range": {"pessimistic": points(weighing.lowest[i]), "optimistic": points(weighing.highest[i])},
            "criteria": [_cell_json(outcome, i, j) for j in range(len(outcome.columns))],
        }
        for i in weighing.order
    ]


def _rank(outcome: Outcome, i: int) -> int:
    """Options level with each other share a rank; excluded ones come after all others."""
    weighing = outcome.weighing
    peers = weighing.admissible if i not in weighing.excluded else tuple(weighing.excluded)
    behind = 0 if i not in weighing.excluded else len(weighing.admissible)
    return 1 + behind + sum(weighing.totals[other] > weighing.totals[i] for other in peers)


def excluded_rows(outcome: Outcome) -> list[JsonObject]:
    """Every option that fails a hard condition, with each condition and what shows it."""
    return [
        {
            "option": outcome.brief.options[i].name,
            "pointer": outcome.brief.options[i].pointer,
            "constraint": checks[0].constraint.evidence.quote,
            "reason": answer.exclusion_text(outcome, checks[0]),
            "conditions": [_check_json(check) for check in checks],
            "evidence": [
                cited.as_json()
                for cited in dict.fromkeys([each for c in checks for each in (c.constraint.evidence, *c.evidence)])
            ],
        }
        for i, checks in sorted(outcome.failed.items())
    ]


def constraint_rows(outcome: Outcome) -> list[JsonObject]:
    """Every hard condition as it was read, and what it says of each option."""
    rows = []
    for number, constraint in enumerate(outcome.reading.constraints, 1):
        row: JsonObject = {"id": f"K{number}", "kind": constraint.kind, "quote": constraint.evidence.quote}
        row["pointer"] = constraint.evidence.pointer
        if constraint.subject:
            row["subject"] = constraint.subject
        if constraint.limit is not None:
            row["bound"], row["quantity"] = constraint.bound, as_json(constraint.limit)
        if constraint.day is not None:
            row["bound"], row["date"] = constraint.bound, constraint.day.isoformat()
        row["checks"] = [
            {"option": outcome.brief.options[check.option].name, "status": str(check.status)}
            for check in outcome.checks
            if check.constraint is constraint
        ]
        rows.append(row)
    return rows


def _check_json(check: Check) -> JsonObject:
    return {
        "kind": check.constraint.kind,
        "quote": check.constraint.evidence.quote,
        "pointer": check.constraint.evidence.pointer,
        "evidence": [cited.as_json() for cited in check.evidence],
    }


def _cell_json(outcome: Outcome, i: int, j: int) -> JsonObject:
    cell = outcome.columns[j].cells[i]
    row: JsonObject = {
        "criterion": outcome.columns[j].criterion.name,
        "score": points(cell.score),
        "basis": str(cell.basis),
        "reason": outcome.reason(cell),
        "evidence": [cited.as_json() for cited in cell.evidence],
    }
    if cell.quantity is not None:
        row["quantity"] = as_json(cell.quantity)
    if cell.compared_as is not None:
        row["compared_as"] = as_json(cell.compared_as)
    return row


def weight_rows(outcome: Outcome) -> list[JsonObject]:
    """`given` is the caller's number, unchanged; `share` is its part of the whole."""
    rows = []
    for scored, weight in zip(outcome.columns, outcome.weighing.weights, strict=True):
        rows.append(
            {
                "criterion": scored.criterion.name,
                "pointer": scored.criterion.pointer,
                "given": None if scored.criterion.weight is None else float(scored.criterion.weight),
                "share": share(weight.share),
                "source": str(weight.source),
                "direction": scored.direction,
                "direction_assumed": scored.direction_assumed,
            }
        )
    return rows


def sensitivity(outcome: Outcome, turned_by: list[str]) -> JsonObject:
    weighing = outcome.weighing
    flips = weighing.flips if outcome.winner is not None else ()
    shown_flips = flips if outcome.brief.mode == "full" else flips[:1]
    return {
        "margin": points(weighing.shown_margin),
        "robust": weighing.gap_proof and not turned_by,
        "turned_by": turned_by,
        "flip_count": len(flips),
        "flips": [
            {
                "criterion": outcome.columns[flip.criterion].criterion.name,
                "share": share(flip.share),
                "level_at_share": share(flip.at),
                "change": share(flip.at - flip.share),
                "then_leads": outcome.brief.options[flip.rival].name,
            }
            for flip in shown_flips
        ],
    }
