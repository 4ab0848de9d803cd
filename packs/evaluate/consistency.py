"""Figures against the sources and against each other, and statements that say the opposite of one another."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

from packs.evaluate import sayings
from packs.evaluate.evidence import CONTRADICTED, Support
from packs.evaluate.material import Claim, Material
from packs.evaluate.quantities import Quantity
from packs.evaluate.rubric import Reason, Subscore, deducted
from packs.evaluate.stance import Stance, different_times

_SAME_FIGURE_FROM = 60
_MIN_SHARED_STEMS = 2


def score_contradictions(material: Material, supports: tuple[Support, ...]) -> Subscore:
    say = partial(sayings.say, material.language)
    if not material.claims:
        return Subscore(None, (Reason("NO_CLAIMS", say("NO_CLAIMS_TO_OPPOSE")),))
    reasons = []
    inside = tuple(_opposing_pairs(material.claims))
    if inside:
        concerned = tuple(sorted({claim.index for pair in inside for claim in pair}))
        text = say("SELF_CONTRADICTION", count=len(inside))
        reasons.append(Reason("SELF_CONTRADICTION", text, -min(100, 50 * len(inside)), concerned))
    against = tuple(each.claim.index for each in supports if each.status == CONTRADICTED)
    if against:
        text = say("CONTRADICTS_SOURCE", count=len(against))
        reasons.append(Reason("CONTRADICTS_SOURCE", text, -min(100, 50 * len(against)), against))
    if not reasons:
        reasons.append(Reason("NONE_FOUND", say("NONE_FOUND")))
    return deducted(reasons)


def _opposing_pairs(claims: tuple[Claim, ...]) -> Iterator[tuple[Claim, Claim]]:
    stances = [(claim, Stance.of(claim)) for claim in claims]
    for place, (first, stance) in enumerate(stances):
        for second, other in stances[place + 1 :]:
            if stance.same_subject(other) and stance.opposes(other) and not different_times(first, second):
                yield first, second


def score_numbers(material: Material, supports: tuple[Support, ...]) -> Subscore:
    say = partial(sayings.say, material.language)
    total = sum(len(claim.quantities) for claim in material.claims)
    if not total:
        return Subscore(None, (Reason("NO_FIGURES", say("NO_FIGURES")),))
    reasons = []
    differing = [(each.claim.index, pair) for each in supports for pair in each.differing]
    if differing:
        shown = "; ".join(_against(say, *pair) for _, pair in differing[:3])
        text = say("FIGURES_DIFFER", count=len(differing), shown=shown)
        reasons.append(Reason("DIFFERS", text, -min(100, 50 * len(differing)), tuple(index for index, _ in differing)))
    conflicts = list(_self_conflicts(material))
    if conflicts:
        shown = "; ".join(say("and", mine=one.written, theirs=two.written) for _, one, two in conflicts[:3])
        text = say("TWO_VALUES", count=len(conflicts), shown=shown)
        concerned = tuple(index for index, _, _ in conflicts)
        reasons.append(Reason("TWO_VALUES", text, -min(100, 50 * len(conflicts)), concerned))
    impossible = [(claim.index, each) for claim in material.claims for each in claim.quantities if not each.possible]
    if impossible:
        text = say("IMPOSSIBLE_DATE", count=len(impossible), shown=impossible[0][1].written)
        reasons.append(Reason("IMPOSSIBLE_DATE", text, -min(60, 30 * len(impossible)), tuple(i for i, _ in impossible)))
    reasons += _unit_reasons(material, supports, total)
    if not reasons:
        reasons.append(Reason("CONSISTENT", say("CONSISTENT", count=total)))
    return deducted(reasons)


def _against(say: Callable[..., str], mine: Quantity, theirs: Quantity) -> str:
    return say("against", mine=mine.written, theirs=theirs.written)


def _unit_reasons(material: Material, supports: tuple[Support, ...], total: int) -> Iterator[Reason]:
    say = partial(sayings.say, material.language)
    clashing = {each.claim.index for each in supports if each.differing}
    absent = [each.claim.index for each in supports if each.missing and each.claim.index not in clashing]
    if absent and material.passages:
        count = sum(len(each.missing) for each in supports if each.claim.index not in clashing)
        yield Reason("NOT_IN_SOURCES", say("NOT_IN_SOURCES", count=count), -(40 * count // total), tuple(absent))
    bare = [claim.index for claim in material.claims for each in claim.amounts if not each.unit]
    if bare:
        yield Reason("NO_UNIT", say("NO_UNIT", count=len(bare)), -(30 * len(bare) // total), tuple(bare))


def _self_conflicts(material: Material) -> Iterator[tuple[int, Quantity, Quantity]]:
    """Two values of one unit for what reads as the same thing at the same time."""
    by_unit: dict[str, list[tuple[Claim, Quantity]]] = defaultdict(list)
    for claim in material.claims:
        amounts = [each for each in claim.amounts if each.unit]
        for unit in sorted({each.unit for each in amounts}):
            alone = [each for each in amounts if each.unit == unit]
            if len(alone) == 1:
                by_unit[unit].append((claim, alone[0]))
    for unit in sorted(by_unit):
        entries = by_unit[unit]
        for place, (first, mine) in enumerate(entries):
            for second, theirs in entries[place + 1 :]:
                if mine.value != theirs.value and _same_figure(first, second):
                    yield second.index, mine, theirs


def _same_figure(first: Claim, second: Claim) -> bool:
    shared, either = len(first.stems & second.stems), len(first.stems | second.stems)
    return (
        shared >= _MIN_SHARED_STEMS
        and shared * 100 >= either * _SAME_FIGURE_FROM
        and not different_times(first, second)
    )
