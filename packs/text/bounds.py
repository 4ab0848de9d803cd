"""The words beside a figure: per what, about how much, at most or at least. Korean and English."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from packs.text.units import unit_of

Bound = Literal["", "at_most", "at_least", "under", "over"]

_PERIOD = {
    "월": "month", "연": "year", "년": "year", "주": "week", "일": "day", "하루": "day", "한 달": "month",
    "일 년": "year",
    "월간": "month", "연간": "year", "주간": "week", "일간": "day", "매월": "month", "매달": "month", "매년": "year",
    "해마다": "year", "매주": "week", "매일": "day", "달": "month", "1년": "year", "시간": "hour", "일주일": "week",
    "한 주": "week", "달마다": "month", "한 해": "year", "한해": "year",
    "monthly": "month", "yearly": "year", "annual": "year", "annually": "year", "weekly": "week", "daily": "day",
    "hourly": "hour", "annum": "year", "a.": "year", "pa": "year",
}  # fmt: skip
_KOREAN_PERIODS = "|".join(sorted((p for p in _PERIOD if not p.isascii()), key=len, reverse=True))
_PER_BEFORE_KO = re.compile(
    rf"(?<![가-힣0-9])(?P<period>{_KOREAN_PERIODS})(?:에|당|마다|\s?(?:평균|약|최대|최소))?\s?(?:약\s?|최대\s?|최소\s?)?$"
    r"|(?<![가-힣A-Za-z])(?P<noun>1?(?:[가-힣]{1,6}|kg|g|t|km|m|m2|㎡|L|GB|TB|kWh))당\s?(?:약\s?|최대\s?)?$"
)
_PER_BEFORE_EN = re.compile(r"\b(?P<period>monthly|annual|yearly|weekly|daily|hourly)\s(?:about\s)?$", re.IGNORECASE)
_PER_AFTER = re.compile(
    r"\s?(?:/|per\s|a(?=\s(?:second|minute|hour|day|week|month|year)\b)\s|an(?=\shour\b)\s|each\s(?=month|year|week"
    r"|day)|every\s(?=month|year|week|day))"
    r"\s?(?P<noun>[A-Za-z가-힣㎡²]+[2²]?)"
    r"|\s(?P<adverb>monthly|annually|yearly|weekly|daily|p\.a\.|per annum)(?![A-Za-z])"
    r"|\s?\((?P<bracket>월|연|년|monthly|annual)\)",
    re.IGNORECASE,
)

_APPROXIMATE_BEFORE = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.|some|estimated(?: at)?)\s"
    r"|(?<![0-9%])~\s?"
    r"|(?<![가-힣])(?:약|대략|거의|얼추)\s?)$",
    re.IGNORECASE,
)
_APPROXIMATE_AFTER = re.compile(r"\s?(?:정도|내외|가량|안팎|쯤|수준|or so\b|approx\.?)")

# Comparatives that say "less of it"; every other one says "more of it": louder, heavier, dearer.
_LESS = (
    r"(?:less|fewer|lower|shorter|smaller|cheaper|earlier|faster|quicker|lighter|quieter|narrower|thinner|cooler|colder"
    r"|younger|nearer|closer|sooner|slimmer|weaker|tighter)"
)
_MORE = rf"(?:more|(?!{_LESS}\b|rather\b|other\b|better\b|worse\b|poorer\b)[a-z]{{2,12}}er)"
# Longer wordings first: "no more than" is not "more than".
_WORDS_BEFORE: tuple[tuple[Bound, str], ...] = (
    (
        "at_most",
        rf"\b(?:no|not|never|nor)\s(?:be\s|go\s|cost\s|take\s|last\s|run\s|weigh\s)?{_MORE}\sthan"
        r"|\b(?:tops?|maxe[sd]|runs?)\sout\sat|\bstops?\sat"
        r"|\b(?:not|cannot|can't|never|n't|nor|without)\s(?:be\s)?(?:allowed\sto\s)?(?:exceed(?:ing)?|surpass|(?:go"
        r"|be|rise|cost|run|take)\s(?:above|over|beyond|past|more\sthan))"
        r"|\bat\s(?:the\s)?(?:very\s)?most|\bup\sto|\b(?:a\s)?max(?:imum|\.)?(?:\s(?:of|is|price|budget|allowed))?"
        r"|\bwithin|\bcap(?:s|ped)\s(?:[a-z]+\s){0,5}at|\bcap\s(?:of|is|at)|\blimit(?:s|ed)\s(?:[a-z]+\s){1,5}to"
        r"|\blimit(?:ed)?\s(?:of|is|to|at)|\bceiling\s(?:of|is|at)|\bnot\s(?:above|over|beyond)|\bmaximal(?:ly)?"
        r"|(?:≤|<=)"
        r"|최대(?:한)?|많아야|길어야|늦어도|상한(?:액|가|선)?(?:은|는|이|:)?|한도(?:액)?(?:은|는|이|:)?",
    ),
    (
        "at_least",
        rf"\b(?:no|not|never|nothing)\s(?:be\s)?(?:{_LESS}(?:\sthan)?|under|below)"
        r"|\b(?:starts?|begins?)\sat"
        r"|\b(?:not|cannot|never|n't)\s(?:be\s|fall\s|drop\s|go\s)(?:below|under)"
        r"|\bat\s(?:the\s)?(?:very\s)?least|\b(?:a\s)?min(?:imum|\.)?(?:\s(?:of|is))?|\bminimally|(?:≥|>=)"
        r"|최소(?:한)?|적어도|최저|하한(?:은|는|이|:)?",
    ),
    (
        "under",
        rf"\b{_LESS}\sthan|\b(?:under|below|beneath|short\sof)"
        r"|(?<![<>=])<",
    ),
    (
        "over",
        rf"\b{_MORE}\sthan|\b(?:over|above"
        r"|beyond|exceed(?:s|ing|ed)?|pass(?:es|ed|ing)?|surpass(?:es|ed|ing)?|tops|topped|in\sexcess\sof)|(?<![<>=])>",
    ),
)
_WORDS_AFTER: tuple[tuple[Bound, str], ...] = (
    (
        "at_most",
        r"(?:을|를)?\s?(?:넘지|초과하지|웃돌지)\s?(?:않|못|말)|(?:을|를)?\s?(?:넘|초과(?:할|해))\s?(?:길|을|서는|서)?\s?(?:수\s?없|안\s?(?:되|된|됩)"
        r"|불가)"
        r"|초과\s?(?:불가|금지)|(?:을|를)?\s?넘(?:으면|기면)\s?(?:안|불가)"
        r"|이하|이내|까지|안에|안으로|미만이거나|or\s(?:less|fewer|below|under|lower|cheaper|shorter|colder|cooler|sooner|earlier"
        r"|lighter|smaller|faster|quicker|nearer|closer)\b|at\s(?:the\s)?(?:very\s)?most\b|max(?:imum|\.)?(?![a-z])"
        r"|tops\b|ceiling\b|cap\b|limit\b|,?\s(?:and\s|but\s)?(?:no|not\s(?:a|an|one)(?:\s[a-z]+)?)\s(?:more|longer|later"
        r"|higher|further)\b|(?:is|as)\s(?:the|our|an?)\s(?:[a-z]+\s){0,2}(?:limit|cap|ceiling|maximum|most)\b"
        r"|(?:이|가)?\s?(?:상한|한도|최대|최고|마지노선)(?![가-힣]*\s?이상)",
    ),
    (
        "at_least",
        r"(?:에)?\s?(?:미달|못\s?미치)(?:하지|지)\s?(?:않|못)|이상|or\s(?:more|above|over|better|higher|longer|warmer|hotter"
        r"|larger|bigger|greater|heavier)\b|at\s(?:the\s)?(?:very\s)?least\b|min(?:imum|\.)(?![a-z])|and\s(?:up"
        r"|above|over)\b|,?\s(?:and\s)?(?:no|not|nothing)\sless\b|(?:is|as)\s(?:the|our|an?)\s(?:[a-z]+\s){0,2}(?:minimum|floor|least)\b"
        r"|(?:이|가)?\s?(?:하한|최소|최저)(?![가-힣])",
    ),
    (
        "under",
        r"미만|(?:에|보다|을|를|에도)?\s?(?:못\s?미[치친]|미치지\s?못|아래(?=인|의|로|인\s)|밑(?=인|의|으로)|미달|모자라|밑돌|밑도|하회)|보다\s?(?:적|낮|짧|작|가볍|싸)"
        r"|(?:이|가|도)?\s?(?:채\s?)?안\s?되는",
    ),
    (
        "over",
        r"초과|(?:이|가)?\s?지난|(?:을|를|이|가)?\s?(?:넘|웃도|웃돌|초과|상회)|보다\s?(?:많|높|길|크|큰|비싸|비싼|무겁|무거|시끄|느리|늦)",
    ),
)
_BOUNDS_BEFORE = tuple(
    (
        bound,
        re.compile(rf"(?:{words})\s?(?:of\s|the\s|a\s|about\s|(?:an?|the|our|its)\s[a-z-]+\sof\s)?$", re.IGNORECASE),
    )
    for bound, words in _WORDS_BEFORE
)
_COUNTED_KO = re.compile(r"\s?[가-힣]{1,5}?(?=(?:을|를|이|가|에)?\s?(?:이상|이하|미만|초과|넘|웃|못|밑|안\s?되))")
# 여섯 달 치 운영비에 못 미치면: what the figure measures may stand between it and the word for its side.
_WORTH_KO = re.compile(
    r"\s?(?:치|분|어치)\s?[가-힣]{0,8}?(?=(?:을|를|이|가|에|의)?\s?(?:이상|이하|미만|초과|넘|웃|못|밑|안\s?되|모자라))"
)
_NOUN_BEFORE = re.compile(r"상한|한도|limit|cap|ceiling", re.IGNORECASE)
_BOUNDS_AFTER = tuple(
    (bound, re.compile(rf"(?:은|는|도)?\s?(?:{words})", re.IGNORECASE)) for bound, words in _WORDS_AFTER
)


@dataclass(frozen=True)
class Surroundings:
    per: str
    bound: Bound
    approximate: bool
    figure_end: int
    """The figure's end, with what it is per: `$5 per month`."""
    first: int
    last: int
    """From the first to the last character of all that belongs to the figure."""


