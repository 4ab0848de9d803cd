"""Korean sentences taken apart by morphemes. Particles say the role of a noun, endings where a clause stops."""

from dataclasses import replace

from packs.claims.figures import find_figures, sentence_dates
from packs.claims.korean_bounds import with_bound
from packs.claims.korean_words import KoreanWord, Reading, resolve_roles, turn_negated, with_phrases
from packs.claims.lexicon import lexicon, word_list
from packs.claims.parsed import Clause, Figure, Kind, Mood, Parsed, Role, Word
from packs.text.morphemes import Morpheme, morphemes

_NOUNS = frozenset({"NNG", "NNP", "XR", "XPN", "XSN", "SL", "SH", "NR", "SN", "NNB", "NP", "MM"})
_ROLES = {
    "이": Role.SUBJECT, "가": Role.SUBJECT, "께서": Role.SUBJECT, "을": Role.OBJECT, "를": Role.OBJECT,
    "은": Role.TOPIC,
    "는": Role.TOPIC, "도": Role.TOPIC, "만": Role.TOPIC, "의": Role.OF, "에서": Role.PLACE, "부터": Role.FROM,
    "까지": Role.TO, "로": Role.TO, "으로": Role.TO, "에게": Role.TO, "한테": Role.TO, "에": Role.PLACE,
    "보다": Role.THAN,
    "와": Role.WITH, "과": Role.WITH, "이랑": Role.WITH, "랑": Role.WITH, "하고": Role.WITH,
}  # fmt: skip
_NEGATING_AUXILIARIES = frozenset({"않다", "못하다", "말다", "아니하다"})
_PASSIVE_VERBS = word_list("korean", "passive_verbs")
_BOUND_NOUNS = word_list("korean", "bound_nouns")
_LIGHT = word_list("korean", "light")
GENERIC_SUBJECTS = word_list("korean", "generic_subjects")
_QUANTIFIERS = {
    "모두": "all", "전부": "all", "전원": "all", "모든": "all", "전체": "all", "다": "all", "전액": "all",
    "언제나": "all",
    "항상": "all", "늘": "all", "양": "all", "각각": "all", "누구나": "all", "언제든": "all",
    "대부분": "most", "대다수": "most", "과반": "most", "과반수": "most", "대체로": "most", "주로": "most",
    "일부": "some", "몇몇": "some", "어떤": "some", "가끔": "some", "많은": "many", "여러": "many",
    "거의": "few", "소수": "few", "극소수": "few", "드물게": "few", "아무도": "none", "전혀": "none", "결코": "none",
    "오직": "only", "오로지": "only", "유일": "only", "유일하다": "only", "단독": "only",
}  # fmt: skip
_EXPECTED = word_list("korean", "expected")
# A quality with 지다 is a change: 높다, 높아지다.
_BECOMING = {
    "높다": "높아지다", "낮다": "낮아지다", "많다": "많아지다", "적다": "적어지다", "강하다": "강해지다",
    "약하다": "약해지다", "좋다": "좋아지다", "나쁘다": "나빠지다", "크다": "커지다", "작다": "작아지다",
    "길다": "길어지다", "짧다": "짧아지다", "넓다": "넓어지다", "좁다": "좁아지다", "빠르다": "빨라지다",
    "느리다": "느려지다",
}  # fmt: skip
_AFTER_FIGURES = frozenset("은는을를과와")
_CONDITION = frozenset({"면", "으면", "다면", "ᆫ다면", "는다면", "라면", "거든"})
_CAUSE = frozenset({"어서", "아서", "니까", "으니까", "므로", "으므로", "느라"})
_CONTRAST = frozenset({"지만", "으나", "나", "는데", "ᆫ데", "은데"})
_AND = frozenset({"고", "며", "으며", "면서", "으면서", "자", "어", "아", "다가", "고서", "여", "거나"})


