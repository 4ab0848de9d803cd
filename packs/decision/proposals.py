"""What a language model read in the sentences that code could not: proposals in, typed readings out. Pure.

The model only points: at an option, a criterion and the words of a sentence. Every number is parsed anew from those
words, every name has to be one that the run has, every quotation has to stand in a sentence that was shown. What does
not fit is dropped; nothing here scores, ranks or recommends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from packs.base import JsonObject
from packs.decision.brief import normalise
from packs.decision.comparing import in_unit
from packs.decision.conditions import wording
from packs.decision.conditions.model import Constraint
from packs.decision.conditions.negation import denials
from packs.decision.evidence import Evidence, mention, named_in
from packs.decision.facts import Fact
from packs.decision.naming import words_of
from packs.decision.readings import Amount, Day, Flag, Reading, interpret, quantities_in
from packs.decision.residue import Sentence
from packs.decision.run_state import Outcome
from packs.decision.weights_in_words import SpokenWeights, spoken_factor
from packs.text.bounds import Bound
from packs.text.dates import find_dates
from packs.text.quantities import Quantity

_SIDES: dict[str, Bound] = {"at_most": "at_most", "at_least": "at_least", "before": "at_most", "after": "at_least"}
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Proposals:
    """What was accepted of a model's reading."""

    options: tuple[str, ...] = ()
    aliases: tuple[tuple[int, str], ...] = ()
    facts: tuple[tuple[int, Fact], ...] = ()
    constraints: tuple[Constraint, ...] = ()
    weights: SpokenWeights | None = None
    proposed: int = 0

    @property
    def used(self) -> int:
        counted = len(self.options) + len(self.aliases) + len(self.facts) + len(self.constraints)
        return counted + (self.weights is not None)


NO_PROPOSALS = Proposals()


def accepted(given: Sequence[JsonObject], outcome: Outcome, shown: Sequence[Sentence]) -> Proposals:
    reader = _Acceptance(outcome, shown)
    for proposal in given:
        reader.take(proposal)
    found = replace(reader.found, proposed=len(given))
    # One name is no choice.
    return found if len(found.options) >= 2 else replace(found, options=())