def surroundings(text: str, start: int, end: int, *, bounded: bool) -> Surroundings:
    """What stands beside the figure `text[start:end]`. A range is `bounded` already: none is looked for behind it."""
    found = _per(text, start, end)
    first, last = found.first, found.last
    approximate = False
    bound: Bound = ""
    for _ in range(3):  # "at most about 30", "최대 약 30": the words may follow one another
        begun = first
        if match := _APPROXIMATE_BEFORE.search(text[max(0, first - 16) : first]):
            approximate, first = True, first - len(match.group())
        if not bound:
            bound, taken = _bound_before(text[max(0, first - 64) : first])
            first -= taken
        if first == begun:
            break
    if match := _APPROXIMATE_AFTER.match(text, last):
        approximate, last = True, match.end()
    if not bounded and (not bound or _NOUN_BEFORE.match(text, first)):
        # 보장 한도 8억원 이상: the word behind the figure says which side, the noun before it only what it is about.
        # 500팔레트를 넘으면: what is counted may stand between, under a name that is no known unit.
        between = _COUNTED_KO if text[last - 1 : last].isdecimal() else _WORTH_KO
        counted = between.match(text, last)
        for name, pattern in _BOUNDS_AFTER:
            match = pattern.match(text, last) or (pattern.match(text, counted.end()) if counted else None)
            if match:
                bound, last = name, match.end()
                break
    if match := re.search(r"\b(?:between|from)\s$", text[max(0, first - 8) : first], re.IGNORECASE):
        first -= len(match.group())
    return replace(found, bound=bound, approximate=approximate, first=first, last=last)