def parse_korean(text: str, names: frozenset[str] = frozenset()) -> Parsed:
    figures, dates = find_figures(text), sentence_dates(text)
    taken = [(each.start, each.end) for each in figures] + [(each.start, each.end) for each in dates]
    read = Reading()
    # A figure is read as one numeral, before a particle as a foreign word: the analyser would take `62%는` for a verb.
    plain = text
    for start, end in taken:
        plain = plain[:start] + ("A" if plain[end : end + 1] in _AFTER_FIGURES else "9") * (end - start) + plain[end:]
    units = morphemes(plain, names)
    place = 0
    while place < len(units):
        place = _step(units, place, read, taken)
    _close(read, len(text), "")
    _join_serial_verbs(read, taken)
    for clause in read.clauses:
        resolve_roles([word for word in read.words if word.clause == clause.index])
    turn_negated(read.words)
    whole = with_phrases(read.words)
    words = tuple(
        Word(
            word.text, word.lemma, word.kind, word.role, word.start, word.end, max(word.clause, 0), word.negated,
            _head(whole, place, text),
        )
        for place, word in enumerate(whole)
        if word.lemma not in _LIGHT or word.negated or word.kind is Kind.NAME
    )  # fmt: skip
    placed = tuple(with_bound(_placed(figure, units, read), text) for figure in figures)
    return Parsed(
        text, "ko", words, placed, tuple(dates), tuple(read.clauses), tuple(read.quantifiers), frozenset(read.marks)
    )


def _join_serial_verbs(read: Reading, taken: list[tuple[int, int]]) -> None:
    """돈을 받고 팔았다: a verb that brings nothing of its own goes on with the clause before it."""
    kept: list[Clause] = []
    for clause in read.clauses:
        words = [word for word in read.words if word.clause == clause.index]
        before = kept[-1] if kept else None
        bare = bool(words) and all(word.role is Role.PREDICATE and word.kind is Kind.VERB for word in words)
        measured = before is not None and any(before.end <= start < clause.end for start, _ in taken)
        if before is None or before.link != "and" or not bare or measured:
            kept.append(clause)
            continue
        for word in words:
            word.clause = before.index
        kept[-1] = replace(before, end=clause.end, mood=clause.mood, main=clause.main, link=clause.link)
    read.clauses = kept


def _head(words: list[KoreanWord], place: int, text: str) -> int:
    """The noun that a noun without a particle, or with 의, describes: the next one."""
    if place + 1 == len(words) or words[place].role is not Role.OF or words[place].kind is Kind.VERB:
        return -1
    following = words[place + 1]
    between = text[words[place].end : following.start]
    beside = len(between) <= _MODIFIER_NEAR and not set(between) & set(",:;|·/")
    return following.start if beside and following.kind in (Kind.NOUN, Kind.NAME) else -1


# 의 and a space.
_MODIFIER_NEAR = 2


def _step(units: list[Morpheme], place: int, read: Reading, taken: list[tuple[int, int]]) -> int:
    unit = units[place]
    if any(start <= unit.start < end for start, end in taken):
        return place + 1
    tag = unit.tag.split("-")[0]
    if unit.form in _QUANTIFIERS and tag in ("NNG", "MAG", "MM", "NNB", "XR"):
        read.quantifiers.append((_QUANTIFIERS[unit.form], unit.start))
    if tag in ("MAG", "MAJ", "NNG", "NNB", "MM"):
        read.marks.add(unit.form)
    if tag in _NOUNS:
        return _noun(units, place, read, taken)
    if tag in ("VV", "VA"):
        return _verb(units, place, read, taken)
    if tag == "VX" and unit.lemma in _NEGATING_AUXILIARIES:
        _negate_last(read)
    elif tag == "VX" and unit.lemma == "지다":
        _last_verb_passive(read)
    elif tag == "VX" and unit.lemma == "하다" and place and units[place - 1].form in ("어야", "아야", "여야"):
        read.mood = Mood.REQUIRED
    elif tag == "VCN":
        _negate_last(read, nouns=True)
    elif tag == "VCP" and read.words and read.words[-1].kind in (Kind.NOUN, Kind.NAME):
        read.words[-1].role = Role.OBJECT
    elif tag == "MAG":
        return _adverb(units, place, read)
    elif tag == "JX" and unit.form == "만":
        read.quantifiers.append(("only", unit.start))  # 겨울에만
    elif tag == "EC" and (after := _permission(units, place, read)):
        return after
    elif tag in ("EC", "ETM"):
        _ending(units, place, read)
    elif tag == "EF" and any(each.tag.startswith(("N", "V")) for each in units[place + 1 :]):
        _close(read, unit.end, "and")
    elif tag == "SF" or (tag == "SP" and unit.form in ",;" and _predicate_last(read)):
        pass
    return place + 1


