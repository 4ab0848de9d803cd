"""Hard conditions read from the input: limits, deadlines, requirements, exclusions. Reading only; checking is apart.

A condition counts as hard where its words bind (must, at most, ruled out, 반드시, 이내) and no word makes it a wish
(ideally, if possible, 가급적). A sentence that binds and could not be read goes on the list of what was not read.
"""

import re
from collections.abc import Iterator
from datetime import date

from packs.decision.brief import Brief, Leaf, normalise
from packs.decision.conditions import wording
from packs.decision.conditions.clauses import clause_naming, clauses_of, without_wishes
from packs.decision.conditions.deadlines import DeadlineReader, is_deadline_key
from packs.decision.conditions.limits import PEOPLE, LimitReader, is_limit_key
from packs.decision.conditions.model import Constraint, Reading, Sentence, Unread
from packs.decision.conditions.negation import denies
from packs.decision.conditions.option_statements import OptionStatement, option_statements, pieces_of
from packs.decision.conditions.requirements import RequirementReader, topic_of
from packs.decision.evidence import Evidence, Material, mention_of, named_in, quotation
from packs.decision.facts import FactBook
from packs.decision.naming import overlap
from packs.decision.prose_values import sentences_about_options
from packs.decision.readings import quantities_in, verbatim
from packs.text.bounds import Bound
from packs.text.dates import find_dates
from packs.text.sentences import sentence_spans

_CONSTRAINT_KEYS = re.compile(
    r"constraint|require|must|rule|polic|condition|limit|criteri(?:on|a)_hard|제약|조건|필수|요건|규정|제한|정책|원칙",
    re.IGNORECASE,
)
_ABOUT_KEYS = ("attribute", "criterion", "field", "name", "on", "항목", "기준", "속성")
_MAX_KEYS = ("max", "maximum", "at most", "lte", "<=", "before", "until", "최대", "상한", "이하")
_MIN_KEYS = ("min", "minimum", "at least", "gte", ">=", "after", "최소", "하한", "이상")
_OPERATOR_KEYS = ("operator", "op", "comparison", "relation", "연산자", "비교")
_VALUE_KEYS = ("value", "limit", "amount", "threshold", "값", "기준값", "한도")
_OPERATORS = {
    **dict.fromkeys(("<=", "<", "≤", "lte", "lt", "at most", "max", "less than", "이하", "미만", "이내"), "max"),
    **dict.fromkeys((">=", ">", "≥", "gte", "gt", "at least", "min", "more than", "이상", "초과"), "min"),
    **dict.fromkeys(("!=", "≠", "not", "ne", "제외"), "not"),
}
# People whose no rules something out.
_AUTHORITY = re.compile(
    r"\b(?:insur(?:er|ers|ance)|board|council|regulators?|authorit(?:y|ies)|ministry|legal|lawyers?|compliance|auditors?|landlord"
    r"|union|committee|court|government|police|head office|headquarters|management|owners?|security"
    r"|inspectors?|doctor|law|rules?"
    r"|policy|regulations?|statute|permit|safety)\b"
    r"|이사회|본사|보험사|당국|위원회|법무|감사|노조|정부|구청|시청|법원|발주처|건물주|경영진|보안팀|법률|규정|지침|조례|정책",
    re.IGNORECASE,
)
_DEMANDED = re.compile(
    r"\b(?:requires?|required|must|mandatory|obligatory|insists?|need(?:s|ed)?|admits?)\b|필수|의무|요구|반드시|꼭",
    re.IGNORECASE,
)
_EXCLUSION_KEYS = re.compile(
    r"^(?:exclu|reject|banned|blacklist|block|ruled_out|not_allowed)|제외|배제"
    r"|탈락|금지",
    re.IGNORECASE,
)
_SHORT_TEXT = 500
# Longer than this, it is no sentence that anybody wrote: a condition in it is named, not read.
_MAX_SENTENCE_CHARS = 3_000


def read_constraints(material: Material, book: FactBook, today: date) -> Reading:
    reader = _Reader(material.brief, book, today, option_statements(material))
    for sentence in sentences_of(material):
        reader.sentence(sentence)
        reader.remember(sentence)
    for leaves in _typed_entries(material.brief).values():
        reader.entry(leaves)
    return reader.result