def _bound_before(before: str) -> tuple[Bound, int]:
    for name, pattern in _BOUNDS_BEFORE:
        if found := pattern.search(before):
            return name, len(found.group())
    return "", 0


def _per(text: str, start: int, end: int) -> Surroundings:
    first = start
    pers: list[str] = []
    before = text[max(0, start - 16) : start]
    if found := _PER_BEFORE_KO.search(before) or _PER_BEFORE_EN.search(before):
        named = found.groupdict()
        if named.get("period"):
            pers.append(_PERIOD[named["period"].lower()])
        else:
            noun = named["noun"].lstrip("1")
            pers.append(unit_of(noun) or noun)
        first -= len(found.group())
    while len(pers) < 3 and (after := _PER_AFTER.match(text, end)):
        pers.append(_per_name(after["noun"] or after["adverb"] or after["bracket"]))
        end = after.end()
    # The period stands last: `USD per user per month` is an amount per month.
    pers.sort(key=lambda each: each in ("day", "week", "month", "year"))
    return Surroundings("/".join(pers), "", False, end, first, end)


def _per_name(noun: str) -> str:
    lowered = noun.lower()
    if lowered in ("p.a.", "per annum"):
        return "year"
    return _PERIOD.get(lowered) or unit_of(noun) or lowered
