"""A yes-or-no question held against the rules and facts of its own context.

A rule is a threshold ("needs at least 1,000", 예산은 500만원), a prohibition, or a number of periods in a row with an
action. The answer follows only where a rule and a fact meet; otherwise nothing is decided.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Literal

from packs.decision.brief import Brief
from packs.decision.comparing import Rates, family, in_unit
from packs.decision.conditions import wording
from packs.decision.conditions.negation import denies, reverses
from packs.decision.evidence import Evidence, quotation
from packs.decision.naming import alike, same_word, words_of
from packs.text.bounds import Bound
from packs.text.dates import find_dates
from packs.text.quantities import Quantity, find_quantities
from packs.text.sentences import sentence_spans

_NEEDED = re.compile(
    r"\b(?:need(?:s|ed)?|requires?|required|must|at least|minimum|only (?:if|when|with)|threshold|condition"
    r"|provided|unless|rule|policy|as soon as|once|when|if)\b"
    r"|필요|최소|이상이어야|이상일\s?때|이상이면|되어야|있어야|조건|기준|규칙|원칙|넘으면|넘어야|미만이면|이하이면"
    r"|경우",
    re.IGNORECASE,
)
_CEILING = re.compile(
    r"\b(?:budget|cap|ceiling|limit|maximum|at most|no more than|afford|available(?: funds?)?|remaining"
    r"|allows?|permits?|licen[cs]ed for)\b"
    r"|예산|상한|한도|최대|잔액|남은|이내|초과할 수 없|쓸\s?수\s?있는|가용|허용|정원",
    re.IGNORECASE,
)
_HAVE = re.compile(
    r"\b(?:asks?|quotes?|offers?|wants|charges?|voted|scored|got|have|has|had"
    r"|own|currently|current|now|so far|there (?:are|is)|stands? at|reached|is|are|was|were"
    r"|cost[s]?|amounts? to|expected|forecast|measured)\b|가진|있다|있는|있고|현재|지금|보유|이다|이고|였|든다"
    r"|들고|예상|달한|기록|냈",
    re.IGNORECASE,
)
_IN_A_ROW = re.compile(
    r"(?P<n>two|three|four|\d+|두|세|네)\s?(?:consecutive\s)?(?P<unit>years?|quarters?|months?|해|년|분기|개월|달"
    r"|차례|번|회)\s?(?:in a row|running|연속|이어|내리|consecutively)|(?:consecutive|연속)\s?(?P<n2>\d+|두|세|two"
    r"|three)\s?(?P<unit2>년|분기|개월|years?|quarters?)|(?P<n3>two|three|four|\d+)\sconsecutive\s(?P<unit3>years?"
    r"|quarters?|months?)",
    re.IGNORECASE,
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "두": 2, "세": 3, "네": 4}
_FORBIDDEN = re.compile(
    r"\b(?:forbid(?:s|den)|prohibit(?:s|ed)|not (?:allowed|permitted|possible|approved)|frozen|freeze|moratorium"
    r"|illegal|unlawful|bann?ed|may not|cannot|suspended|rejected|denied|refused|blocked)\b"
    r"|금지|불가|동결|중단|허용되지|할\s?수\s?없|위법|불법|거부|반려|불허|승인되지|보류",
    re.IGNORECASE,
)
# A general stop needs less in common with the question than a rule about one thing.
_FREEZE = re.compile(r"\b(?:freeze|frozen|moratorium|no new|all|any)\b|동결|전면|모든|일체|신규", re.IGNORECASE)
_ANY_AT_ALL = re.compile(
    r"\b(?:a single|even one|any|as long as|while|until all|one or more|never"
    r"|with (?:open|unresolved|outstanding|pending|known))\b|하나라도|한\s?[건개명]이?라도"
    r"|[0-9]?[건개명]이라도|있으면|남아\s?있",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:no|none|zero|without|all (?:fixed|closed|resolved))\b|없|0건|모두\s?(?:해결|수정)", re.IGNORECASE
)
_BY_RULE = re.compile(
    r"\b(?:by-?laws?|law|rules?|agreement|statutes?|regulations?|policy|contract)\b|협약"
    r"|법|규정|규칙|정관|조례|계약",
    re.IGNORECASE,
)
_ALL_NEW = re.compile(
    r"\b(?:all|any|every|no)\b.{0,20}\bnew (?:projects?|business|investments?|initiatives?|spending"
    r"|ventures?|contracts?)\b"
    r"|신규\s?(?:사업|투자|계약|과제|프로젝트|지출).{0,8}(?:모두|전면|일체|전부)|(?:모든|일체의?)\s?신규",
    re.IGNORECASE,
)
_BEGIN = re.compile(
    r"\b(?:start|launch|open|begin|introduce|build|set up|found|invest)\w*\b|시작|도입|개시|열|출시|신설"
    r"|투자|착수|지어",
    re.IGNORECASE,
)
_COMMON_WORDS = "year month week day 올해 내년 이번 우리 회사 should can 해야 할까 할까요 하나요 되나요 year's new"
_COMMON = frozenset(_COMMON_WORDS.split())
_NEGATIVE_ACTION = re.compile(
    r"\b(?:not|no|stop|cancel|close|end|reject|abandon|shut)\b|않|말|중단|취소|닫|폐", re.IGNORECASE
)
_LEFT_OVER = re.compile(r"\s(?:is|are)\s(?:left|available|all (?:we|there))|(?:이|가)?\s?(?:남|전부|뿐)", re.IGNORECASE)
_HAVE_NOW = re.compile(r"\b(?:costs?|inside|currently|at the moment)\b|쓴다|든다|현재|지금", re.IGNORECASE)
_LEFT = re.compile(
    r"\b(?:remain|stay|be left|keep|reserve|in the bank|untouched)\w*\b|남아|남겨|남기|예비|유지", re.IGNORECASE
)
_OWNED = re.compile(
    r"\b(?:have|has|hold|cash|balance|savings|funds|own)\b|보유|잔액|현금|가지고|가진|예금", re.IGNORECASE
)
_COSTS = re.compile(
    r"\b(?:costs?|price[ds]?|quote[ds]?|would be|asks?|investment|outlay)\b|비용|가격|값|든다|들고|견적|소요",
    re.IGNORECASE,
)
# Verbs that end something, and verbs that go on with it: the answer turns where rule and question disagree.
_ENDING = re.compile(
    r"\b(?:held back|hold back|withh[eo]ld|put on hold|postpone|defer|stop|halt|freez|froze|suspend|pause|end|close"
    r"|cancel|terminat|drop|leave|quit|discontinu|abandon|scrap|shut|dismiss|withdraw"
    r"|sell off|retire)\w*"
    r"|멈추|멈춘|보류|미루|미룬|동결|끝내|끝낸|그만|중단|종료|해지|닫|폐|철수|취소|정리|없앤|없애|퇴출",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"\b(?:keep|continu|renew|retain|stay|maintain|extend|go on)\w*|계속|유지|연장|갱신|이어|지속", re.IGNORECASE
)
_COUNTED = re.compile(
    r"\b(?P<number>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve) "
    r"(?:(?!of |per |in |to |or |and |the |at |by |for |out )[a-z-]+(?<!s) ){1,2}(?=[a-z]{3,}s\b)",
    re.IGNORECASE,
)
_SHARES = {
    r"\b(?:a )?two[- ]thirds(?: majority)?|3분의\s?2(?:\s?이상)?": "at least 66.67%",
    r"\b(?:a )?three[- ]quarters(?: majority)?|4분의\s?3(?:\s?이상)?": "at least 75%",
    r"\b(?:a |an )?(?:simple |absolute )?majority(?= of)|과반(?:수)?(?:\s?이상)?": "more than 50%",
}
# What has to be done or there before the thing that is asked about.
_PREREQUISITE = re.compile(
    r"\b(?:requires?|required|needs?|must (?:first )?(?:be|have)|only (?:after|when|once|if|with)|not (?:before|until"
    r"|without)|unless|prerequisite|precondition|depends on|conditional on|subject to)\b"
    r"|필요|있어야|마쳐야|끝나야|받아야|통과해야|완료되어야|전제|선행|없이는|없으면|이후에만|뒤에만|후에만|전에는",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|n't|never|no|without|lacks?|missing|pending|outstanding|failed|fails?|expired|overdue|incomplete|unfinished"
    r"|still (?:open|waiting|missing|under)|yet to|refused|rejected|denied|only in|not before)\b"
    r"|않았|않은|않는|못\s?[했받한]|없다|없습니다|없는|아직|미완|미비|보류|지연|반려|거부|불합격|떨어졌|만료|남아\s?있|예정",
    re.IGNORECASE,
)
_KO_NUMBER_OF = {"해": "year", "년": "year", "분기": "quarter", "개월": "month", "달": "month"}

_GRANTED = re.compile(
    r"\b(?:is|are|be|gets?|will be|can be|may be) (?:\w+ly )?(?:approved|allowed|permitted|accepted|granted"
    r"|signed off|reimbursed|exempt)\b"
    r"|(?:승인|허용|허가|인정|면제|지급|처리)(?:한다|된다|됩니다|합니다|받는다|할\s?수\s?있)",
    re.IGNORECASE,
)
_DENIED_GRANT = re.compile(
    r"\b(?:not|never|no longer|cannot|can't|n't|only)\b[^.]{0,40}\b(?:approved|allowed|permitted|accepted|granted"
    r"|signed off|reimbursed|exempt)\b"
    r"|(?:승인|허용|허가|인정|면제|지급|처리)(?:하|되|받|할|될)?(?:지|수)\s?(?:않|못|없)",
    re.IGNORECASE,
)

YesOrNo = Literal["yes", "no"]


@dataclass(frozen=True)
class Ruled:
    answer: YesOrNo
    rule: Evidence
    fact: Evidence
    why: Literal["threshold", "ceiling", "in_a_row", "forbidden"]


@dataclass(frozen=True)
class _Sentence:
    text: str
    pointer: str
    key: str = ""
    given: str = ""
    """The sentence as it stands in the input, where `text` leaves words out."""

    def cited(self, at: int = 0) -> Evidence:
        return Evidence(self.pointer, quotation(self.given or self.text, at))

    @cached_property
    def bare(self) -> "_Sentence":
        """Without the adjectives between a number and what is counted (`three justified complaints`), and with shares
        as figures (`a two-thirds majority`).
        """
        plain = _COUNTED.sub(r"\g<number> ", self.text)
        for words, figure in _SHARES.items():
            plain = re.sub(words, figure, plain, flags=re.IGNORECASE)
        return replace(self, text=plain, given=self.text)


def ruled(brief: Brief, today: date, rates: Rates) -> Ruled | None:
    """The first rule that a fact meets or misses, where all that do agree."""
    found = [
        _Sentence(leaf.value[start:end], leaf.pointer, leaf.path[-1] if leaf.path else "")
        for leaf in brief.context
        if isinstance(leaf.value, str)
        for start, end in sentence_spans(leaf.value)
    ]
    found = [each for each in found if not wording.addresses_the_reader(each.text) and not wording.is_soft(each.text)]
    answers = [
        each
        for each in (
            _in_a_row(brief, found, today),
            _left_over(found, today, rates),
            _even_one(found, today),
            *_thresholds(brief, [each.bare for each in found], today, rates),
            *_forbidden(brief, found),
            *_prerequisites(brief, found),
        )
        if each
    ]
    negative = [each for each in answers if each.answer == "no"]
    ranked = negative or answers
    return ranked[0] if ranked else None


def _forbidden(brief: Brief, given: list[_Sentence]) -> list[Ruled]:
    topic = [word for word in words_of(brief.question) if len(word) >= 2 and word not in _COMMON]
    found = []
    for each in given:
        spoken = words_of(each.text)
        shared = [word for word in topic if any(same_word(word, other) or alike(word, other) for other in spoken)]
        conditional = wording.CONDITIONAL.search(each.text) or _IN_A_ROW.search(each.text)
        if (
            _FORBIDDEN.search(each.text)
            and (
                len(shared) >= 2
                or (shared and _BY_RULE.search(each.text))
                or (shared and _FREEZE.search(each.text))
                or _stops_all_that_is_new(brief, each.text)
            )
            and not conditional
            and not wording.is_denied_exclusion(each.text)
        ):
            found.append(Ruled("no", each.cited(), each.cited(), "forbidden"))
    return found


def _prerequisites(brief: Brief, given: list[_Sentence]) -> list[Ruled]:
    """`A launch requires a passed review`, and the review has not been passed: no. That it has been passed proves
    nothing: other things may be lacking.
    """
    asked = _topic(brief.question)
    found = []
    for rule in given:
        if not _PREREQUISITE.search(rule.text) or not _shares(asked, rule.text, 1):
            continue
        needed = [word for word in _topic(rule.text) if not any(same_word(word, each) for each in asked)]
        found += [
            Ruled("no", rule.cited(), fact.cited(), "forbidden")
            for fact in given
            if fact is not rule and _NOT_DONE.search(fact.text) and _shares(needed, fact.text, 2)
        ]
    return [] if _NEGATIVE_ACTION.search(brief.question) else found


def _topic(text: str) -> list[str]:
    return [word for word in words_of(text) if len(word) >= 2 and word not in _COMMON and not word[0].isdecimal()]


def _shares(words: list[str], text: str, least: int) -> bool:
    spoken = words_of(text)
    return sum(any(_one_verb(word, other) or alike(word, other) for other in spoken) for word in words) >= least


def _one_verb(word: str, other: str) -> bool:
    """출시해도 and 출시할: Korean endings change, the two syllables of the stem stay."""
    korean = "가" <= word[0] <= "힣" and word[:2] == other[:2] and min(len(word), len(other)) >= 2
    return korean or same_word(word, other)


def _stops_all_that_is_new(brief: Brief, text: str) -> bool:
    """신규 사업을 모두 보류: whatever is to be begun is stopped, under whatever name."""
    return _ALL_NEW.search(text) is not None and _BEGIN.search(brief.question) is not None


def _thresholds(brief: Brief, given: list[_Sentence], today: date, rates: Rates) -> list[Ruled]:
    found: list[Ruled] = []
    for rule in given:
        for limit in find_quantities(rule.text, today):
            side = _side(rule, limit)
            if not side:
                continue
            for fact in given:
                for value in find_quantities(fact.text, today):
                    if fact is rule and _around(fact.text, value) == _around(rule.text, limit):
                        continue
                    if not _comparable(rule, limit, fact, value):
                        continue
                    if _side(fact, value):
                        continue
                    met = _met(value, side, limit, rates)
                    if met is not None:
                        answer: YesOrNo = "yes" if met else "no"
                        if _negative_rule(brief, rule.text, limit):
                            answer = "no" if met else "yes"
                        why: Literal["threshold", "ceiling"] = (
                            "ceiling" if side in ("at_most", "under") else "threshold"
                        )
                        found.append(Ruled(answer, rule.cited(limit.start), fact.cited(value.start), why))
    return found


def _left_over(given: list[_Sentence], today: date, rates: Rates) -> Ruled | None:
    """What has to be left, what there is and what it costs: the difference decides, not one of the figures alone."""
    amounts = [(each, q) for each in given for q in find_quantities(each.text, today) if family(q.unit) == "money"]
    kept = [(each, q) for each, q in amounts if _LEFT.search(each.text) and q.bound in ("at_least", "over", "")]
    had = [(each, q) for each, q in amounts if _OWNED.search(each.text) and (each, q) not in kept]
    cost = [(each, q) for each, q in amounts if _COSTS.search(each.text) and (each, q) not in (*kept, *had)]
    if not (len(kept) == len(had) == len(cost) == 1):
        return None
    (rule, least), (_, owned), (fact, price) = kept[0], had[0], cost[0]
    moved = [in_unit(each, least.unit, "", rates) for each in (owned, price)]
    if moved[0] is None or moved[1] is None or price.per or owned.per:
        return None
    enough = moved[0].low - moved[1].high >= least.high
    return Ruled("yes" if enough else "no", rule.cited(least.start), fact.cited(price.start), "ceiling")


def _even_one(given: list[_Sentence], today: date) -> Ruled | None:
    """`not while a single fault is open`, and the faults that were found: one is enough."""
    for rule in given:
        if not (_ANY_AT_ALL.search(rule.text) and (_FORBIDDEN.search(rule.text) or denies(rule.text))):
            continue
        topic = [word for word in words_of(rule.text) if len(word) >= 2 and word not in _COMMON]
        for fact in given:
            shared = [word for word in topic if any(same_word(word, other) for other in words_of(fact.text))]
            if fact is rule or len(shared) < 2 or _NONE.search(fact.text):
                continue
            if any(each.low >= 1 for each in find_quantities(fact.bare.text, today)):
                return Ruled("no", rule.cited(), fact.cited(), "forbidden")
    return None


def _side(sentence: _Sentence, quantity: Quantity) -> Bound:
    """On which side of the figure the rule draws its line; empty where the figure is a fact."""
    text = sentence.text
    clause = _around(text, quantity)
    if quantity.bound:
        return quantity.bound
    if _CEILING.search(text[max(0, quantity.start - 30) : quantity.start]) or _CEILING.search(sentence.key):
        return "at_most"
    if _LEFT_OVER.match(text, quantity.around[1]):
        return "at_most"
    if re.search(
        r"\b(?:needs?|requires?)\s(?:about\s|at least\s)?$", text[: quantity.around[0]], re.IGNORECASE
    ) or re.match(r"[가-힣\s]{0,6}(?:이|가)?\s?(?:있어야|필요)", text[quantity.end :]):
        return "at_least"
    return "at_most" if _CEILING.search(clause) and not _HAVE_NOW.search(clause) else ""


def _around(text: str, quantity: Quantity) -> str:
    pieces = re.split(r"[;,](?![0-9])\s|(?<=고)\s", text)
    return next((piece for piece in pieces if quantity.text in piece), text)


def _comparable(rule: _Sentence, limit: Quantity, fact: _Sentence, value: Quantity) -> bool:
    """Of one kind, and about the same thing: a shared noun, or the only figures of this kind."""
    if family(limit.unit) != family(value.unit):
        return False
    same_unit = limit.unit == value.unit and limit.unit not in ("", "%", "KRW", "USD", "EUR", "piece")
    shared = [
        word
        for word in words_of(rule.text)
        if len(word) >= 2 and not word[0].isdecimal() and any(same_word(word, other) for other in words_of(fact.text))
    ]
    if limit.unit == value.unit == "%" and _HAVE.search(fact.text):
        return True
    return (
        bool(shared) or same_unit or (_HAVE.search(fact.text) is not None and family(limit.unit) in ("money", "count"))
    )


def _met(value: Quantity, side: Bound, limit: Quantity, rates: Rates) -> bool | None:
    if value.per and limit.per and value.per != limit.per:
        moved = in_unit(value, limit.unit, limit.per, rates)
    elif value.per != limit.per:
        return None
    else:
        moved = in_unit(value, limit.unit, value.per, rates)
    if moved is None:
        return None
    match side:
        case "at_least":
            return moved.low >= limit.high if moved.low >= limit.high or moved.high < limit.low else None
        case "over":
            return moved.low > limit.high
        case "at_most":
            return moved.high <= limit.low if moved.high <= limit.low or moved.low > limit.high else None
        case "under":
            return moved.high < limit.low
    return None


def _negative_rule(brief: Brief, rule: str, limit: Quantity) -> bool:
    """`below 5 % we do not expand`: meeting the rule's condition speaks against what is asked."""
    behind = rule[limit.around[1] :]
    if _GRANTED.search(behind) and not _DENIED_GRANT.search(rule):
        return _NEGATIVE_ACTION.search(brief.question) is not None  # `are approved without further review`
    stops = _ENDING.search(behind) is not None and not _ENDING.search(brief.question)
    denied = reverses(rule[: limit.around[0]], behind) is not stops
    return denied and not _NEGATIVE_ACTION.search(brief.question)


