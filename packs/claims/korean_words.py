"""The words of a Korean sentence while it is read, and what is settled once a clause is complete."""

from dataclasses import dataclass, field, replace

from packs.claims.lexicon import lexicon, word_list
from packs.claims.parsed import Clause, Kind, Mood, Role

_NEGATING_VERBS = word_list("korean", "negating_verbs")


# 적용 대상, 부과 범위: what is excluded is said by the word before them.
_HEADS = frozenset({"대상", "범위", "목록", "명단", "항목"})


@dataclass
class KoreanWord:
    text: str
    lemma: str
    kind: Kind
    start: int
    end: int
    role: Role = Role.OTHER
    negated: bool = False
    passive: bool = False
    clause: int = -1
    particle: str = ""


@dataclass
class Reading:
    words: list[KoreanWord] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    first: int = 0
    """The first word that belongs to no clause yet."""
    mood: Mood = Mood.STATED
    quantifiers: list[tuple[str, int]] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)


def turn_negated(words: list[KoreanWord]) -> None:
    """연장을 거부하다 is no 연장, 적용 대상에서 제외되다 no 적용: the noun before such a verb is turned round."""
    for place, verb in enumerate(words):
        if verb.role is not Role.PREDICATE or verb.lemma not in _NEGATING_VERBS:
            continue
        for word in reversed(words[:place]):
            if word.clause != verb.clause:
                break
            if word.kind is Kind.NOUN and word.lemma not in _HEADS:
                word.negated = not word.negated
                break


def resolve_roles(words: list[KoreanWord]) -> None:
    """Topics become subject or object; the passive turns both round; 에서 beside 로 is where something comes from."""
    passive = any(word.passive for word in words)
    roles = {word.role for word in words}
    verb = next((word for word in reversed(words) if word.role is Role.PREDICATE), None)
    active_verb = verb is not None and verb.kind is Kind.VERB and not passive
    for word in words:
        if word.role is Role.TOPIC:
            if Role.SUBJECT in roles and Role.OBJECT not in roles and active_verb:
                word.role = Role.OBJECT
            elif Role.SUBJECT not in roles:
                word.role = Role.SUBJECT
        if word.role is Role.PLACE and Role.TO in roles and word.text and words and _is_from(word):
            word.role = Role.FROM
    if passive:
        agents = [word for word in words if word.particle in ("에게", "한테", "께")]
        for word in words:
            if word.role is Role.SUBJECT:
                word.role = Role.OBJECT
        for word in agents:
            word.role = Role.SUBJECT


def _is_from(word: KoreanWord) -> bool:
    return word.role is Role.PLACE


def with_phrases(words: list[KoreanWord]) -> list[KoreanWord]:
    """Phrases of the lexicon: a noun and its verb (`손을 들어주다`, `뒤를 잇다`) as one word."""
    phrases = lexicon("ko").phrases
    merged: list[KoreanWord] = []
    place = 0
    while place < len(words):
        word = words[place]
        for parts in phrases.get(word.lemma, ()):
            window = words[place : place + len(parts)]
            if [each.lemma for each in window] == list(parts):
                merged.append(replace(window[-1], lemma="_".join(parts), start=word.start, text=word.text))
                place += len(parts)
                break
        else:
            merged.append(word)
            place += 1
    return merged