def sentences_of(material: Material) -> Iterator[Sentence]:
    """Every sentence that may state a condition. Pages are evidence of facts, and bind nobody."""
    brief = material.brief
    yield from (Sentence(text, brief.question_pointer) for text in _split(brief.question))
    for criterion in brief.criteria:
        if criterion.pointer is not None:
            yield Sentence(criterion.name, f"{criterion.pointer}", key="criterion")
    paths = {leaf.pointer: leaf.path for leaf in brief.context}
    for passage in material.texts:
        if passage.url is not None:
            continue
        if len(passage.text) <= _SHORT_TEXT and wording.addresses_the_reader(passage.text):
            yield Sentence(passage.text, passage.pointer)  # a short text that gives orders is one order
            continue
        path = paths.get(passage.pointer, ())
        hard = any(_CONSTRAINT_KEYS.search(token) for token in path)
        key = next((token for token in reversed(path) if not token.isdecimal()), "")
        for given, named, owner in sentences_about_options(brief, passage):
            text = given.lstrip("-*•· \t")
            # `The vendor needs five months` goes on about whom the sentence before named.
            goes_on = not named and not hard and not wording.STRONG.search(text)
            about = owner if passage.about is not None or goes_on else None
            if text:
                yield Sentence(text, passage.pointer, hard, key, about)
    for leaf in brief.context:
        numeric = isinstance(leaf.value, int | float) and not isinstance(leaf.value, bool)
        if numeric and leaf.path and is_limit_key(leaf.path[-1]):
            yield Sentence(verbatim(leaf.value), leaf.pointer, True, leaf.path[-1])


def _split(text: str) -> Iterator[str]:
    for start, end in sentence_spans(text):
        piece = text[start:end].lstrip("-*•· \t")
        if piece:
            yield piece


def _typed_entries(brief: Brief) -> dict[str, list[Leaf]]:
    """`{"attribute": "price", "max": 500}` under a key that names conditions: leaves by their common parent."""
    entries: dict[str, list[Leaf]] = {}
    for leaf in brief.context:
        if len(leaf.path) >= 2 and any(_CONSTRAINT_KEYS.search(token) for token in leaf.path[:-1]):
            entries.setdefault(leaf.pointer.rpartition("/")[0], []).append(leaf)
    return {pointer: leaves for pointer, leaves in entries.items() if len(leaves) >= 2}