def _noun(units: list[Morpheme], place: int, read: Reading, taken: list[tuple[int, int]]) -> int:
    """A run of nouns written together is one word; the particle behind it names its role."""
    end = place
    while (
        end + 1 < len(units)
        and units[end + 1].tag.split("-")[0] in _NOUNS
        and units[end + 1].start == units[end].end
        and not any(start <= units[end + 1].start < stop for start, stop in taken)
        and units[end + 1].tag != "NNB"
    ):
        end += 1
    parts = units[place : end + 1]
    text = "".join(part.form for part in parts if part.form != "들" or part.tag != "XSN")
    kind = Kind.NAME if any(part.tag in ("NNP", "SL", "SN", "SH") for part in parts) else Kind.NOUN
    word = KoreanWord(text, text, kind, parts[0].start, parts[-1].end)
    following = units[end + 1] if end + 1 < len(units) else None
    tag = following.tag.split("-")[0] if following else ""
    if parts[0].tag == "NNB" or (text in _BOUND_NOUNS and parts[0].tag not in ("NNG", "NNP")):
        return _bound_noun(units, place, end, read)
    if parts[0].tag in ("MM", "NP"):
        return place + 1
    if following is not None and tag in ("XSV", "XSA") and following.start <= parts[-1].end + 0:
        word.kind = Kind.VERB if tag == "XSV" else Kind.QUALITY
        word.passive = following.form in ("되", "받", "당하")
        word.role = Role.PREDICATE
        word.lemma = text if len(text) > 1 else text + following.form + "다"
        if text in _EXPECTED and read.mood is Mood.STATED:
            read.mood = Mood.EXPECTED
        read.words.append(word)
        return end + 2
    if (
        following is not None
        and tag == "VV"
        and following.lemma in ("당하다", "받다", "입다")
        and following.start == parts[-1].end
    ):
        word.kind, word.passive, word.role = Kind.VERB, True, Role.PREDICATE
        read.words.append(word)
        return end + 2
    if text in _EXPECTED:
        read.mood = Mood.EXPECTED if read.mood is Mood.STATED else read.mood
    read.words.append(word)
    if following is not None and tag.startswith("J"):
        word.role = _ROLES.get(following.form, Role.OTHER)
        word.particle = following.form
        if following.form == "마다":
            word.lemma += "마다"
        if following.form == "만":
            read.quantifiers.append(("only", following.start))
        if following.tag == "JKC":
            word.role = Role.OBJECT
        return end + 2
    word.role = Role.OF
    return end + 1


def _bound_noun(units: list[Morpheme], place: int, end: int, read: Reading) -> int:
    form = units[place].form
    following = units[end + 1] if end + 1 < len(units) else None
    if form == "수" and following is not None:
        ahead = [unit.lemma for unit in units[end + 1 : end + 4]]
        if "있다" in ahead[:2]:
            read.mood = Mood.POSSIBLE
            return end + 2
        if "없다" in ahead[:2]:
            read.mood = Mood.POSSIBLE
            _negate_last(read)
            return end + (2 if units[end + 1].lemma == "없다" else 3)
    if form == "때문" and read.words:
        read.words[-1].role = Role.CAUSE
    if form in ("예정", "계획", "전망"):
        read.mood = Mood.EXPECTED
    if form == "것" and place and units[place - 1].form in ("ᆯ", "을"):
        read.mood = Mood.EXPECTED if read.mood is Mood.STATED else read.mood
    return end + 1


