"""Limits on amounts: `at most 500 USD`, 3주 이내, a budget; and the attribute that each of them is about."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from packs.decision.brief import Brief, Direction, normalise
from packs.decision.comparing import family
from packs.decision.conditions import wording
from packs.decision.conditions.clauses import clause_around
from packs.decision.conditions.model import Constraint, Sentence
from packs.decision.conditions.negation import denials, denials_about, reverses
from packs.decision.conditions.predicates import speaks_of_the_past
from packs.decision.directions import derived_direction, direction_of_name
from packs.decision.evidence import Evidence, quotation
from packs.decision.facts import FactBook
from packs.decision.naming import is_cost_like, overlap, same_word, words_of
from packs.decision.readings import Amount, period_of, quantities_in, says_not_known, verbatim
from packs.text.bounds import Bound
from packs.text.quantities import Quantity

_OPPOSITE: dict[Bound, Bound] = {"at_most": "over", "over": "at_most", "at_least": "under", "under": "at_least", "": ""}
_LIMIT_NOUN = re.compile(
    r"\b(?:budget|cap|ceiling|limit|maximum|max|funds?|allowance|spending power|we (?:only )?have|clearance)\b"
    r"|예산|상한|한도|최대|가용\s?자금",
    re.IGNORECASE,
)
_FLOOR_NOUN = re.compile(r"\b(?:minimum|min|threshold|floor (?:of|is|at|price))\b|하한|최저|최소", re.IGNORECASE)
_BUDGET_KEYS = re.compile(
    r"budget|max(?:imum)?[_ ]?(?:cost|price|spend\w*|fee)?$|price[_ ]?(?:cap|limit)|예산|상한|한도|최대", re.IGNORECASE
)
# A need without a word for its side: whether it is a ceiling or a floor follows from what is wanted of the attribute.
_NEEDED = re.compile(
    r"\b(?:demand(?:s|ed)?|need(?:s|ed)?|requir(?:e|es|ed)|insist(?:s|ed)?|must|ha(?:s|ve) to|call(?:s"
    r"|ed)? for|tolerat(?:e|es|ed)"
    r"|allow(?:s|ed)?|permit(?:s|ted)?|handles?|copes?|bears?|withstands?|stipulat\w+|prescrib\w+"
    r"|specif(?:y|ies|ied)|rated for|standard is)\b"
    r"|[가-힣]야\s?(?:만\s?)?(?:한|하|합|된|됩|되|함|할|해)|(?<![분시이평])야(?:만)?\s[^.,]{1,14}?수\s?있|필요|요구|규격|기준|허용|감당|견딜|버틸",
    re.IGNORECASE,
)
_TOLERATED = re.compile(
    r"\b(?:tolerat|allow|permit|bear|withstand|handle|cope|support)\w*|허용|감당|견딜"
    r"|버틸",
    re.IGNORECASE,
)
# How many an option can take: whoever counts guests, seats or pages beside it says how many there will be.
_CAPACITY = re.compile(
    r"\b(?:max(?:imum)?|capacity|seats?|seating|holds?|fits?|sleeps|places|room for|accommodates|available"
    r"|stock|inventory|supply|limit|loan)\b"
    r"|수용|정원|좌석|최대|용량|공급\s?가능|재고|가능량|한도",
    re.IGNORECASE,
)
# What an option asks for: whoever tells what he has says the most that it may be.
_ENTRY = re.compile(
    r"\b(?:min(?:imum)?|least|entry|deposit|down ?payment)\b|최소|최저|가입\s?금액|보증금", re.IGNORECASE
)
# Not a condition: what usually is, what once was, what somebody else has.
_BACKGROUND = re.compile(
    r"\b(?:last (?:year|month|week|time)|previous(?:ly)?|used to|in the past|formerly|most (?:of|\w+s)"
    r"|typical(?:ly)?|usual(?:ly)?"
    r"|on average|average|market|industry|industries|competitors?|so far|historically|ago)\b"
    r"|작년|지난해|지난달|지난번|예전|과거|보통|대체로|평균|대부분|통상|업계|시장|경쟁사|했었",
    re.IGNORECASE,
)
_PEOPLE_WORDS = (
    "person people guests employees users visitors participants students seat colleagues workers staffers attendees "
    "delegates members pupils children patients passengers nurses teachers drivers residents tenants customers players "
    "applicants agents volunteers families couples"
)
PEOPLE = frozenset(_PEOPLE_WORDS.split())
# How many are wanted of what an option can supply: `we order 250,000 pieces`.
_DEMAND = re.compile(
    r"\b(?:order|need|require|expect|use|consume|print|ship|process|produce|send|hand out|sell)s?\b"
    r"|주문|발주|필요|사용|소비|찍|보내|나눠|판매",
    re.IGNORECASE,
)
# People who are taken in; `employees` or `people` may as well be those who do the work.
_SERVED = frozenset(("guests", "visitors", "participants", "students", "seat", "users", "passengers", "patients"))
_FOR_PEOPLE = re.compile(
    r"\b(?:seats|seating|guests|sleeps|users|licen[cs]es|capacity|accounts|people|persons)"
    r"\b(?! (?:rating|score|fee|price))|수용|정원|좌석|인원",
    re.IGNORECASE,
)
_MONEY_GRANTED = re.compile(
    r"\b(?:released|allocat\w+|earmarked|set aside|granted|ring-?fenced|put up|grants?|cover(?:s|ed)?"
    r"|funding|provid\w+|available|to spend"
    r"|approved|sanctioned"
    r"|signed off)\b|배정|책정|편성|승인|확보|쓸\s?수\s?있",
    re.IGNORECASE,
)
_FLOOR_KEYS = re.compile(r"^min(?:imum)?[_ ]|^최소|하한", re.IGNORECASE)
# Kinds of figures that stand in any sentence; decibels and kilograms say what they are about.
_OF_ANYTHING = frozenset({"money", "time", "count", "%", ""})
# Units that say by themselves what is counted; a bare number or a percentage does not.
_SAYS_NOTHING = frozenset({"", "%", "%p", "piece", "point", "times", "occasion", "case", "number of times"})


# `8 kg is the heaviest we can accept`, `the longest we can wait is a week`: the end of what is borne.
_SUPERLATIVE_BEHIND = re.compile(
    r"^\s(?:is|are|would be|being)\s(?:the|our)\s(?P<word>[a-z]{3,12}est|most|least)\b", re.IGNORECASE
)
_SUPERLATIVE_BEFORE = re.compile(
    r"\bthe\s(?P<word>[a-z]{3,12}est|most|least)\s(?:[a-z'-]+\s){1,6}?(?:is|are|would be)\s(?:about\s)?$", re.IGNORECASE
)
_LEAST_WORDS = "least lightest lowest shortest smallest fewest cheapest nearest earliest weakest slowest youngest"
_LEAST = frozenset(_LEAST_WORDS.split())


_PLAIN_REFUSAL = re.compile(
    r"^[^,.;]{0,12}?\b(?:is|are) (?:strictly )?(?:banned|forbidden|prohibited|not (?:allowed|permitted))\b"
    r"|^[^,.;]{0,12}?(?:금지|불허)",
    re.IGNORECASE,
)


def is_limit_key(key: str) -> bool:
    return _BUDGET_KEYS.search(key) is not None or _FLOOR_KEYS.search(key) is not None


class LimitReader:
    def __init__(self, brief: Brief, book: FactBook, today: date) -> None:
        self.brief, self.book, self.today = brief, book, today

    def read(self, text: str, given: Sentence, named: list[int]) -> Iterator[Constraint]:
        placed = given.hard or is_limit_key(given.key) or wording.STRONG.search(text) is not None
        if not placed and (speaks_of_the_past(text) or (_BACKGROUND.search(text) and not wording.BUDGET.search(text))):
            return
        text = self._with_short_nouns(text)
        for quantity in quantities_in(text, self.today):
            for side, limit in self._ends(text, quantity, given) or self._needed(text, quantity, given, named):
                subject = self._holds_people(limit, text) or self.subject(text, given, limit)
                if subject and self._is_a_name_there(subject, quantity):
                    continue
                if subject is None or (named and subject and given.key != "criterion" and not self._is_rule(text)):
                    continue  # "Orbit takes at most 30 days" is a fact about Orbit
                evidence = Evidence(given.pointer, quotation(given.text, quantity.start))
                yield Constraint("limit", evidence, subject, text, limit, side)

    def _is_a_name_there(self, subject: str, quantity: Quantity) -> bool:
        """24시간 beside 주간만: among words, a figure is the name of a kind, and no amount."""
        given = [self.book.first(index, subject) for index in range(len(self.brief.options))]
        words = any(fact is not None and fact.reading is None and not says_not_known(fact.value) for fact in given)
        return (
            words
            and not quantity.bound
            and any(fact is not None and normalise(verbatim(fact.value)) == normalise(quantity.text) for fact in given)
        )

    def _with_short_nouns(self, text: str) -> str:
        """`two board seats` are two of what the attribute counts: its last word is enough to be read as a unit."""
        for name in self.book.attributes:
            if " " in name and self._family(name) == "count" and not self._unit(name):
                text = re.sub(rf"(?<=\s){re.escape(name)}\b", name.rpartition(" ")[2], text, flags=re.IGNORECASE)
        return text

    def refuses(self, text: str) -> bool:
        """What lies beyond a figure is denied: `vehicles above 2.5 m do not fit`."""
        return any(
            quantity.bound and reverses(text[: quantity.around[0]], text[quantity.around[1] :])
            for quantity in quantities_in(text, self.today)
        )

    def _is_rule(self, text: str) -> bool:
        """A sentence that names an option and still speaks of all: `the limit, which Orbit exceeds, is 30 days`."""
        return wording.excludes_by_name(text) or wording.STRONG.search(text) is not None

    def _ends(self, text: str, quantity: Quantity, given: Sentence) -> list[tuple[Bound, Quantity]]:
        if bound := self._bound(text, quantity, given):
            return [(bound, quantity)]
        if quantity.is_range and given.hard:
            low, high = replace(quantity, high=quantity.low), replace(quantity, low=quantity.high)
            return [("at_least", low), ("at_most", high)]
        return []

    def _needed(self, text: str, quantity: Quantity, given: Sentence, named: list[int]) -> list[tuple[Bound, Quantity]]:
        """A figure that is needed, with no word for its side. A figure of a named option is a fact about it."""
        if named or quantity.is_range or _BACKGROUND.search(text):
            return []
        if (holder := self._holds_people(quantity, text)) is not None:
            return [("at_least", quantity)] if holder else []
        subject = self.subject(text, given, quantity)
        if not subject:
            return []
        clause = clause_around(text, quantity.start)
        likeness = overlap(subject, f"{given.key} {text}")
        alike = likeness > 0 or self._unit(subject) == quantity.unit != ""
        if _CAPACITY.search(subject) and (alike or _DEMAND.search(clause)):
            return [("at_least", quantity)]
        if family(quantity.unit) == "money" and (_MONEY_GRANTED.search(clause) or _ENTRY.search(subject)):
            return [("at_most", quantity)]
        placed = given.hard and likeness >= 0.5
        is_known = likeness > 0 or (quantity.unit not in _SAYS_NOTHING and self._unit(subject) == quantity.unit)
        counted = self._counted_as(quantity.unit) == subject and _NEEDED.search(text) is not None
        needed = counted or _NEEDED.search(clause) or denials(text) > 0 or wording.STRONG.search(text)
        if not placed and not (is_known and needed):
            return []
        if any(other.bound and other.low == quantity.low for other in quantities_in(text, self.today)):
            return []  # the same figure stands in the sentence with its side
        higher = self._direction(subject) == "higher_is_better" and not _TOLERATED.search(clause)
        return [("at_least" if higher else "at_most", quantity)]

    def _holds_people(self, quantity: Quantity, text: str) -> str | None:
        """The one attribute that says how many people an option can take; None where nobody is counted. `18 people, and
        everybody needs a desk`: what there has to be one of for each is named.
        """
        if quantity.unit not in PEOPLE:
            return None
        found = [name for name in self.book.attributes if self._is_room_for_people(name)]
        if not found:
            found = [
                each for each in self.book.attributes if self._family(each) == "count" and overlap(each, text) >= 1
            ]
        return found[0] if len(found) == 1 else None

    def _counted_as(self, unit: str) -> str:
        """The attribute whose bare numbers count what the unit names: `9 countries`, and `countries: 12`."""
        found = [
            name
            for name in self.book.attributes
            if unit and self._family(name) == "count" and any(same_word(unit, word) for word in words_of(name))
        ]
        return found[0] if len(found) == 1 else ""

    def _is_room_for_people(self, name: str) -> bool:
        """`seats: 40`, or `can serve: 150 guests`: the name says it, or the unit of the values does."""
        if self._family(name) != "count":
            return False
        return _FOR_PEOPLE.search(name) is not None or self._unit(name) in _SERVED

    def _direction(self, name: str) -> Direction:
        own = next((each for each in self.brief.criteria if normalise(each.name) == normalise(name)), None)
        return (own.direction if own is not None else None) or derived_direction(name, self._family(name))

    def names_an_attribute(self, text: str) -> bool:
        """The sentence gives a figure, with a bound, for what the options are described by; or any figure for what is
        no criterion: why else would it be there?
        """
        return not _BACKGROUND.search(text) and any(
            self._family(name) == family(quantity.unit) and overlap(name, text) >= 0.5
            for quantity in quantities_in(text, self.today)
            for name in self.book.attributes
            if quantity.bound or not self._is_criterion(name)
        )

    def bounds_an_attribute(self, text: str, given: Sentence) -> bool:
        """A figure with a side, for something by which the options are described, in a sentence that names none of
        them: whoever says 일주일 안에 or `inside of 15 days` of nobody in particular says it of everybody.
        """
        if _BACKGROUND.search(text) or speaks_of_the_past(text):
            return False
        bounded = [each for each in quantities_in(text, self.today) if each.bound or _superlative(text, each)]
        return any(
            overlap(subject, text) > 0 or (each.unit == self._unit(subject) and family(each.unit) not in _OF_ANYTHING)
            for each in bounded
            if (subject := self.subject(text, given, each))
        )

    def demands_a_number(self, text: str, given: Sentence) -> bool:
        """How many are wanted, beside how many each option can supply."""
        if _BACKGROUND.search(text) or not _DEMAND.search(text):
            return False
        counted = [each for each in quantities_in(text, self.today) if family(each.unit) == "count" and not each.bound]
        subjects = [self.subject(text, given, each) for each in counted]
        return any(subject and _CAPACITY.search(subject) for subject in subjects)

    def _bound(self, text: str, quantity: Quantity, given: Sentence) -> Bound:
        bound: Bound = quantity.bound or _superlative(text, quantity)
        if bound and not quantity.bound:
            return bound
        if bound in ("", "at_most") and _limit_noun_before(text, quantity):
            return "at_most"
        if not bound:
            if _FLOOR_NOUN.search(text[max(0, quantity.start - 30) : quantity.start]) or _FLOOR_KEYS.search(given.key):
                return "at_least"
            return "at_most" if _BUDGET_KEYS.search(given.key) else ""
        reversed_ = reverses(text[: quantity.around[0]], text[quantity.around[1] :])
        return self._by_direction(text, quantity, given, _OPPOSITE[bound] if reversed_ else bound)

    def _by_direction(self, text: str, quantity: Quantity, given: Sentence, side: Bound) -> Bound:
        """Where the clause denies or compares ("more than"), what is wanted of the attribute is a surer sign than the
        count of denials: nobody rules out the cheap and the quick.
        """
        before, behind = text[: quantity.around[0]], text[quantity.around[1] :]
        denied = denials_about(before, behind)
        if not denied and quantity.bound in ("at_most", "at_least"):
            return side
        once = denied == 1 and quantity.bound in ("over", "under")
        if once and (denials_about(before, "") == 1 or _PLAIN_REFUSAL.match(behind)):
            return side  # `refuse to give more than two`, `above 25 km/h are banned`: nothing is left to doubt
        subject = self.subject(text, given, quantity)
        wanted = self._plain_direction(subject) if subject else None
        if subject and wanted is None and not denied and wording.CONDITIONAL.search(text):
            wanted = self._direction(subject)  # `if it takes more than four weeks, the season is over`
        floor = side in ("at_least", "over")
        if wanted is None or floor == (wanted == "higher_is_better"):
            return side
        return _OPPOSITE[side]

    def _plain_direction(self, name: str) -> Direction | None:
        own = next((each for each in self.brief.criteria if normalise(each.name) == normalise(name)), None)
        if own is not None and own.direction is not None:
            return own.direction
        known = self._family(name) == "money" or direction_of_name(name) is not None
        return derived_direction(name, self._family(name)) if known else None

    def subject(self, text: str, given: Sentence, limit: Quantity) -> str | None:
        """The attribute a limit is about. Empty: none of the options has a value for it. None: it limits nothing that
        the options are described by.
        """
        names = list(dict.fromkeys([*(criterion.name for criterion in self.brief.criteria), *self.book.attributes]))
        if given.key == "criterion":
            bare = re.sub(r"\s*[(\[:,–—-].*$", "", text)
            own = next(
                (name for name in self.book.attributes if normalise(name) in (normalise(text), normalise(bare))), None
            )
            return own or self.book.matching(text)
        if counted := self._counted_as(limit.unit):
            return counted
        wanted = family(limit.unit)
        budget = wording.BUDGET.search(f"{given.key} {text}") is not None or _BUDGET_KEYS.search(given.key) is not None
        budget = budget or (wanted == "money" and _MONEY_GRANTED.search(text) is not None)
        same = [name for name in names if self._family(name) == wanted]
        if not limit.unit and budget:
            same = [name for name in names if is_cost_like(name)] or same
        if not same:
            binding = given.hard or wording.STRONG.search(text) is not None or budget
            return "" if binding and wanted in ("money", "time") and self.brief.options else None
        spoken = f"{given.key} {clause_around(text, limit.start)}"
        ranked = sorted(
            same, key=lambda name: (-overlap(name, spoken), -overlap(name, text), not self._is_criterion(name))
        )
        if overlap(ranked[0], spoken) >= 1 and (len(ranked) == 1 or overlap(ranked[1], spoken) < 1):
            return ranked[0]  # named in full, beside the figure
        likeness = max(overlap(ranked[0], spoken), overlap(ranked[0], text))
        if (wanted == "money" or not limit.unit) and (budget or (wanted == "money" and likeness == 0)):
            return self._cost(ranked, limit, spoken, text, budget=budget, likeness=likeness)
        if likeness > 0:
            return ranked[0]
        measured_alike = [name for name in same if self._unit(name) == limit.unit]
        if limit.unit not in _SAYS_NOTHING and len(measured_alike) == 1:
            return measured_alike[0]
        if len(same) > 1:
            same = self._on_the_side(same, limit)
        floor = limit.bound in ("at_least", "over") or (not limit.bound and _DEMAND.search(text) is not None)
        if len(same) == 1 and wanted == "count" and floor and _CAPACITY.search(same[0]):
            return same[0]  # `at least 12,000 are needed` beside how many each can supply
        if len(same) != 1 or (wanted in ("%", "count") and not given.hard):
            return None
        return same[0]

    def _on_the_side(self, names: list[str], limit: Quantity) -> list[str]:
        """Of several attributes of one kind a ceiling means the one of which less is wanted: that the works end within
        a month is no word about the warranty.
        """
        if limit.bound not in ("at_most", "under", "at_least", "over"):
            return names
        wanted = "lower_is_better" if limit.bound in ("at_most", "under") else "higher_is_better"
        return [name for name in names if self._direction(name) == wanted]

    def _cost(
        self, ranked: list[str], limit: Quantity, spoken: str, text: str, *, budget: bool, likeness: float
    ) -> str | None:
        costs = [name for name in ranked if is_cost_like(name) or direction_of_name(name) == "lower_is_better"]
        fitting = [name for name in costs if self._same_period(name, limit)] or costs
        if not fitting:
            return None
        if budget:
            return max(fitting, key=lambda name: (overlap(name, spoken), self._is_criterion(name)))
        if likeness == 0 and not (len(fitting) == 1 and wording.is_hard(text)):
            return None
        return fitting[0]

    def _quantity(self, name: str) -> Quantity | None:
        for index in range(len(self.brief.options)):
            fact = self.book.first(index, name)
            if fact is not None and isinstance(fact.reading, Amount):
                return fact.reading.quantity
        return None

    def _family(self, name: str) -> str:
        quantity = self._quantity(name)
        return "" if quantity is None else family(quantity.unit)

    def _unit(self, name: str) -> str:
        quantity = self._quantity(name)
        return "" if quantity is None else quantity.unit

    def _same_period(self, name: str, limit: Quantity) -> bool:
        quantity = self._quantity(name)
        if quantity is None:
            return False
        own = quantity.per or period_of(name)
        return bool(own) == bool(limit.per) or own == limit.per

    def _is_criterion(self, name: str) -> bool:
        return any(normalise(criterion.name) == normalise(name) for criterion in self.brief.criteria)


def _superlative(text: str, quantity: Quantity) -> Bound:
    found = _SUPERLATIVE_BEHIND.match(text[quantity.around[1] :]) or _SUPERLATIVE_BEFORE.search(
        text[: quantity.around[0]]
    )
    if found is None:
        return ""
    return "at_least" if found["word"].lower() in _LEAST else "at_most"


def _limit_noun_before(text: str, quantity: Quantity) -> bool:
    """`Budget: $60,000`, 상한가는 한 벌 35만 원: the noun makes the figure a ceiling, whatever follows."""
    before = text[max(0, quantity.start - 40) : quantity.start]
    clause = re.split(r"[;,.](?![0-9])\s", before)[-1]
    noun = _LIMIT_NOUN.search(clause) or wording.BUDGET.search(clause)
    return noun is not None and not re.search(r"[0-9]", clause[noun.end() :])
