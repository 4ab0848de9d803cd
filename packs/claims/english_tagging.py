"""English words and what they are: verb, noun, name, quality, or a word of structure.

No statistical model: closed classes first, then the readings a dictionary knows, then what stands beside the word.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from lemminflect import getAllLemmas

from packs.claims import english_words as closed
from packs.claims.lexicon import lexicon
from packs.claims.parsed import Figure, Role
from packs.claims.part_of_speech import tags_of
from packs.text.dates import DateSpan

_TOKEN = re.compile(
    r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9]*(?:[-'’&.][A-Za-zÀ-ɏ0-9]+)*|[0-9][0-9A-Za-z.,:/-]*[0-9A-Za-z]|[0-9]|[,;:()\"“”.!?|]"
)
# What is counted is a word of the sentence like any other: `six wolves`.
_COUNTED = re.compile(r"[ -]([a-z]{3,20})$")
_COMPARATIVE = re.compile(r"[a-z]{3,}(?:er|est)$")
_PARTICIPLE = re.compile(r"(?:ed|en|ung|orn|own|ought|aught|ut|id|ld|nt|pt|lt|de|un|um)$")


@dataclass
class Token:
    text: str
    lower: str
    start: int
    end: int
    tag: str = ""
    """verb, aux, modal, noun, name, quality, prep, det, conj, neg, pron, punct, figure, date, label"""
    lemma: str = ""
    clause: int = 0
    role: Role = Role.OTHER
    negated: bool = False
    passive: bool = False
    speech: str = ""
    """The part of speech that the trained model gives it in its sentence."""


@lru_cache(maxsize=50_000)
def readings(word: str) -> dict[str, tuple[str, ...]]:
    return dict(getAllLemmas(word)) if len(word) <= 40 else {}


def tagged(text: str, figures: list[Figure], dates: list[DateSpan], names: frozenset[str]) -> list[Token]:
    """The tokens of a sentence, phrases of the lexicon merged. `names`: words known to be names from elsewhere."""
    tokens = _tokens(text, figures, dates)
    _mark_bounds(tokens, figures)
    _tag(tokens, names)
    return _with_phrases(tokens)


def _tokens(text: str, figures: list[Figure], dates: list[DateSpan]) -> list[Token]:
    taken = [(each.start, each.end, "figure") for each in figures] + [(each.start, each.end, "date") for each in dates]
    shares = {each.start for each in figures if each.unit in ("%", "%p", "times")}
    tokens: list[Token] = []
    for start, end, tag in sorted(taken):
        tokens.append(Token(text[start:end], text[start:end].lower(), start, end, tag))
        counted = _COUNTED.search(text[start:end]) if tag == "figure" and start not in shares else None
        if counted is not None and counted[1] not in closed.MEASURES:
            tokens.append(Token(counted[1], counted[1].lower(), start + counted.start(1), end))
    for match in _TOKEN.finditer(text):
        if any(match.start() < end and start < match.end() for start, end, _ in taken):
            continue
        word = match.group().replace("’", "'")
        base = word[:-2] if word.endswith("'s") else word.rstrip("'")
        if base.lower().endswith("n't"):
            stem = base[:-3]
            tokens.append(
                Token(
                    stem,
                    stem.lower().replace("ca", "can") if stem.lower() == "ca" else stem.lower(),
                    match.start(),
                    match.end(),
                )
            )
            tokens.append(Token("not", "not", match.start(), match.end()))
            continue
        tokens.append(Token(base, base.lower(), match.start(), match.end()))
        if word.endswith("'s"):
            tokens[-1].role = Role.OF
    tokens.sort(key=lambda token: token.start)
    return tokens


_SIDES = frozenset(("more", "less", "fewer", "than", "over", "under", "above", "below", "before", "after"))


def _mark_bounds(tokens: list[Token], figures: list[Figure]) -> None:
    """ "Over 33 critics", "before 2018": the word belongs to the figure or the date and gives nothing else its role."""
    bounded = {each.start for each in figures if each.bound}
    for place in range(len(tokens) - 1, 0, -1):
        token = tokens[place]
        side, order = token.tag == "figure" and token.start in bounded, token.tag == "date"
        at = place - 1
        while (side or order) and at >= 0 and tokens[at].lower in _SIDES and not tokens[at].tag:
            if order == (tokens[at].lower in ("before", "after")):
                tokens[at].tag, tokens[at].lemma = "det", tokens[at].lower
            at -= 1


def _tag(tokens: list[Token], names: frozenset[str]) -> None:
    for token, speech in zip(tokens, tags_of([token.text.split()[0] for token in tokens]), strict=True):
        token.speech = speech
    for place, token in enumerate(tokens):
        if not token.tag:
            token.tag, token.lemma = _closed_or_open(tokens, place, names)
    for place, token in enumerate(tokens):
        if token.tag == "open":
            _open_class(tokens, place)
    _ensure_verb(tokens)


def _closed_or_open(tokens: list[Token], place: int, names: frozenset[str]) -> tuple[str, str]:
    token = tokens[place]
    lower = token.lower
    if not lower[:1].isalnum():
        return "punct", lower
    if lower[0].isdigit():
        return "label", lower
    if lower in closed.NEGATORS:
        return ("modal" if lower == "cannot" else "neg"), lower
    if lower == "no":
        return "neg", "no"
    if lower == "longer" and place and tokens[place - 1].lower in ("no", "any"):
        return "det", lower  # part of the negation
    if (
        lower in ("that", "which", "who", "whom")
        and place
        and tokens[place - 1].tag not in ("prep", "")
        and tokens[place - 1].text not in "."
    ):
        return "conj", lower
    if (
        lower in closed.MODALS
        and not (lower == "may" and token.text == "May")
        and not (lower == "will" and place and tokens[place - 1].lower in closed.ARTICLES)
    ):
        return "modal", lower
    if lower in closed.AUXILIARIES:
        return "aux", {"am": "be", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "being": "be"}.get(
            lower,
            "have"
            if lower.startswith("ha")
            else "do"
            if lower.startswith("d")
            else "get"
            if lower.startswith("g")
            else lower,
        )
    if (
        lower in closed.PRONOUNS
        and token.text != "US"
        and not (lower in ("this", "that", "these", "those", "one") and _next_is_word(tokens, place))
    ):
        return ("conj" if lower in ("who", "whom") else "pron"), lower
    if lower in closed.SUBORDINATORS and lower not in closed.PREPOSITIONS:
        return "conj", lower
    if lower in ("and", "but", "or", "nor"):
        return "conj", lower
    if lower in closed.PREPOSITIONS:
        return "prep", lower
    if lower == "according":
        return "det", lower
    if token.text == "A" and place and tokens[place - 1].text not in '.:"“!?|,;':
        return "name", lower  # Plan A
    if lower in closed.DETERMINERS:
        return "det", lower
    is_capital = token.text[:1].isupper()
    if is_capital and (
        (place > 0 and tokens[place - 1].text not in '.:"“!?|')
        or token.text in names
        or _name_follows(tokens, place)
        or ("-" not in lower and not readings(lower))
    ):
        return "name", lower
    return "open", lower


def _name_follows(tokens: list[Token], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    return following is not None and following.text[:1].isupper() and following.lower not in closed.PRONOUNS


def _next_is_word(tokens: list[Token], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    return (
        following is not None
        and following.lower[:1].isalpha()
        and following.lower not in closed.AUXILIARIES | closed.MODALS
    )


def _open_class(tokens: list[Token], place: int) -> None:
    token = tokens[place]
    found = readings(token.lower)
    previous = _previous(tokens, place)
    if token.lower == "born":
        token.tag, token.lemma, token.speech = "verb", "bear", "VBN"
        return
    if "VERB" in found and _verb_here(token, previous, found, tokens, place):
        token.tag = "verb"
        token.lemma = _verb_lemma(found["VERB"], token.lower)
        return
    if _COMPARATIVE.fullmatch(token.lower) and ("ADJ" in found or "ADV" in found) and "NOUN" not in found:
        token.tag, token.lemma = "quality", token.lower
        return
    if "NOUN" in found or "PROPN" in found:
        both = "ADJ" in found and _describes(tokens, place)
        token.tag = "quality" if both else "noun"
        token.lemma = found.get("NOUN", found.get("PROPN", (token.lower,)))[0] if not both else found["ADJ"][0]
        if token.lower in ("lower", "higher", "less", "more", "earlier", "later"):
            token.lemma = token.lower
    elif "ADJ" in found or "ADV" in found:
        token.tag, token.lemma = "quality", found.get("ADJ", found.get("ADV", (token.lower,)))[0]
        if _COMPARATIVE.fullmatch(token.lower):
            token.lemma = token.lower
    elif "VERB" in found:
        # A participle before a noun is a quality (`stored data`), elsewhere a noun (`running`).
        token.tag, token.lemma = ("quality" if _PARTICIPLE.search(token.lower) else "noun"), found["VERB"][0]
    else:
        token.tag = "noun"
        token.lemma = token.lower


def _describes(tokens: list[Token], place: int) -> bool:
    """Whether a word that may be noun or adjective describes something: before a noun, or behind "is"."""
    if not tokens[place].speech.startswith(("JJ", "RB", "VB")):
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    previous = _previous(tokens, place)
    if following is not None and following.speech.startswith(("NN", "JJ")):
        return True
    return previous is not None and (previous.tag == "aux" or previous.lower in ("remain", "stay", "become", "became"))


def _verb_lemma(lemmas: tuple[str, ...], word: str) -> str:
    known = lexicon("en")
    return next((lemma for lemma in lemmas if known.knows(lemma) and lemma != word), lemmas[0])


def _previous(tokens: list[Token], place: int) -> Token | None:
    """The token before, adverbs and negations left out."""
    for token in reversed(tokens[:place]):
        if token.tag in ("neg",) or (token.tag in ("quality", "open") and token.lower.endswith("ly")):
            continue
        if token.tag == "det" and token.lower == "longer":
            continue
        if token.lower in ("also", "already", "still", "now", "never", "first", "long", "had"):
            if token.tag in ("aux", "modal"):
                return token
            continue
        return token
    return None


def _verb_here(
    token: Token, previous: Token | None, found: dict[str, tuple[str, ...]], tokens: list[Token], place: int
) -> bool:
    only_verb = not ({"NOUN", "ADJ", "ADV"} & set(found))
    past = token.lower.endswith("ed") or token.lower in closed.IRREGULAR_PARTICIPLES or found["VERB"][0] != token.lower
    if previous is None:
        return token.speech in ("VB", "VBP") and only_verb
    if previous.tag == "modal":
        return True
    if previous.lower == "to":
        return token.speech.startswith("VB") or only_verb
    if previous.tag == "aux":
        if previous.lemma == "be":
            return (past and (token.speech != "JJ" or only_verb)) or token.lower.endswith("ing")
        return previous.lemma == "do" or (token.speech.startswith("VB") and past)
    if previous.tag == "det" and previous.lower in closed.ARTICLES | {"no", "each", "every"}:
        return False
    if previous.tag == "prep" and previous.lower not in ("up", "off", "out", "down"):
        return False
    if token.lower.endswith("ing"):
        return False
    if token.speech in ("VBZ", "VBP", "VBD"):
        behind = tokens[place + 1].speech if place + 1 < len(tokens) else ""
        verb_next = behind in ("VBD", "VBZ", "VBP", "MD") and token.speech != "VBD"  # "the dye works lost"
        return "NOUN" not in found or not (verb_next or _verb_already(tokens, place))
    if token.speech in ("VBN", "VB"):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        return previous.tag != "quality" and not (following is not None and following.speech.startswith("NN"))
    return only_verb and past and previous.tag in ("noun", "name", "pron", "figure", "date", "label")


def _verb_already(tokens: list[Token], place: int) -> bool:
    """ "Sold its dye works": behind a verb with no conjunction between, a word that may be a noun is one."""
    for token in reversed(tokens[:place]):
        if token.tag in ("punct", "conj"):
            return False
        if token.tag == "verb":
            return token.lemma not in closed.REPORTING_VERBS
    return False


def _ensure_verb(tokens: list[Token]) -> None:
    """Where no verb stands out, the likeliest candidate is one: `Attackers need an account`, `It makes sensors`."""
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and not (
            tokens[end].text in (";", ".", "!", "?", "|")
            or (
                tokens[end].tag == "conj"
                and tokens[end].lower in ("and", "but", "while", "whereas", "because", "if", "that", "which", "who")
            )
        ):
            end += 1
        part = tokens[start:end]
        if not any(token.tag in ("verb", "aux", "modal") for token in part):
            candidates = [
                (place, token)
                for place, token in enumerate(part)
                if token.tag in ("noun", "quality")
                and "VERB" in readings(token.lower)
                and (
                    part[place - 1].tag in ("noun", "name", "pron", "quality", "figure", "label", "date")
                    if place
                    else _goes_on(tokens, start)
                )
                and not token.lower.endswith("ing")
                and (place + 1 < len(part) or token.lower.endswith("s") or len(part) == 2)
            ]
            if candidates:
                best = max(candidates, key=lambda pair: _likely_verb(part, *pair))
                best[1].tag = "verb"
                best[1].lemma = _verb_lemma(readings(best[1].lower)["VERB"], best[1].lower)
        start = end + 1


def _goes_on(tokens: list[Token], start: int) -> bool:
    """ "… sells to mills and exports nothing": a verb behind "and", in the form of the verb before, with its object."""
    if start + 1 >= len(tokens) or not start or tokens[start - 1].lower not in ("and", "but"):
        return False
    before = [token for token in tokens[: start - 1] if token.tag in ("verb", "aux")]
    ending = tokens[start].lower.endswith("s")
    return (
        bool(before)
        and ending == before[-1].lower.endswith("s")
        and (tokens[start + 1].tag in ("det", "figure", "pron", "neg") or tokens[start + 1].lower == "nothing")
    )


def _likely_verb(part: list[Token], place: int, token: Token) -> tuple[int, int]:
    following = part[place + 1] if place + 1 < len(part) else None
    points = 0
    if following is not None and following.tag in ("det", "figure", "prep", "pron", "neg"):
        points += 2
    if "NOUN" not in readings(token.lower):
        points += 3
    if token.lower.endswith("s") != part[place - 1].lower.endswith("s"):
        points += 2 if token.lower.endswith("s") else 1
    return points, -place


def _with_phrases(tokens: list[Token]) -> list[Token]:
    """Phrases of the lexicon as one token: `fall short of`, `rule out`."""
    phrases = lexicon("en").phrases
    merged: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        first = token.lemma or token.lower
        for parts in phrases.get(first, ()):
            window = tokens[place : place + len(parts)]
            if token.tag == "noun" and len(window) == 2 and window[-1].tag == "prep":
                continue
            if len(window) == len(parts) and all(
                part in (each.lemma, each.lower) for part, each in zip(parts, window, strict=True)
            ):
                tag = (
                    "verb"
                    if "verb" in (token.tag, window[-1].tag)
                    else "quality"
                    if token.tag in ("prep", "det", "quality")
                    else token.tag
                )
                merged.append(replace(token, end=window[-1].end, lemma="_".join(parts), tag=tag))
                place += len(parts)
                break
        else:
            merged.append(token)
            place += 1
    return merged