# 매각했다는 소문: what is said to be so.
_SAID_TO_BE = frozenset(
    {"소문", "주장", "의혹", "설", "관측", "예상", "전망", "가능성", "보도", "말", "이야기", "계획", "제안", "의견"}
)
_BOUND_VERBS = frozenset({"넘다", "달하다", "이르다"})


def _figure_before(unit: Morpheme, taken: list[tuple[int, int]]) -> bool:
    return any(0 <= unit.start - end <= 3 for _, end in taken)


def _verb(units: list[Morpheme], place: int, read: Reading, taken: list[tuple[int, int]]) -> int:
    unit = units[place]
    tag = unit.tag.split("-")[0]
    if unit.lemma == "없다":
        _negate_last(read, nouns=True)
        return place + 1
    if unit.lemma == "아니다":
        _negate_last(read, nouns=True)
        return place + 1
    kind = Kind.VERB if tag == "VV" else Kind.QUALITY
    if unit.lemma in _BOUND_VERBS and _figure_before(unit, taken):
        return place + 1  # 10년 넘게: part of the figure
    if (
        unit.lemma in ("하다", "되다")
        and read.words
        and read.words[-1].clause < 0
        and read.words[-1].role in (Role.OBJECT, Role.TOPIC, Role.SUBJECT)
        and read.words[-1].kind is Kind.NOUN
    ):
        # 배당을 하다 is 배당하다.
        read.words[-1].kind, read.words[-1].role = Kind.VERB, Role.PREDICATE
        return place + 1
    word = KoreanWord(unit.form, unit.lemma, kind, unit.start, unit.end, Role.PREDICATE)
    word.passive = unit.lemma in _PASSIVE_VERBS
    if place and units[place - 1].tag == "MAG" and units[place - 1].form in ("안", "못"):
        word.negated = True
        if units[place - 1].form == "못" and lexicon("ko").knows("못_" + unit.lemma):
            word.negated, word.lemma = False, "못_" + unit.lemma
    read.words.append(word)
    return place + 1


def _adverb(units: list[Morpheme], place: int, read: Reading) -> int:
    unit = units[place]
    if unit.form == "없이":
        _negate_last(read, nouns=True)
        if read.words:
            read.words[-1].role = Role.WITH
        return place + 1
    if unit.form in ("안", "못"):
        following = units[place + 1] if place + 1 < len(units) else None
        if following is not None and following.tag == "NNG":
            read.marks.add("not_next")
        return place + 1
    if unit.form in _LIGHT or unit.form in _QUANTIFIERS:
        return place + 1
    read.words.append(KoreanWord(unit.form, unit.form, Kind.QUALITY, unit.start, unit.end))
    return place + 1


def _permission(units: list[Morpheme], place: int, read: Reading) -> int:
    """넣으면 안 되다, 넣어서는 안 되다 forbid; 넣어도 되다 allows. The place behind it, or 0 where it says neither."""
    form = units[place].form
    ahead = place + 1
    if ahead < len(units) and units[ahead].tag == "JX":
        ahead += 1
    rest = [unit.form if unit.tag == "MAG" else unit.lemma for unit in units[ahead : ahead + 2]]
    if form in _CONDITION | {"어서", "아서", "여서"} and rest == ["안", "되다"]:
        _negate_last(read)
        read.mood = Mood.POSSIBLE
        return ahead + 2
    if form in ("어도", "아도", "여도") and rest[:1] and rest[0] in ("되다", "좋다", "괜찮다"):
        read.mood = Mood.POSSIBLE
        return ahead + 1
    return 0