class _Acceptance:
    def __init__(self, outcome: Outcome, shown: Sequence[Sentence]) -> None:
        self.outcome, self.brief, self.book = outcome, outcome.brief, outcome.table.book
        self.shown = shown
        self.found = Proposals()

    def take(self, proposal: JsonObject) -> None:
        sentence = self._sentence(proposal["pointer"], proposal["quote"])
        if sentence is None:
            return
        match proposal["kind"]:
            case "option":
                self._option(proposal)
            case "alias":
                self._alias(proposal)
            case "cell" | "contradiction":
                self._cell(proposal, sentence)
            case "constraint":
                self._constraint(proposal, sentence)
            case "weight":
                self._weight(proposal)

    def _sentence(self, pointer: str, quote: str) -> Sentence | None:
        """The shown sentence that has these words, letter by letter."""
        return next(
            (each for each in self.shown if each.pointer == pointer and quote.strip() and quote in each.text), None
        )

    def _option_index(self, name: str) -> int | None:
        wanted = normalise(name)
        return next((i for i, each in enumerate(self.brief.options) if normalise(each.name) == wanted), None)

    def _criterion_index(self, name: str) -> int | None:
        wanted = normalise(name)
        return next((j for j, each in enumerate(self.brief.criteria) if normalise(each.name) == wanted), None)

    def _option(self, proposal: JsonObject) -> None:
        name = proposal.get("name", "").strip()
        known = {normalise(each) for each in self.found.options}
        if self.outcome.frame != "none" or not 2 <= len(name) <= _LONGEST_NAME or normalise(name) in known:
            return
        if name in proposal["quote"]:
            self.found = replace(self.found, options=(*self.found.options, name))

    def _alias(self, proposal: JsonObject) -> None:
        index, name = self._option_index(proposal.get("option", "")), proposal.get("name", "").strip()
        taken = {normalise(each) for own in self.brief.option_names for each in own}
        taken |= {normalise(alias) for _, alias in self.found.aliases}
        if index is None or not 2 <= len(name) <= _LONGEST_NAME or normalise(name) in taken:
            return
        if name in proposal["quote"]:
            self.found = replace(self.found, aliases=(*self.found.aliases, (index, name)))

    def _cell(self, proposal: JsonObject, sentence: Sentence) -> None:
        option = self._option_index(proposal.get("option", ""))
        criterion = self._criterion_index(proposal.get("criterion", ""))
        if option is None or criterion is None or not self._speaks_of(option, sentence):
            return
        evidence = Evidence(proposal["pointer"], proposal["quote"])
        name = self.brief.criteria[criterion].name
        terms = proposal.get("terms")
        reading = self._computed(terms) if terms else _read(proposal["quote"])
        if reading is None:
            return
        value = reading.quantity.text if terms and isinstance(reading, Amount) else proposal["quote"]
        fact = Fact(self.book.matching(name), value, reading, evidence)
        if all(each.reading != reading for each in self.book.of(option, fact.attribute)):
            self.found = replace(self.found, facts=(*self.found.facts, (option, fact)))

    def _speaks_of(self, option: int, sentence: Sentence) -> bool:
        """A sentence that names other options only, or stands in another option's text, says nothing of this one."""
        named = named_in(self.brief, sentence.text)
        return sentence.about in (None, option) and (not named or option in named)

    def _computed(self, terms: Sequence[JsonObject]) -> Reading | None:
        """A sum of cited figures, each once or as often as another cited figure says. Computed here."""
        total: Quantity | None = None
        shown: list[str] = []
        for term in terms:
            amount = self._one_figure(term["pointer"], term["quote"])
            if amount is None:
                return None
            times = Decimal(1)
            if "times" in term:
                factor = self._one_figure(term["times"]["pointer"], term["times"]["quote"])
                if factor is None or factor.is_range:
                    return None
                times = factor.low
            part = replace(amount, low=amount.low * times, high=amount.high * times, per="", bound="")
            shown.append(amount.text if times == 1 else f"{format(times.normalize(), 'f')} × {amount.text}")
            moved = part if total is None else in_unit(part, total.unit, "")
            if moved is None:
                return None
            total = moved if total is None else replace(total, low=total.low + moved.low, high=total.high + moved.high)
        return None if total is None else Amount(replace(total, text=" + ".join(shown)))

    def _one_figure(self, pointer: str, quote: str) -> Quantity | None:
        if self._sentence(pointer, quote) is None:
            return None
        found = quantities_in(quote)
        return found[0] if len(found) == 1 else None

    def _constraint(self, proposal: JsonObject, sentence: Sentence) -> None:
        rule, subject = proposal.get("rule", ""), proposal.get("subject", "")
        evidence = Evidence(proposal["pointer"], proposal["quote"])
        if rule == "excluded":
            option = self._option_index(subject)
            binds = denials(sentence.text) > 0 or wording.is_hard(sentence.text)
            if option is None or not binds or option not in named_in(self.brief, sentence.text):
                return
            self._add(Constraint("excluded", evidence, words=sentence.text, options=(option,)))
            return
        attribute = self.book.matching(subject)
        if normalise(attribute) not in {normalise(each) for each in self.book.attributes}:
            return
        if rule in ("at_most", "at_least"):
            found = quantities_in(proposal["quote"])
            if len(found) == 1:
                self._add(Constraint("limit", evidence, attribute, sentence.text, found[0], _SIDES[rule]))
        elif rule in ("before", "after"):
            days = [span for span in find_dates(proposal["quote"], self.book.today) if span.first and span.last]
            if len(days) == 1:
                day = days[0].last if rule == "before" else days[0].first
                self._add(Constraint("deadline", evidence, attribute, sentence.text, None, _SIDES[rule], day))
        elif rule in ("required", "forbidden"):
            self._requirement(attribute, evidence, sentence, wanted=rule == "required")

    def _requirement(self, attribute: str, evidence: Evidence, sentence: Sentence, *, wanted: bool) -> None:
        facts = [self.book.first(i, attribute) for i in range(len(self.brief.options))]
        if any(fact is not None and isinstance(fact.reading, Flag) for fact in facts):
            self._add(Constraint("required", evidence, attribute, sentence.text, wanted=wanted))
            return
        texts = [fact.value for fact in facts if fact is not None and isinstance(fact.value, str)]
        words = {word for text in texts for word in words_of(text) if not word[0].isdecimal()}
        named = tuple(sorted(word for word in words if mention(word, evidence.quote) >= 0))
        if named:
            self._add(Constraint("value", evidence, attribute, sentence.text, wanted=wanted, values=named))

    def _add(self, constraint: Constraint) -> None:
        self.found = replace(self.found, constraints=(*self.found.constraints, constraint))

    def _weight(self, proposal: JsonObject) -> None:
        one = self._criterion_index(proposal.get("criterion", ""))
        other = self._criterion_index(proposal.get("than", ""))
        factor = spoken_factor(proposal["quote"])
        if one is None or other is None or one == other or factor is None or self.found.weights is not None:
            return
        evidence = Evidence(proposal["pointer"], proposal["quote"])
        weights = SpokenWeights({one: factor, other: Fraction(1)}, (evidence,), exact=True)
        self.found = replace(self.found, weights=weights)


def _read(quote: str) -> Reading | None:
    """The one thing that a quotation says: all of it, or its only figure or day."""
    whole = interpret(quote)
    if whole is not None:
        return whole
    days = [span for span in find_dates(quote) if span.first is not None]
    amounts = quantities_in(quote)
    if len(days) + len(amounts) != 1:
        return None
    return Day(days[0]) if days else Amount(amounts[0])
