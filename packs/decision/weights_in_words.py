"""Weights that a text gives in words: `twice as important as`, 두 배 중요하다, `price 60 %, quality 40 %`."""

import re
from dataclasses import dataclass
from fractions import Fraction

from packs.decision.brief import Brief
from packs.decision.evidence import Evidence, Material, mention, named_in, quotation, sentences
from packs.decision.naming import same_word, words_of
from packs.text.quantities import find_quantities

_IMPORTANT = re.compile(
    r"\b(?:important|importance|matters?|counts?|weighs?|weight(?:ed|ing|s)?|priority|prioriti[sz]e|decisive"
    r"|crucial|weighting)\b|중요|비중|가중|배점|우선|무겁게",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?P<word>twice|double|half|thrice|triple|equally)\b|\b(?P<n>two|three|four|five|\d+(?:\.\d+)?)\s?(?:times"
    r"|x|-?fold)\b|(?P<ko>두|세|네|다섯|\d+(?:\.\d+)?)\s?배|(?P<kohalf>절반|반만|똑같이|동등)",
    re.IGNORECASE,
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "두": 2, "세": 3, "네": 4, "다섯": 5}
_MOST = re.compile(
    r"\b(?:most important|matters? most|counts? most|top priority|above all|first priority|main criterion"
    r"|decisive)\b|가장\s?중요|최우선|제일\s?중요|무엇보다",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more important|matters? more|counts? more|weighs? more|outweighs|takes precedence|priority) (?:than"
    r"|over)\b|보다\s?(?:더\s?|훨씬\s?)?중요|보다\s?우선",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:do(?:es)? not|doesn't|don't|hardly|not) (?:matter|count|important)\b|\birrelevant\b|중요하지\s?않"
    r"|상관\s?없|무관",
    re.IGNORECASE,
)