def _ending(units: list[Morpheme], place: int, read: Reading) -> None:
    unit = units[place]
    following = units[place + 1] if place + 1 < len(units) else None
    if not _predicate_last(read) or following is None or following.tag.startswith("VX"):
        return
    if unit.tag == "ETM":
        if following.form in ("수", "것", "줄", "예정", "계획"):
            return
        if following.form in _SAID_TO_BE and unit.form in ("다는", "ᆫ다는", "는다는", "라는"):
            _close(read, unit.end, "that")
            return
        link = {"뒤": "after", "후": "after", "다음": "after", "때": "when"}.get(following.form, "which")
        _close(read, unit.end, link)
        return
    if unit.form in ("어", "아", "여") and following.tag.startswith("VV"):
        return
    form = unit.form
    if form in ("어", "아", "여") and following.form == "서" and following.start == unit.end:
        form = "어서"
    link = (
        "if"
        if form in _CONDITION
        else "because"
        if form in _CAUSE
        else "but"
        if form in _CONTRAST
        else "and"
        if form in _AND
        else ""
    )
    if form in ("다고", "라고", "ᆫ다고", "는다고", "이라고"):
        link = "that"
    if form in ("어도", "아도", "여도"):
        link = "unless"
    if link:
        _close(read, unit.end, link)


def _predicate_last(read: Reading) -> bool:
    return bool(read.words) and (
        read.words[-1].role is Role.PREDICATE or read.words[-1].negated or read.words[-1].role is Role.OBJECT
    )


def _close(read: Reading, end: int, link: str) -> None:
    """What stands before the ending is one clause. A topic before a relative clause belongs to what follows."""
    index = len(read.clauses)
    mine = [word for word in read.words[read.first :] if word.clause < 0]
    kept = (
        [word for word in mine if word.role is Role.TOPIC]
        if link in ("which", "that", "if", "because", "after", "when", "unless")
        else []
    )
    if link == "that":
        kept = [word for word in mine if word.role is Role.TOPIC][:1]
    inside = [word for word in mine if word not in kept]
    if not inside:
        if link == "" and kept:
            inside = kept
        else:
            return
    for word in inside:
        word.clause = index
    main = link in ("", "and", "but")
    mood = Mood.CONDITIONAL if link in ("if", "unless") else read.mood
    read.clauses.append(Clause(index, inside[0].start, end, mood, main, link))
    read.mood = Mood.STATED
    read.first = next((place for place, word in enumerate(read.words) if word.clause < 0), len(read.words))


def _negate_last(read: Reading, *, nouns: bool = False) -> None:
    """Turn the last predicate round; a verb without content of its own (부산에 있지 않다) passes it on to its noun."""
    for word in reversed(read.words):
        if word.clause >= 0:
            return
        if word.role is Role.PREDICATE and word.lemma in _LIGHT and not nouns:
            nouns = True
            continue
        if nouns or word.role is Role.PREDICATE:
            word.negated = not word.negated
            return


def _last_verb_passive(read: Reading) -> None:
    if read.words and read.words[-1].kind is Kind.VERB:
        read.words[-1].passive = True
    elif read.words and read.words[-1].kind is Kind.QUALITY and read.words[-1].lemma.endswith("다"):
        word = read.words[-1]
        stem = _BECOMING.get(word.lemma)
        if stem:
            word.lemma, word.kind = stem, Kind.VERB


def _placed(figure: Figure, units: list[Morpheme], read: Reading) -> Figure:
    following = next((unit for unit in units if unit.start >= figure.end), None)
    role = figure.role
    if role is Role.OTHER and following is not None and following.start == figure.end and following.tag.startswith("J"):
        role = Role.FROM if following.form == "에서" else _ROLES.get(following.form, Role.OTHER)
    clause = next((each.index for each in read.clauses if each.start <= figure.start <= each.end), None)
    if clause is None:
        clause = next((each.index for each in read.clauses if figure.start <= each.end), 0)
    return replace(figure, clause=clause, role=role)