class _Reader:
    def __init__(self, brief: Brief, book: FactBook, today: date, statements: list[OptionStatement]) -> None:
        self.brief, self.book, self.today = brief, book, today
        self.result = Reading(statements=statements)
        self._limits = LimitReader(brief, book, today)
        self._deadlines = DeadlineReader(brief, book, today)
        self._requirements = RequirementReader(brief, book, statements)

    def remember(self, given: Sentence) -> None:
        if len(given.text) <= _MAX_SENTENCE_CHARS:
            self._deadlines.remember(given.text)

    def sentence(self, given: Sentence) -> None:
        if wording.addresses_the_reader(given.text):
            self.result.instructions.append(given.pointer)
            return
        if len(given.text) > _MAX_SENTENCE_CHARS:
            if given.hard or wording.STRONG.search(given.text):
                self.result.unread.append(Unread(given.pointer, quotation(given.text), binding=True))
            return
        text = without_wishes(given.text)
        if not text:
            return
        if given.about is not None:
            self._earliest(text, given, [given.about])
            return
        named = named_in(self.brief, text)
        if not self._binds(text, given) and not (named and (wording.excludes_by_name(text) or denies(text))):
            return
        if named and self._earliest(text, given, named):
            return
        found = [*self._deadlines.read(text, given), *self._limits.read(text, given, named)]
        if named and _EXCLUSION_KEYS.search(given.key):
            evidence = Evidence(given.pointer, quotation(text))
            found.append(Constraint("excluded", evidence, words=text, options=tuple(named)))
        elif named:
            found += self._exclusion(text, given, named)
        # What is said of one option is a fact about it, unless it is said as a rule.
        may_require = self._may_require(given) and (not named or wording.STRONG.search(text) is not None)
        if not found and may_require:
            found += self._requirements.read(text, given)
        elif found and may_require:
            found += self._requirements.read_beside(self._without_figures(text), given)
        if not found and named:
            found = self._rules_beside_facts(text, given)
        self.result.constraints += found
        asked = given.pointer == self.brief.question_pointer
        if not found:
            unread = given.hard or wording.STRONG.search(text) is not None
        else:
            unread = any(self._is_left_over(piece, found) for piece in clauses_of(text))
        if unread and not asked:
            self.result.unread.append(Unread(given.pointer, quotation(given.text), binding=True))

    def _is_left_over(self, clause: str, found: list[Constraint]) -> bool:
        """A binding clause that nothing read from the sentence speaks of: 예산은 6천만원이고 5인승이어야 한다."""
        topic = topic_of(clause)
        if wording.STRONG.search(clause) is None or named_in(self.brief, clause) or not topic:
            return False
        if len(topic) < 2 and not quantities_in(clause, self.today):
            return False  # `and that is not negotiable`
        return not any(self._speaks_in(each, clause) for each in found)

    def _speaks_in(self, constraint: Constraint, clause: str) -> bool:
        if constraint.kind == "deadline":
            return bool(find_dates(clause, self.today)) or constraint.words in clause
        if constraint.limit is not None and constraint.limit.text in clause:
            return True
        spoken = constraint.subject and overlap(constraint.subject, clause) > 0
        return (
            bool(spoken)
            or any(normalise(value) in normalise(clause) for value in constraint.values)
            or (constraint.kind in ("excluded", "required") and not constraint.subject)
        )

    def _rules_beside_facts(self, text: str, given: Sentence) -> list[Constraint]:
        """`Tolk has not signed, and nobody without a signature gets papers`: a clause that names nobody is a rule."""
        rules = [piece for piece in pieces_of(text) if not named_in(self.brief, piece) and wording.is_hard(piece)]
        return [found for piece in rules for found in self._requirements.read(piece, given)]

    def _without_figures(self, text: str) -> str:
        """The clauses of a sentence that give no figure: one sentence may set a limit and require something."""
        pieces = clauses_of(text)
        return ", ".join(piece for piece in pieces if not quantities_in(piece, self.today) and wording.is_hard(piece))

    def _binds(self, text: str, given: Sentence) -> bool:
        if given.key == "criterion":
            return re.search(r"[0-9]|필수|must|required", text) is not None
        placed = given.hard or is_limit_key(given.key) or is_deadline_key(given.key)
        placed = placed or _EXCLUSION_KEYS.search(given.key) is not None
        return (
            placed
            or wording.is_hard(text)
            or self._limits.refuses(text)
            or self._limits.names_an_attribute(text)
            or (denies(text) and bool(quantities_in(text, self.today)))
            or self._requirements.speaks_of_a_lack(text)
            or self._requirements.refuses_a_value(text)
            or self._limits.bounds_an_attribute(text, given)
            or self._limits.demands_a_number(text, given)
            or self._counts_heads(text)
            or wording.BUDGET.search(text) is not None
        )

    def _counts_heads(self, text: str) -> bool:
        """How many people there are is said for the sake of what has to hold them."""
        return any(quantity.unit in PEOPLE for quantity in quantities_in(text, self.today))

    def _may_require(self, given: Sentence) -> bool:
        placed = given.hard or given.key == "criterion"
        refused = self._requirements.speaks_of_a_lack(given.text) or self._requirements.refuses_a_value(given.text)
        return placed or refused or wording.is_hard(given.text)

    def _earliest(self, text: str, given: Sentence, named: list[int]) -> bool:
        found = self._deadlines.earliest(text, given, named)
        if found:
            self.result.earliest.setdefault(named[0], []).extend(found)
        return bool(found)

    def _exclusion(self, text: str, given: Sentence, named: list[int]) -> Iterator[Constraint]:
        rejected = []
        for i in named:
            clause = clause_naming(text, self.brief.options[i])
            unsure = wording.CONDITIONAL.search(clause) or any(quantity.bound for quantity in quantities_in(clause))
            if (wording.excludes_by_name(clause) or self._refused(text, clause)) and not unsure:
                rejected.append(i)
        if rejected and len(rejected) < len(self.brief.options):
            at = mention_of(self.brief.options[rejected[0]], text)
            evidence = Evidence(given.pointer, quotation(text, max(at, 0)))
            yield Constraint("excluded", evidence, words=text, options=tuple(rejected))

    def _refused(self, text: str, clause: str) -> bool:
        """It lacks what is demanded, or somebody who may refuse it does so: `the insurer will not cover Orbit`."""
        if wording.is_denied_exclusion(text) or not denies(clause):
            return False
        return _DEMANDED.search(text) is not None or _AUTHORITY.search(text) is not None

    def entry(self, leaves: list[Leaf]) -> None:
        """A typed condition: which attribute, and `max`, `min`, `before`, `required` or `not`."""
        named = {normalise(leaf.path[-1]): leaf for leaf in leaves}
        about = next((named[key] for key in _ABOUT_KEYS if key in named), None)
        if about is None:
            return
        subject = self.book.matching(verbatim(about.value))
        operator = next(
            (_OPERATORS.get(normalise(verbatim(leaf.value))) for key, leaf in named.items() if key in _OPERATOR_KEYS),
            None,
        )
        for key, leaf in named.items():
            if leaf is not about and key not in _OPERATOR_KEYS:
                self.result.constraints += self._typed(
                    operator if operator and key in _VALUE_KEYS else key, leaf, subject
                )

    def _typed(self, key: str, leaf: Leaf, subject: str) -> Iterator[Constraint]:
        side: Bound = "at_most" if key in _MAX_KEYS else "at_least" if key in _MIN_KEYS else ""
        value = verbatim(leaf.value)
        evidence = Evidence(leaf.pointer, quotation(value))
        if side and (days := [span for span in find_dates(value, self.today) if span.last is not None]):
            yield Constraint("deadline", evidence, subject, "", None, side, days[0].last)
        elif side and (found := quantities_in(value, self.today)):
            yield Constraint("limit", evidence, subject, subject, found[0], side)
        elif key in ("required", "must", "필수") and isinstance(leaf.value, bool):
            yield Constraint("required", evidence, subject, subject, wanted=leaf.value)
        elif key in ("not", "exclude", "excluded", "제외"):
            yield Constraint("value", evidence, subject, subject, wanted=False, values=(value,))