_IN_FAVOUR = re.compile(r"(?P<more>\d{1,3})\s?[:/]\s?(?P<less>\d{1,3})\s(?:in favou?r of|for)\b", re.IGNORECASE)
# 7대 3, 50:30:20, `70/30`, `7 to 3`: the parts of one whole, in the order in which the criteria are named.
_RATIO = re.compile(
    r"(?<![0-9.,:/])[0-9]{1,3}(?:\s?(?:대|:|/)\s?[0-9]{1,3})+(?![0-9.,:/%])"
    r"|(?<![0-9.])[0-9]{1,3} to [0-9]{1,3}(?![0-9.,%]| [a-z]+s\b)"
)
_HARDLY = re.compile(
    r"\b(?:hardly|barely|scarcely|little) (?:matters?|counts?|important|weight)|\bsecondary\b"
    r"|별로\s?(?:안\s?)?중요|덜\s?중요|부차",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpokenWeights:
    weights: dict[int, Fraction]
    """By criterion; the others keep what they have."""
    evidence: tuple[Evidence, ...]
    exact: bool
    """The text gives the proportion; otherwise ("more important") it is assumed to be two to one."""


def spoken_weights(material: Material) -> SpokenWeights | None:
    brief = material.brief
    for passage in material.texts:
        if passage.about is not None or passage.url is not None:
            continue
        for sentence in sentences(passage.text):
            compared = _TIMES.search(sentence) is not None and re.search(r"보다|비해|\bas (?:the|much|heav)", sentence)
            if not _IMPORTANT.search(sentence) and not compared and not _divides_the_whole(brief, sentence):
                continue
            found = _read(brief, sentence)
            if found is not None:
                weights, exact = found
                return SpokenWeights(weights, (Evidence(passage.pointer, quotation(sentence)),), exact)
    return None


def _read(brief: Brief, sentence: str) -> tuple[dict[int, Fraction], bool] | None:
    places = sorted((at, j) for j in range(len(brief.criteria)) if (at := _place(brief, j, sentence)) >= 0)
    if not places:
        return None
    shares = _shares(sentence, places)
    if shares is not None:
        return shares, True
    named = [j for _, j in places]
    parts = _parts(sentence)
    if parts and len(parts) == len(named):
        return dict(zip(named, parts, strict=True)), True
    favour = _IN_FAVOUR.search(sentence)
    if favour and len(brief.criteria) == 2:
        other = 1 - named[0]
        return {named[0]: Fraction(favour["more"]), other: Fraction(favour["less"])}, True
    times = _TIMES.search(sentence)
    if times and len(named) >= 2:
        factor = _factor(times)
        first, second = named[0], named[1]
        if _is_compared_first(brief, sentence, first):
            first, second = second, first
        return {first: factor, second: Fraction(1)}, True
    if times and len(named) == 1:
        return {j: (_factor(times) if j == named[0] else Fraction(1)) for j in range(len(brief.criteria))}, True
    if _NOT.search(sentence) and len(named) == 1:
        return {j: Fraction(0 if j == named[0] else 1) for j in range(len(brief.criteria))}, True
    if _MORE.search(sentence) and len(named) >= 2:
        first, second = named[0], named[1]
        if _is_compared_first(brief, sentence, first):
            first, second = second, first
        return {first: Fraction(2), second: Fraction(1)}, False
    least = _least(brief, sentence) if len(named) >= 2 else None
    if least is not None:
        return {j: Fraction(1 if j == least else 10) for j in range(len(brief.criteria))}, False
    if _MOST.search(sentence):
        return {j: Fraction(2 if j == named[0] else 1) for j in range(len(brief.criteria))}, False
    return None


def _divides_the_whole(brief: Brief, sentence: str) -> bool:
    """The figures of several criteria, in a sentence that names no option, are parts of one whole: 7대 3, or shares
    of a hundred.
    """
    places = [(at, j) for j in range(len(brief.criteria)) if (at := _place(brief, j, sentence)) >= 0]
    if len(places) < 2 or named_in(brief, sentence):
        return False
    shares = _shares(sentence, places)
    return len(_parts(sentence)) == len(places) or (shares is not None and sum(shares.values()) == 100)


def _parts(sentence: str) -> list[Fraction]:
    found = _RATIO.search(sentence)
    return [Fraction(each) for each in re.findall(r"[0-9]+", found.group())] if found else []


# What people call a criterion when they weigh it: speed is a short time, cost is the price, quality is the score of it.
_CALLED: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(
            r"\b(?:time|duration|delivery|turnaround|lead|latency|transit|wait)\b|시간|기간|납기|일정", re.IGNORECASE
        ),
        re.compile(
            r"\b(?:speed|timing|being fast|quickness|how (?:fast|soon|quickly)|(?:quick|fast|rapid|early|speedy) \w+)\b"
            r"|속도|신속|빠르기|빠른|시간|기간",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(
            r"\b(?:monthly|annual|yearly|recurring|running) (?:cost|fee|charge)s?\b|(?:월|연간?|유지)\s?(?:비용|료|비)"
        ),
        re.compile(
            r"\b(?:running|recurring|operating|ongoing|monthly|annual) (?:cost|expense|fee)s?\b"
            r"|운영비|유지비|월\s?비용|월\s?요금",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"\bone-off cost|purchase price|initial (?:cost|price)\b|초기\s?비용|도입\s?비용|구입"),
        re.compile(
            r"\b(?:one-off|upfront|up-front|initial|purchase|acquisition) (?:cost|price|expense|investment)s?\b"
            r"|초기\s?비용|도입\s?비용|구입\s?비용",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(
            r"\b(?:price|cost|fee|rent|rate|premium|salary)s?\b|가격|비용|요금|단가|견적|월세|임대료|연봉|보험료",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:price|cost|money|budget|expense)s?\b|가격|비용|금액|값|돈", re.IGNORECASE),
    ),
    (
        re.compile(r"\b(?:quality|rating|score|satisfaction)\b|품질|평점|만족|점수", re.IGNORECASE),
        re.compile(r"\bquality\b|품질|질", re.IGNORECASE),
    ),
)


def _place(brief: Brief, index: int, sentence: str) -> int:
    """Where a sentence names the criterion, by its name or by another word that only it can be meant by; or -1."""
    name = brief.criteria[index].name
    at = mention(name, sentence)
    if at >= 0:
        return at
    for own, called in _CALLED:
        meant = [j for j, criterion in enumerate(brief.criteria) if own.search(criterion.name)]
        found = called.search(sentence)
        if meant == [index] and found is not None:
            return found.start()
    shared = [word for each in brief.criteria if each.name != name for word in words_of(each.name)]
    own_words = [word for word in words_of(name) if not any(same_word(word, other) for other in shared)]
    places = [
        found.start()
        for found in re.finditer(r"[A-Za-z]+|[가-힣]+", sentence)
        if any(same_word(found.group().lower(), word) for word in own_words)
    ]
    return places[0] if places else -1


def _least(brief: Brief, sentence: str) -> int | None:
    """The one criterion of a clause that says it hardly matters."""
    for piece in re.split(r"[,;]\s|\s(?:but|while|and)\s|(?<=고)\s|(?<=지만)[\s,]|(?<=으며)\s", sentence):
        named = [j for j in range(len(brief.criteria)) if _place(brief, j, piece) >= 0]
        if len(named) == 1 and (_NOT.search(piece) or _HARDLY.search(piece)):
            return named[0]
    return None


def _is_compared_first(brief: Brief, sentence: str, first: int) -> bool:
    """비용보다 정시율이 두 배 중요하다: the one with 보다 is the lesser, though it stands first."""
    at = _place(brief, first, sentence)
    return re.match(r"[^\s]{0,12}?(?:보다|에\s?비해|\s?대비)", sentence[at:]) is not None or (
        re.search(r"\bthan\s(?:the\s)?$", sentence[:at]) is not None
    )


def spoken_factor(text: str) -> Fraction | None:
    """How many times as much: the only factor that the words name."""
    found = list(_TIMES.finditer(text))
    return _factor(found[0]) if len(found) == 1 else None


def _factor(found: re.Match[str]) -> Fraction:
    word = (found["word"] or "").lower()
    if word or found["kohalf"]:
        named = {
            "twice": Fraction(2),
            "double": Fraction(2),
            "half": Fraction(1, 2),
            "thrice": Fraction(3),
            "triple": Fraction(3),
            "equally": Fraction(1),
        }
        return named.get(word) or (Fraction(1) if found["kohalf"] in ("똑같이", "동등") else Fraction(1, 2))
    written = (found["n"] or found["ko"]).lower()
    return Fraction(_NUMBERS[written]) if written in _NUMBERS else Fraction(written)


def _shares(sentence: str, places: list[tuple[int, int]]) -> dict[int, Fraction] | None:
    """`price 60 %, quality 40 %`: one share per named criterion."""
    figures = [q for q in find_quantities(sentence) if q.unit in ("%", "point", "")]
    if len(figures) != len(places) or len(places) < 2:
        return None
    pairs = zip(sorted(places), sorted(figures, key=lambda q: q.start), strict=True)
    return {j: Fraction(figure.low) for (_, j), figure in pairs}
