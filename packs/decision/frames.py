"""What to choose between when no options are given: names in the question, or yes and no. And the criteria that a text
itself names. Nothing is decided here; what was derived is declared.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from packs.decision.aliases import with_aliases
from packs.decision.brief import Brief, Criterion, Direction, Option, normalise
from packs.decision.evidence import Passage, gather, mention, named_in, sentences
from packs.decision.facts import FactBook
from packs.decision.named_options import options_in_words
from packs.decision.prose_values import AGAIN, ONCE, own_clauses, sentences_about_options
from packs.text.quantities import find_quantities
from packs.text.units import CURRENCIES

Frame = Literal["given", "named", "yes_no", "none"]

_YES_NO_EN = re.compile(
    r"^(?:\W*)(?:should|shall|do|does|did|is|are|can|could|will|would|may|must|has|have|ought)\b", re.IGNORECASE
)
_YES_NO_KO = re.compile(
    r"(?:해야|하여야|어야|아야|여야|돼야|되어야)\s?(?:할까|하나|하는가|합니까|하는지|될까|되나|하겠)|(?:할까요?"
    r"|을까요?|ㄹ까요?|일까요?|나요|가요|습니까|합니까|됩니까|될까요|는가|는지|까)\s?\??\s?$"
)
_WHICH_KO = re.compile(r"무엇|어느|어떤|누구|어디|어떻게|언제|얼마|몇|왜|뭘|무슨")
_WHICH_EN = re.compile(r"\b(?:which|what|who|whom|where|when|how|why)\b", re.IGNORECASE)
_BETTER_KO = re.compile(
    r"(?P<name>[가-힣A-Za-z ]{1,20}?)(?:이|가|은|는|을|를|도)?\s?(?P<way>낮|높|적|많|짧|길|작|크|클|빠르|빠를|싸"
    r"|쌀|저렴)(?:고|으며|며|을수록|ㄹ수록|수록|은\s?것|아야|어야|은|는|을|게)"
)
_BETTER_EN = re.compile(
    r"\b(?:the )?(?P<way>lower|higher|less|more|fewer|shorter|longer|cheaper|faster|greater|smaller"
    r"|larger)(?: the)? (?P<name>[a-z][a-z -]{1,30}?)(?: is| are|,| the better| and| better|\.|$)"
    r"|\b(?P<name2>[a-z][a-z -]{1,30}?) should be (?:as )?(?P<way2>low|high|short|long|small|large|cheap|fast)",
    re.IGNORECASE,
)
_LESS_WORDS = (
    "낮 적 짧 작 싸 쌀 저렴 빠르 빠를 lower less fewer shorter cheaper smaller low short small cheap faster fast"
)
_LESS = frozenset(_LESS_WORDS.split())
_NAMED_AMOUNT_KO = re.compile(r"(?P<name>[가-힣]{2,10})(?:은|는|이|가|도)\s?(?:약\s?|월\s?|연\s?|매월\s?)?$")
# 초기 비용 6,500만원, 월 이용료 380만원: the noun in front of a sum says which one it is.
_NAMED_SUM_KO = re.compile(
    r"(?<![가-힣])(?P<name>(?:(?:월|연|연간|초기|최초|기본|추가|유지|설치|도입)\s?)?[가-힣]{0,6}"
    r"(?:비용|이용료|사용료|임대료|수수료|관리비|도입비|구축비|설치비|유지비|운영비|보증금|월세|요금|가격|단가|견적가?|회비))"
    r"(?:은|는|이|가|도)?\s?(?:약\s?)?$"
)
_NAMED_AMOUNT_EN = re.compile(
    r"(?:\ba|\ban|\bthe|\bits|\bof|\bwith|\band|,|^|\bhas|\boffers)\s?(?P<name>[a-z][a-z -]{2,30}?)\s(?:is|are|of"
    r"|at|was|would be|will be|:)\s?(?:about\s)?$",
    re.IGNORECASE,
)
_COSTS = re.compile(r"\b(?:costs?|priced at|for|at|pays?|charges?)\s?(?:about\s)?$", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:runs?|lasts?|keeps?|holds?)\s(?:for\s)?(?:about\s|up to\s)?$", re.IGNORECASE)
_LASTS_KO = re.compile(r"^\s?(?:을|를|은)?\s?(?:간다|가고|버|쓸\s?수|작동)")
_KO_SPENT = re.compile(r"^(?:이|가|을|를)?\s?(?:들|든|소요|필요|낸|내|지불)")


@dataclass(frozen=True)
class Framed:
    brief: Brief
    frame: Frame
    stated: tuple[tuple[int, Direction], ...] = ()
    """Directions that a text gives, by criterion."""


def frame(brief: Brief) -> Framed:
    """The brief with options and criteria where the input names them only in words."""
    kind: Frame = "given"
    if not brief.options:
        names = options_in_words(brief, from_sentences=not is_yes_no(brief.question))
        if names:
            options = tuple(Option(name=name, pointer=brief.question_pointer) for name in names)
            brief, kind = replace(brief, options=options), "named"
        elif is_yes_no(brief.question):
            return Framed(brief, "yes_no")
        else:
            return Framed(brief, "none")
    texts = [leaf.value for leaf in brief.context if isinstance(leaf.value, str)]
    brief = replace(brief, options=with_aliases(brief.options, texts))
    if not brief.criteria:
        brief = replace(brief, criteria=_measured_attributes(brief) or _criteria_in_prose(brief))
    return Framed(brief, kind, stated_directions(brief))


def is_yes_no(question: str) -> bool:
    if re.search(r"[가-힣]", question):
        return _YES_NO_KO.search(question.strip()) is not None and not _WHICH_KO.search(question)
    return _YES_NO_EN.search(question) is not None and not _WHICH_EN.search(question.split(",")[0])


def _measured_attributes(brief: Brief) -> tuple[Criterion, ...]:
    """What tables, records and lines of the context give for at least two options."""
    book = FactBook(gather(brief))
    options = range(len(brief.options))
    shared = [
        name
        for name in book.attributes
        if sum((fact := book.first(i, name)) is not None and fact.reading is not None for i in options) >= 2
    ]
    return tuple(Criterion(name=name, pointer=None) for name in shared)


def _criteria_in_prose(brief: Brief) -> tuple[Criterion, ...]:
    """Names that stand with a direction, or beside the figures of at least two options."""
    directed = [name for name, _ in _stated(brief)]
    if directed:
        return tuple(Criterion(name=name, pointer=None) for name in dict.fromkeys(directed))
    owned = list(_owned_clauses(brief))
    apart = _money_apart(owned)
    seen: dict[str, set[int]] = {}
    spelling: dict[str, str] = {}
    for index, clause in owned:
        for name in _measured(brief, clause, apart=apart):
            seen.setdefault(normalise(name), set()).add(index)
            spelling.setdefault(normalise(name), name)
    return tuple(Criterion(name=spelling[key], pointer=None) for key, owners in seen.items() if len(owners) >= 2)


def _owned_clauses(brief: Brief) -> Iterator[tuple[int, str]]:
    """What prose says, by the option it is said of."""
    for text in _texts(brief):
        for sentence, named, owner in sentences_about_options(brief, Passage("", text)):
            if len(named) > 1:
                yield from own_clauses(brief, sentence)
            elif owner is not None:
                yield owner, sentence


def _money_apart(owned: list[tuple[int, str]]) -> bool:
    """One option has a price that is paid once and one that is paid again and again."""
    kinds: dict[int, set[bool]] = {}
    for index, clause in owned:
        for quantity in find_quantities(clause):
            if quantity.unit in CURRENCIES:
                kinds.setdefault(index, set()).add(bool(quantity.per))
    return any(len(each) == 2 for each in kinds.values())


def _measured(brief: Brief, sentence: str, *, apart: bool) -> list[str]:
    found = []
    for quantity in find_quantities(sentence):
        before, after = sentence[: quantity.around[0]], sentence[quantity.end :]
        korean = brief.language == "ko"
        named = (_NAMED_AMOUNT_KO if korean else _NAMED_AMOUNT_EN).search(before[-60:])
        if korean and quantity.unit in CURRENCIES and (sum_ := _NAMED_SUM_KO.search(before[-40:])) is not None:
            found.append(sum_["name"].strip())
        elif apart and quantity.unit in CURRENCIES:
            period = AGAIN.get((brief.language, quantity.per), "비용" if korean else "cost")
            found.append(period if quantity.per else ONCE[brief.language])
        elif quantity.unit in CURRENCIES and (_COSTS.search(before) or _KO_SPENT.match(after)):
            found.append("비용" if korean else "cost")
        elif named and not named_in(brief, named["name"]):
            found.append(named["name"].strip())
        elif quantity.unit in ("kg", "g", "t") and re.search(r"\bweighs?\s(?:about\s)?$|무게[가는은]?\s?$", before):
            found.append("무게" if korean else "weight")
        elif quantity.unit in ("day", "week", "month", "year", "hour", "minute") and not quantity.per:
            lasts = _LASTS.search(before) or _LASTS_KO.match(after)
            found.append(("수명" if korean else "lifetime") if lasts else ("기간" if korean else "time"))
        elif quantity.unit in CURRENCIES:
            found.append("비용" if korean else "cost")
    return found


def stated_directions(brief: Brief) -> tuple[tuple[int, Direction], ...]:
    found: dict[int, Direction] = {}
    for name, direction in _stated(brief):
        for j, criterion in enumerate(brief.criteria):
            if normalise(criterion.name) == normalise(name) or mention(criterion.name, name) >= 0:
                found.setdefault(j, direction)
    return tuple(found.items())


def _stated(brief: Brief) -> list[tuple[str, Direction]]:
    """`비용이 낮고 재구매율이 높을수록 좋다`, `lower cost is better`."""
    found: list[tuple[str, Direction]] = []
    for text in _texts(brief):
        for sentence in sentences(text):
            if re.search(
                r"수록\s?(?:좋|유리|우선)|(?:것|쪽|곳|안)[이을가]\s?(?:더\s?)?(?:좋|낫|유리|우선|선호)", sentence
            ):
                found += [(each["name"].strip(), _way(each["way"])) for each in _BETTER_KO.finditer(sentence)]
            elif re.search(
                r"\b(?:better|preferable|should be|what (?:counts|matters|we want)|are wanted|wanted)\b",
                sentence,
                re.IGNORECASE,
            ):
                found += [
                    ((each["name"] or each["name2"]).strip(), _way(each["way"] or each["way2"]))
                    for each in _BETTER_EN.finditer(sentence)
                ]
    return found


def _way(word: str) -> Direction:
    return "lower_is_better" if word.lower() in _LESS else "higher_is_better"


def _texts(brief: Brief) -> list[str]:
    return [brief.question, *(leaf.value for leaf in brief.context if isinstance(leaf.value, str))]