def _in_a_row(brief: Brief, given: list[_Sentence], today: date) -> Ruled | None:
    """두 해 연속으로 적자를 낸 매장은 닫는다, and the years in which it made a loss."""
    for rule in given:
        found = _IN_A_ROW.search(rule.text)
        if found is None:
            continue
        written = (found["n"] or found["n2"] or found["n3"]).lower()
        wanted = _NUMBERS.get(written) or int(written)
        condition = [word for word in words_of(rule.text[found.end() :]) if len(word) >= 2]
        for fact in given:
            if fact is rule or not any(same_word(word, other) for word in condition for other in words_of(fact.text)):
                continue
            years = sorted({span.year for span in find_dates(fact.text, today) if span.year is not None})
            run = _longest_run(years)
            if not years:
                continue
            asked = _asks_for_the_action(brief.question, rule.text)
            happened: YesOrNo = "yes" if asked else "no"
            other: YesOrNo = "no" if asked else "yes"
            return Ruled(happened if run >= wanted else other, rule.cited(), fact.cited(), "in_a_row")
    return None


def _longest_run(years: list[int]) -> int:
    best = run = 1 if years else 0
    for before, after in pairwise(years):
        run = run + 1 if after == before + 1 else 1
        best = max(best, run)
    return best


def _asks_for_the_action(question: str, rule: str) -> bool:
    """The question's verb is the rule's verb, or means the same: to end something, or to go on with it."""
    if _ENDING.search(rule) and (_GOING_ON.search(question) or _ENDING.search(question)):
        return not _GOING_ON.search(question)
    return any(same_word(word, other) for word in words_of(question)[-3:] for other in words_of(rule)[-4:]) or any(
        word[:1] == other[:1] for word in words_of(question)[-3:-1] for other in words_of(rule)[-1:]
    )
