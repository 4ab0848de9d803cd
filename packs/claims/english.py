"""English sentences taken apart. No parser: closed classes, verb forms from a dictionary, and word order.

Word order says who does what in English, so a light reading is enough: what stands before the verb is its subject, what
follows is its object, a preposition names the role of what comes next, and the passive turns subject and object round.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from packs.claims import english_words as closed
from packs.claims.english_negation import mark_negation
from packs.claims.english_tagging import Token, tagged
from packs.claims.figures import find_figures, sentence_dates
from packs.claims.parsed import Clause, Figure, Kind, Mood, Parsed, Role, Word
from packs.text.dates import DateSpan

_RELATIVE = frozenset({"who", "which", "that", "whom", "whose", "where"})
_BECAUSE = frozenset({"because", "due", "owing", "thanks"})


def parse_english(text: str, names: frozenset[str] = frozenset()) -> Parsed:
    figures, dates = find_figures(text), sentence_dates(text)
    tokens = tagged(text, figures, dates, names)
    outside, brackets = _bracketed(tokens)
    clauses = _clauses(outside, text)
    clauses += _embedded(outside, len(clauses))
    for inside in brackets:
        clauses.append(Clause(len(clauses), inside[0].start, inside[-1].end, Mood.STATED, main=False, link="which"))
        for token in inside:
            token.clause = clauses[-1].index
    _roles(tokens, clauses)
    mark_negation(tokens)
    return _assembled(text, tokens, figures, dates, clauses)


def _bracketed(tokens: list[Token]) -> tuple[list[Token], list[list[Token]]]:
    """What stands in brackets with a verb or a comma of its own ("(born in 1968)") is said beside the sentence."""
    outside: list[Token] = []
    brackets: list[list[Token]] = []
    opened: int | None = None
    for token in tokens:
        if token.text == "(" and opened is None and outside:
            opened = len(outside)
        outside.append(token)
        if token.text == ")" and opened is not None:
            inside = outside[opened:]
            if any(each.tag in ("verb", "aux") or each.text in ",;" for each in inside):
                brackets.append(inside)
                del outside[opened:]
            opened = None
    return outside, brackets


def _clauses(tokens: list[Token], text: str) -> list[Clause]:
    """A new clause where a conjunction, a relative word or a mark is followed by a verb of its own."""
    starts = [(0, "")]
    for place in range(len(tokens)):
        link = _boundary(tokens, place)
        if (
            link is not None
            and place > starts[-1][0]
            and _has_verb(tokens[starts[-1][0] : place])
            and _verb_follows(tokens, place)
        ):
            starts.append((place, link))
    clauses = []
    for number, (start, link) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(tokens)
        for token in tokens[start:end]:
            token.clause = number
        first = tokens[start].lower if tokens else ""
        opening = link
        if number == 0 and len(starts) > 1 and tokens[0].tag in ("conj", "prep"):
            opening = closed.SUBORDINATORS.get(first, "")
        last = tokens[end - 1].end if end > start else len(text)
        clauses.append(
            Clause(
                number,
                tokens[start].start if tokens else 0,
                last,
                _mood(tokens[start:end], opening),
                not opening or opening in ("and", "but", "while"),
                opening,
            )
        )
    return clauses


def _embedded(tokens: list[Token], index: int) -> list[Clause]:
    """Relative clauses between a noun and its verb: "Lind, who had been mayor, conceded"."""
    found = []
    for place, token in enumerate(tokens):
        opens = token.lower in _RELATIVE or _is_reduced(tokens, place)
        if not opens or not place or _has_verb(_same_clause(tokens[:place], token.clause)):
            continue
        end = _end_of_relative(tokens, place)
        if end is None:
            continue
        outer, resumed = tokens[place - 1].clause, tokens[end].clause
        for inner in tokens[place:end]:
            inner.clause = index
        for following in tokens[end:]:
            # What follows goes on with the clause before it.
            if following.clause == resumed:
                following.clause = outer
        found.append(Clause(index, token.start, tokens[end - 1].end, Mood.STATED, main=False, link="which"))
        index += 1
    return found


def _is_reduced(tokens: list[Token], place: int) -> bool:
    """ "The wing, damaged by fire in 2019, reopened": a participle between commas."""
    token = tokens[place]
    return (
        place > 1
        and token.tag == "verb"
        and token.speech == "VBN"
        and tokens[place - 1].text == ","
        and tokens[place - 2].tag in ("noun", "name", "label")
    )


def _same_clause(tokens: list[Token], clause: int) -> list[Token]:
    return [token for token in tokens if token.clause == clause]


def _end_of_relative(tokens: list[Token], place: int) -> int | None:
    """Where the outer clause goes on: behind the second comma, or at the second verb."""
    if tokens[place - 1].text == ",":
        return next((at + 1 for at in range(place + 1, len(tokens) - 1) if tokens[at].text == ","), None)
    seen = False
    for at in range(place + 1, len(tokens)):
        token = tokens[at]
        if token.tag == "punct":
            return None
        is_verb = token.tag in ("verb", "aux", "modal")
        if is_verb and seen and tokens[at - 1].tag not in ("aux", "modal", "neg"):
            return at
        seen = seen or is_verb
    return None


def _boundary(tokens: list[Token], place: int) -> str | None:
    token = tokens[place]
    if token.tag == "punct":
        return "and" if token.text in ";:,|" else None
    if token.tag == "conj":
        return closed.SUBORDINATORS.get(token.lower, token.lower)
    if token.tag == "prep" and token.lower in ("before", "after", "until", "since", "because"):
        return closed.SUBORDINATORS.get(token.lower)
    previous = tokens[place - 1] if place else None
    if (
        previous is not None
        and previous.tag == "verb"
        and previous.lemma in closed.REPORTING_VERBS
        and token.tag in ("det", "noun", "name", "pron", "quality", "label")
        and _finite_follows(tokens, place)
    ):
        return "that"  # "said costs had risen"
    return None


def _finite_follows(tokens: list[Token], place: int) -> bool:
    """Whether what begins here has a verb of its own before the next mark, and no infinitive or participle."""
    for at in range(place + 1, len(tokens)):
        token = tokens[at]
        if token.tag in ("punct", "conj"):
            return False
        if token.tag in ("aux", "modal"):
            return True
        if token.tag == "verb":
            return tokens[at - 1].lower != "to" and token.speech in ("VBZ", "VBP", "VBD", "VBN")
    return False


def _has_verb(tokens: list[Token]) -> bool:
    return any(token.tag in ("verb", "aux", "modal") for token in tokens)


def _verb_follows(tokens: list[Token], place: int) -> bool:
    """Whether a finite verb comes before the next boundary. After a bare comma it must not be a participle alone."""
    for token in tokens[place + 1 :]:
        if token.tag in ("verb", "aux", "modal"):
            return True
        if token.tag == "punct" or (token.tag == "conj" and token.lower not in ("or",)):
            if token.tag == "conj" and token.lower == "and":
                continue
            return False
    return False


def _mood(tokens: list[Token], link: str) -> Mood:
    lowers = {token.lower for token in tokens if token.tag not in ("date", "figure", "name")}
    lemmas = {token.lemma for token in tokens}
    if link in ("if", "unless"):
        return Mood.CONDITIONAL
    if lowers & {"may", "might", "could", "can", "cannot", "possibly", "perhaps", "maybe", "able"}:
        return Mood.POSSIBLE
    if (
        lowers & {"must", "should", "ought"}
        or "have_to" in lemmas
        or any(one.lemma == "have" and two.lower == "to" for one, two in pairwise(tokens))
    ):
        return Mood.REQUIRED
    if lowers & {"will", "would", "shall"} or lemmas & closed.EXPECTING:
        return Mood.EXPECTED
    return Mood.STATED


def _roles(tokens: list[Token], clauses: list[Clause]) -> None:
    for clause in clauses:
        inside = [token for token in tokens if token.clause == clause.index]
        role, by_role, passive, seen_verb = Role.SUBJECT, Role.OTHER, False, False
        opened = _end_of_opening(inside)
        for place, token in enumerate(inside):
            if place == opened:
                role = Role.SUBJECT
            if token.tag == "verb":
                token.role = Role.PREDICATE
                before = _auxiliary(inside, place)
                agent = place + 1 < len(inside) and inside[place + 1].lower == "by"
                reduced = clause.link == "which" and not place and token.speech == "VBN"
                token.passive = (
                    (before == "be" or reduced or (agent and token.speech in ("VBN", "VBD")))
                    and not token.lower.endswith("ing")
                    and token.lemma != token.lower
                )
                if not seen_verb or token.passive:
                    passive = token.passive
                seen_verb, role = True, Role.OBJECT
                by_role = Role.SUBJECT if passive else Role.OTHER
            elif token.tag in ("aux", "modal") and not _verb_ahead(inside, place):
                seen_verb, role = True, Role.OBJECT
            elif token.tag == "prep":
                kind = closed.PREPOSITIONS[token.lower]
                following = inside[place + 1] if place + 1 < len(inside) else token
                agent = (
                    kind == "by" and following.tag not in ("figure", "date") and following.lower not in closed.BY_NOBODY
                )
                if kind == "by":
                    role = by_role if agent else Role.OTHER
                elif place and inside[place - 1].lower == "according":
                    role = Role.OTHER
                elif place and inside[place - 1].lower in _BECAUSE:
                    role = Role.CAUSE
                else:
                    role = Role(kind)
                if token.lower == "to" and place + 1 < len(inside) and inside[place + 1].tag == "verb":
                    role = Role.OBJECT
            elif (
                not seen_verb
                and place
                and inside[place - 1].tag in ("date", "figure", "punct")
                and token.tag in ("det", "pron")
            ):
                role = Role.SUBJECT
            elif token.tag in ("noun", "name", "quality", "label", "figure", "pron") and token.role is not Role.OF:
                token.role = role
        if passive:
            _turn_round(inside)


def _end_of_opening(tokens: list[Token]) -> int:
    """ "In a trial with nurses, shorter shifts reduced …": where the subject begins behind such a phrase; else -1."""
    if not tokens or tokens[0].tag != "prep":
        return -1
    verb = next((place for place, token in enumerate(tokens) if token.tag in ("verb", "aux", "modal")), len(tokens))
    commas = [place for place in range(verb) if tokens[place].text == ","]
    if not commas or commas[-1] + 1 == verb:
        return -1
    listed = len(commas) > 1 and any(token.lower == "and" for token in tokens[commas[0] : commas[-1]])
    return (commas[-1] if listed else commas[0]) + 1


def _auxiliary(tokens: list[Token], place: int) -> str:
    for token in reversed(tokens[:place]):
        if token.tag == "aux":
            return token.lemma
        if (
            token.tag in ("neg",)
            or token.lower.endswith("ly")
            or token.lower in ("also", "now", "already", "first", "still")
        ):
            continue
        return ""
    return ""


def _verb_ahead(tokens: list[Token], place: int) -> bool:
    for token in tokens[place + 1 :]:
        if token.tag == "verb":
            return True
        if (
            token.tag in ("aux", "modal", "neg")
            or token.lower.endswith("ly")
            or token.lower in ("also", "now", "already", "first", "still")
        ):
            continue
        return False
    return False


def _turn_round(tokens: list[Token]) -> None:
    """In the passive the subject is what something is done to."""
    verb = next(place for place, token in enumerate(tokens) if token.tag == "verb" and token.passive)
    for token in tokens[:verb]:
        if token.role is Role.SUBJECT:
            token.role = Role.OBJECT


_KINDS = {"verb": Kind.VERB, "noun": Kind.NOUN, "name": Kind.NAME, "label": Kind.NAME, "quality": Kind.QUALITY}


def _assembled(
    text: str, tokens: list[Token], figures: list[Figure], dates: list[DateSpan], clauses: list[Clause]
) -> Parsed:
    words = []
    heads = _heads(tokens)
    attached = _attached(tokens, heads)
    for token in tokens:
        kind = _KINDS.get(token.tag)
        if (
            kind is None
            and token.tag == "prep"
            and token.lower in closed.MEANINGFUL_PREPOSITIONS - {"without", "up", "down"}
        ):
            kind = Kind.QUALITY
            token.lemma = token.lower
        if kind is None or (
            kind is not Kind.NAME
            and token.lemma in closed.LIGHT
            and token.lower not in closed.MEANINGFUL_PREPOSITIONS
            and not token.negated
        ):
            continue
        words.append(
            Word(
                token.text,
                token.lemma or token.lower,
                kind,
                token.role,
                token.start,
                token.end,
                token.clause,
                token.negated,
                heads.get(token.start, -1),
                attached.get(token.start, -1),
            )
        )
    by_start = {token.start: token for token in tokens}
    placed = tuple(_placed(figure, by_start) for figure in figures)
    quantifiers = tuple(
        (closed.QUANTIFIERS[token.lower], token.start)
        for place, token in enumerate(tokens)
        if token.lower in closed.QUANTIFIERS
        and "_" not in token.lemma
        and not (place and tokens[place - 1].lower == "at")
    )
    marks = frozenset(token.lower for token in tokens)
    return Parsed(
        text, "en", tuple(words), placed, tuple(dates), tuple(clauses), quantifiers, marks, tuple(_pronouns(tokens))
    )


_IN_A_NOUN_PHRASE = ("quality", "noun", "name", "label", "figure")


def _heads(tokens: list[Token]) -> dict[int, int]:
    """Place of each word before a noun -> place of that noun, the last of its run."""
    heads: dict[int, int] = {}
    run: list[Token] = []
    for place, token in enumerate([*tokens, Token("", "", 0, 0, "punct")]):
        if token.tag in _IN_A_NOUN_PHRASE and (not run or token.clause == run[-1].clause):
            run.append(token)
            continue
        if run and token.text == "," and run[-1].tag == "quality" and _quality_at(tokens, place + 1):
            continue  # "an American long-haul, twin-engine airliner"
        nouns = [each for each in run if each.tag in ("noun", "name", "label")]
        if nouns:
            heads |= {each.start: nouns[-1].start for each in run if each.start < nouns[-1].start}
        run = [token] if token.tag in _IN_A_NOUN_PHRASE else []
    return heads


def _quality_at(tokens: list[Token], place: int) -> bool:
    return place < len(tokens) and (tokens[place].tag == "quality" or "-" in tokens[place].text)


def _attached(tokens: list[Token], heads: dict[int, int]) -> dict[int, int]:
    """Place of a noun behind a preposition -> place of the noun just before the preposition."""
    attached: dict[int, int] = {}
    for place, token in enumerate(tokens):
        if token.tag != "prep" or not place or tokens[place - 1].tag not in ("noun", "name", "label"):
            continue
        behind = next((each for each in tokens[place + 1 : place + 3] if each.tag in _IN_A_NOUN_PHRASE), None)
        if behind is not None:
            attached[heads.get(behind.start, behind.start)] = tokens[place - 1].start
    return attached


def _pronouns(tokens: list[Token]) -> Iterator[Word]:
    for token in tokens:
        possessive = token.lower in closed.POSSESSIVES
        if possessive or token.lower in closed.PERSONAL:
            role = Role.OF if possessive else token.role
            yield Word(token.text, token.lower, Kind.NOUN, role, token.start, token.end, token.clause)


def _placed(figure: Figure, by_start: dict[int, Token]) -> Figure:
    token = by_start.get(figure.start)
    role = figure.role if figure.role is not Role.OTHER or token is None else token.role
    return replace(figure, clause=token.clause if token else 0, role=role)
