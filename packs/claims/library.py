"""The sources as passages that can be looked up. A passage is taken apart only when a claim comes near it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from packs.claims.english import parse_english
from packs.claims.english_words import PERSONS
from packs.claims.korean import parse_korean
from packs.claims.lexicon import word_list
from packs.claims.parsed import Kind, Parsed, Role, Word
from packs.claims.tables import row_readings
from packs.text.morphemes import inconsistent_names, proper_names
from packs.text.sentences import sentence_spans

NEAREST = 6
_FEW = 40
_CONTEXT_BEFORE, _CONTEXT_AFTER = 2, 1
_ANTECEDENT_WITHIN = 3
_BODY_WITHIN = 8
_JOINED_WITHIN = 2
# In the passive the subject is what something is done to.
_SPOKEN_OF = (Role.SUBJECT, Role.OBJECT)
_MAX_PARSED_CHARS = 1_200
_MAX_NAMED_CHARS = 100_000
_MAX_READ_FOR_NAMES = 6_000
_KEY = re.compile(r"[가-힣]+|[A-Za-zÀ-ɏ]+|[0-9][0-9.,]*")
_COMMON = (
    word_list("english", "articles")
    | word_list("english", "be")
    | frozenset(("of", "in", "on", "at", "to", "and", "or", "it", "for", "by"))
)
_CAPITAL = re.compile(r"(?<![.!?:\"“|\n] )(?<!^)\b[A-Z][A-Za-z]+")


@dataclass(frozen=True)
class Source:
    index: int
    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Passage:
    index: int
    source: Source
    start: int
    text: str
    reading: str = ""
    """What is taken apart instead of the text: the row of a table with its heading, two sentences as one."""

    @property
    def read_as(self) -> str:
        return self.reading or self.text


def is_korean(text: str) -> bool:
    """Whether Korean syllables carry the text."""
    korean = sum("가" <= character <= "힣" for character in text)
    latin = sum(character.isascii() and character.isalpha() for character in text)
    return korean * 2 >= latin and korean > 0


@lru_cache(maxsize=4_000)
def parse(text: str, names: frozenset[str] = frozenset()) -> Parsed:
    shown = text[:_MAX_PARSED_CHARS]
    return parse_korean(shown, names) if is_korean(shown) else parse_english(shown, names)


def keys(text: str) -> frozenset[str]:
    """Beginnings of words: enough to find where a claim could be answered."""
    found = set()
    for match in _KEY.finditer(text):
        word = match.group().lower()
        if word not in _COMMON:
            found.add(word[:2] if "가" <= word[0] <= "힣" else word[:5])
    return frozenset(found)


def _sentences(text: str) -> Iterator[tuple[int, str, str]]:
    """Start, text and reading of every sentence."""
    spans = list(sentence_spans(text))
    written = [text[start:end] for start, end in spans]
    readings = row_readings(written) if "|" in text else written
    for (start, _), sentence, reading in zip(spans, written, readings, strict=True):
        yield start, sentence, reading if reading != sentence else ""


def _can_stand_for(pronoun: Word, word: Word) -> bool:
    """`she` is somebody with a name, `it` is no plural."""
    if pronoun.lemma in PERSONS:
        return word.kind is Kind.NAME
    plural = word.kind is Kind.NOUN and word.text.lower() != word.lemma and word.text.endswith("s")
    return not (plural and pronoun.lemma in ("it", "its"))


_STANDS_FOR_TITLE = word_list("english", "stands_for_title")
_ASIDE = re.compile(r"\s?\([^()]*\)")


def _speaks_of_title(word: Word, parsed: Parsed) -> bool:
    """ "The film holds …" under the title of the film: the noun alone, behind an article."""
    return (
        word.lemma in _STANDS_FOR_TITLE
        and word.kind is Kind.NOUN
        and word.head < 0
        and parsed.text[: word.start].lower().endswith(("the ", "this "))
        and not parsed.text[word.end :].startswith(" of ")
    )


_BODIES = word_list("english", "bodies") | word_list("korean", "bodies")
_REPORTING = word_list("english", "reporting_verbs") | word_list("korean", "reporting_verbs")


def _stands_for_body(word: Word, parsed: Parsed) -> bool:
    """ "The company" and 회사는 at the beginning of a clause, without a word that says which company."""
    if word.lemma not in _BODIES or word.kind is not Kind.NOUN or word.head >= 0:
        return False
    if word.role not in (Role.SUBJECT, Role.TOPIC):
        return False
    before = parsed.text[: word.start].lower()
    if parsed.language == "en":
        return before.endswith(("the ", "this ")) and not parsed.text[word.end :].startswith(" of ")
    return before.strip() in ("", "이") or before.rstrip().endswith((",", "고", "며", "지만"))


def parsed_language(passage: Passage) -> str:
    return "ko" if is_korean(passage.text) else "en"


class Library:
    def __init__(self, sources: Sequence[Source], max_passages: int, claims: str = "") -> None:
        """`claims`: the text that will be held against the sources; names are recognised in both together."""
        self.sources = tuple(sources)
        self._claims = claims
        every = [(source, *span) for source in sources for span in _sentences(source.text)]
        self.left_out = max(0, len(every) - max_passages)
        self.passages = tuple(Passage(index, *each) for index, each in enumerate(every[:max_passages]))
        self._parsed: dict[int, Parsed] = {}
        self._index: dict[str, list[int]] = defaultdict(list)
        for passage in self.passages:
            for key in keys(passage.read_as):
                self._index[key].append(passage.index)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words written with a capital within a sentence: at the beginning of another they are names as well.

        In Korean, words that stand with several particles and that the analyser does not know.
        """
        texts = [*(source.text for source in self.sources), self._claims]
        capitals = frozenset(match.group() for source in self.sources for match in _CAPITAL.finditer(source.text))
        whole = "\n".join([self._claims, *texts[:-1]])
        known = proper_names(whole[:_MAX_READ_FOR_NAMES]) if is_korean(self._claims) else frozenset()
        return capitals | inconsistent_names("\n".join(texts)[:_MAX_NAMED_CHARS]) | known

    def near(self, claim: str, wanted: Iterable[int]) -> list[Passage]:
        """The passages of the wanted sources that share most with a claim; rare words count more."""
        sources = set(wanted)
        points: Counter[int] = Counter()
        for key in sorted(keys(claim)):
            places = self._index.get(key, ())
            for place in places:
                if self.passages[place].source.index in sources:
                    points[place] += 1_000 // (10 + len(places))
        mine = (
            [passage for passage in self.passages if passage.source.index in sources]
            if len(self.passages) <= 4 * _FEW
            else []
        )
        if mine and len(mine) <= _FEW:
            return sorted(mine, key=lambda passage: (-points[passage.index], passage.index))
        ranked = sorted(points.items(), key=lambda pair: (-pair[1], pair[0]))[:NEAREST]
        return [self.passages[place] for place, _ in ranked]

    def parsed(self, passage: Passage) -> Parsed:
        """The passage taken apart, its pronouns read as the subject of the sentence before."""
        if passage.index not in self._parsed:
            self._parsed[passage.index] = self._with_antecedents(passage, parse(passage.read_as, self.names))
        return self._parsed[passage.index]

    def _with_antecedents(self, passage: Passage, parsed: Parsed) -> Parsed:
        first = min((word.start for word in parsed.words if word.role is Role.SUBJECT), default=len(parsed.text))
        # "Dana sold her car when she moved": a subject of its own stands before the pronoun.
        open_ones = [each for each in parsed.pronouns if each.start < first]
        if passage.source.title and parsed.language == "en":
            open_ones += [word for word in parsed.words if _speaks_of_title(word, parsed)]
        bodies = [(word, self._body(passage)) for word in parsed.words if _stands_for_body(word, parsed)]
        added = [
            replace(
                word,
                role=pronoun.role,
                start=pronoun.start,
                end=pronoun.end,
                clause=pronoun.clause,
                head=-1,
                attached=-1,
            )
            for pronoun, names in (*((each, self._antecedent(passage, each)) for each in open_ones), *bodies)
            for word in names
        ]
        if not added:
            return parsed
        return replace(parsed, words=tuple(sorted((*parsed.words, *added), key=lambda word: word.start)))

    def _antecedent(self, passage: Passage, pronoun: Word) -> list[Word]:
        """The subject of the nearest sentence before that the pronoun can stand for."""
        for index in range(passage.index - 1, max(-1, passage.index - 1 - _ANTECEDENT_WITHIN), -1):
            other = self.passages[index]
            if other.source.index != passage.source.index:
                break
            words = self.parsed(other).words
            clauses = [each.index for each in self.parsed(other).clauses if each.main]
            subjects = [
                word
                for word in words
                if word.clause in clauses[:1]
                and word.kind in (Kind.NAME, Kind.NOUN)
                and word.role in _SPOKEN_OF
                and not word.negated
            ]
            verb = next((word.start for word in words if word.role is Role.PREDICATE), len(other.text))
            subjects = [word for word in subjects if word.role is Role.SUBJECT or word.start < verb]
            if any(_can_stand_for(pronoun, word) for word in subjects):
                return subjects
        return self._title_names(passage) if parsed_language(passage) == "en" else []

    def _body(self, passage: Passage) -> list[Word]:
        """Whom "the company" means: the only one that the sentences before name as somebody who does something.

        Who only says something may be a person.
        """
        found: dict[frozenset[str], list[Word]] = {}
        for other in self.passages[: passage.index]:
            if other.source.index != passage.source.index:
                continue
            parsed = self.parsed(other)
            for clause in parsed.clauses:
                words = parsed.clause_words(clause.index)
                named = [word for word in words if word.kind is Kind.NAME and word.role is Role.SUBJECT]
                says = any(word.role is Role.PREDICATE and word.lemma in _REPORTING for word in words)
                if named and clause.main and not says and not any(word.negated for word in named):
                    found.setdefault(frozenset(word.lemma for word in named), named)
        return next(iter(found.values())) if len(found) == 1 else []

    def _title_names(self, passage: Passage) -> list[Word]:
        """What a source is about, where no sentence before names it."""
        title = _ASIDE.sub("", passage.source.title)
        words = parse(title, self.names).words if title else ()
        return [word for word in words if word.kind is Kind.NAME]

    def joined(self, passages: Sequence[Passage]) -> list[Passage]:
        """Neighbouring sentences read as one, for arithmetic that needs figures of both."""
        chosen = sorted(passages[:NEAREST], key=lambda passage: passage.index)
        found = []
        for place, one in enumerate(chosen):
            for two in chosen[place + 1 :]:
                if one.source is two.source and two.index - one.index <= _JOINED_WITHIN:
                    text = one.source.text[one.start : two.start + len(two.text)]
                    reading = one.read_as.rstrip(" .") + "; " + two.read_as
                    found.append(Passage(one.index, one.source, one.start, text, reading))
        return found

    def around(self, passage: Passage) -> list[Parsed]:
        """The sentences around a passage. The other rows of a table speak of other things."""
        first, last = passage.index - _CONTEXT_BEFORE, passage.index + _CONTEXT_AFTER
        return [
            self.parsed(other)
            for other in self.passages[max(0, first) : last + 1]
            if other.index != passage.index
            and other.source.index == passage.source.index
            and not (passage.reading and other.reading)
        ]

    def context(self, passage: Passage) -> list[Word]:
        """The words of the sentences around a passage and of its title."""
        words = [word for other in self.around(passage) for word in other.words]
        return words + list(parse(passage.source.title, self.names).words if passage.source.title else ())
