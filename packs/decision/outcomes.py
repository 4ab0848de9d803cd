"""From the brief to the outcome: read, check the conditions, score who is left, weigh. Pure."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

from packs.decision.brief import Brief, Criterion, Option, normalise
from packs.decision.cells import Table, column
from packs.decision.conditions.checks import Check, Checker, failed_options, unknown_options
from packs.decision.conditions.model import Constraint, Reading
from packs.decision.conditions.reader import read_constraints
from packs.decision.conditions.wording import addresses_the_reader
from packs.decision.evidence import Evidence, Material, Passage, gather, quotation
from packs.decision.exchange_rates import given_rates
from packs.decision.facts import FactBook
from packs.decision.frames import Framed, frame
from packs.decision.lawfulness import Finding, findings_in
from packs.decision.proposals import NO_PROPOSALS, Proposals
from packs.decision.prose_values import fill_from_prose
from packs.decision.run_state import Outcome
from packs.decision.same_option import same_options
from packs.decision.weigh import weigh, weights
from packs.decision.weights_in_words import SpokenWeights, spoken_weights
from packs.decision.yes_no import ruled

YES = {"en": "Yes", "ko": "예"}
NO = {"en": "No", "ko": "아니오"}


def consider(brief: Brief, pages: tuple[Passage, ...], today: date, proposals: Proposals = NO_PROPOSALS) -> Outcome:
    """`proposals`: what a language model found in sentences that stayed unread the first time."""
    framed = frame(brief) if not proposals.options else _named(brief, proposals)
    framed = replace(framed, brief=_with_aliases(framed.brief, proposals))
    if framed.frame == "yes_no":
        return _yes_or_no(framed.brief, pages, today)
    brief = framed.brief
    material = gather(brief, pages)
    book = FactBook(material, today)
    rates = given_rates(brief)
    fill_from_prose(material, book)
    for index, fact in proposals.facts:
        book.add(index, fact)
    reading = read_constraints(material, book, today)
    _add_proposed(reading, proposals)
    findings = findings_in(brief, material.texts)
    reading.constraints += _unlawful(findings)
    checks = tuple(Checker(brief, book, reading, today, rates).all())
    outcome = _weighed(material, book, framed, reading, checks, findings, proposals.weights)
    return replace(outcome, read_by_model=proposals.used)


def _named(brief: Brief, proposals: Proposals) -> Framed:
    options = tuple(Option(name=name, pointer=brief.question_pointer) for name in proposals.options)
    return replace(frame(replace(brief, options=options)), frame="named")


def _with_aliases(brief: Brief, proposals: Proposals) -> Brief:
    options = list(brief.options)
    for index, name in proposals.aliases:
        options[index] = replace(options[index], aliases=(*options[index].aliases, name))
    return replace(brief, options=tuple(options))


def _add_proposed(reading: Reading, proposals: Proposals) -> None:
    """Conditions that a model found; the sentence they stand in is read now."""
    reading.constraints += proposals.constraints
    found = {(each.evidence.pointer, each.evidence.quote) for each in proposals.constraints}
    reading.unread = [
        each
        for each in reading.unread
        if not any(pointer == each.pointer and (quote in each.text or each.text in quote) for pointer, quote in found)
    ]


def _weighed(
    material: Material,
    book: FactBook,
    framed: Framed,
    reading: Reading,
    checks: tuple[Check, ...],
    findings: list[Finding],
    proposed: SpokenWeights | None = None,
) -> Outcome:
    brief = material.brief
    options = range(len(brief.options))
    excluded = frozenset(failed_options(checks))
    unweighed = all(criterion.weight is None for criterion in brief.criteria)
    spoken = (spoken_weights(material) or proposed) if unweighed else None
    if unweighed and spoken is None:
        brief = replace(brief, criteria=_only_what_counts(brief.criteria, framed, reading))
        material = replace(material, brief=brief)
    if spoken is not None:
        brief = replace(brief, criteria=_with_spoken(brief.criteria, spoken))
        material = replace(material, brief=brief)
    table = Table(material, book, frozenset(options) - excluded, framed.stated, given_rates(brief))
    columns = tuple(column(table, j) for j in range(len(brief.criteria))) if brief.options else ()
    weighing = weigh(
        columns,
        weights(brief.criteria) if columns else (),
        len(brief.options),
        excluded=excluded,
        doubtful=_doubtful(checks, excluded, len(brief.options)),
        same={later: first for first, later in same_options(material)},
    )
    return Outcome(
        material,
        columns,
        weighing,
        table,
        checks,
        reading,
        tuple(_finding_json(each) for each in findings),
        spoken,
        framed.frame,
    )


def _doubtful(checks: tuple[Check, ...], excluded: frozenset[int], options: int) -> frozenset[int]:
    """A condition that is unknown for everybody who is left tells nobody apart."""
    found = set()
    for option, unknown in unknown_options(checks).items():
        for check in unknown:
            if not check.constraint.subject and check.constraint.kind == "required":
                continue  # only prose speaks of it: silence is no sign
            same = {
                other.option
                for other in checks
                if other.constraint is check.constraint and other.status == check.status
            }
            if len((same | excluded) & set(range(options))) < options:
                found.add(option)
    return frozenset(found)


def _with_spoken(criteria: tuple[Criterion, ...], spoken: SpokenWeights) -> tuple[Criterion, ...]:
    """Criteria that the text does not weigh count as the lesser one of those it does."""
    least = min((weight for weight in spoken.weights.values() if weight), default=Fraction(1))
    return tuple(replace(criterion, weight=spoken.weights.get(j, least)) for j, criterion in enumerate(criteria))


def _only_what_counts(criteria: tuple[Criterion, ...], framed: Framed, reading: Reading) -> tuple[Criterion, ...]:
    """Criteria that were taken from the attributes, while a text says of others that more or less of them is better:
    what only has to be enough, because a condition limits it, is checked and not weighed.
    """
    stated = {j for j, _ in framed.stated}
    limited = {normalise(each.subject) for each in reading.constraints if each.kind == "limit"}
    if not stated or any(criterion.pointer is not None for criterion in criteria):
        return criteria
    return tuple(
        replace(criterion, weight=Fraction(0 if j not in stated and normalise(criterion.name) in limited else 1))
        for j, criterion in enumerate(criteria)
    )


def _unlawful(findings: list[Finding]) -> list[Constraint]:
    return [
        Constraint(
            "law", Evidence(each.pointer, quotation(each.data["quote"])), each.data["rule_id"], options=(each.option,)
        )
        for each in findings
        if each.stops and each.option is not None
    ]


def _finding_json(finding: Finding) -> dict[str, object]:
    return {**finding.data, "pointer": finding.pointer}


def _yes_or_no(brief: Brief, pages: tuple[Passage, ...], today: date) -> Outcome:
    """Yes and no as options; the rule that the context gives excludes one of them."""
    rates = given_rates(brief)
    pointer = brief.question_pointer
    answers = (Option(YES[brief.language], pointer), Option(NO[brief.language], pointer))
    found = ruled(brief, today, rates)
    material = gather(brief, pages)
    findings = findings_in(brief, material.texts)
    reading = Reading()
    for each in brief.context:
        if isinstance(each.value, str):
            reading.instructions += [each.pointer] if addresses_the_reader(each.value) else []
    brief = replace(brief, options=answers, criteria=())
    material = replace(material, brief=brief)
    checks: tuple[Check, ...] = ()
    if found is not None:
        refused = 1 if found.answer == "yes" else 0
        reading.constraints.append(Constraint("excluded", found.rule, options=(refused,)))
        book = FactBook(material, today)
        checks = tuple(
            replace(check, evidence=(found.fact,)) for check in Checker(brief, book, reading, today, rates).all()
        )
    table = Table(material, FactBook(material, today), frozenset({0, 1}))
    weighing = weigh((), (), 2, excluded=frozenset(failed_options(checks)))
    return Outcome(
        material,
        (),
        weighing,
        table,
        checks,
        reading,
        tuple(_finding_json(each) for each in findings),
        None,
        "yes_no",
        found,
    )
