"""What the sources say about one claim."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain

from packs.claims.alignment import Alignment, align
from packs.claims.compare import same_kind
from packs.claims.comparison import compares
from packs.claims.crosswise import crosswise
from packs.claims.figure_checks import Agreement, check_figures
from packs.claims.findings import Computation, Conflict, Obstacle, Settled
from packs.claims.library import Library, Passage, Source, is_korean, parse
from packs.claims.listing import decide, passage_of
from packs.claims.parsed import Clause, Figure, Kind, Parsed, Role, Word
from packs.claims.quotes import altered, plain, quotations_of, without_quotations
from packs.claims.word_checks import check_words
from packs.text.dates import DateSpan


class Status(StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    PARTLY = "partly"
    NOT_VERIFIED = "not_verified"
    NOT_IN_SOURCES = "not_in_sources"


@dataclass(frozen=True)
class Verdict:
    status: Status
    code: str
    """Why: the kind of conflict or obstacle, `ALIGNED`, `WRONG_CITATION`, `PARTS_DIFFER`."""
    claimed: str = ""
    found: str = ""
    passage: Passage | None = None
    computations: tuple[Computation, ...] = ()
    share: float = 0.0
    parts: tuple["Verdict", ...] = ()
    part: str = ""


@dataclass
class Reading:
    passage: Passage
    alignment: Alignment
    conflicts: list[Conflict] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)
    computations: list[Computation] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)

    @property
    def supports(self) -> bool:
        return not self.conflicts and not self.obstacles and _anchored(self.alignment)

    @property
    def contradicts(self) -> bool:
        if not self.conflicts or not _anchored(self.alignment):
            return False
        codes = {conflict.code for conflict in self.conflicts}
        if "NAME" in codes and len(codes) > 1:
            return False  # somebody else, doing something else: another event
        involved = {part for conflict in self.conflicts for part in conflict.claimed.split()}
        open_words = [each for each in self.obstacles if each.code == "WORD" and each.part not in involved]
        elsewhere: tuple[str, ...] = ("ROLES", "CLAUSE", "SUBJECT") if "CONTRAST" in codes else ()
        # Every word is there, and the figure excludes it; in Korean particles tell the roles whatever the clause.
        if codes == {"FIGURE"} or (codes == {"ROLES"} and self.alignment.claim.language == "ko"):
            elsewhere = (*elsewhere, "CLAUSE")
        if codes == {"OPPOSITE"}:
            elsewhere = (*elsewhere, "COMPARISON")
        if "TIME" in codes:
            elsewhere = (*elsewhere, "MOOD", "TIME")
        if "NAME" in codes:
            elsewhere = (*elsewhere, "SUBJECT")
        blocking = [each for each in self.obstacles if each.code not in elsewhere and each.code not in _NEVER_SPARES]
        return not blocking and not open_words


_NEVER_SPARES = frozenset(
    ("WORD", "ATTRIBUTION", "QUANTIFIER", "NARROWER", "FIGURE", "DATE", "NEIGHBOUR", "MODIFIER", "DIRECTION")
)
"""What a passage leaves open beside a conflict: the claim is false all the same."""

_MARK = re.compile(r"\s?\[[A-Za-z0-9_-]{1,20}\]")
_IN_SOURCES_FROM = 0.5


def _anchored(alignment: Alignment) -> bool:
    """Half of the claim lies in the passage itself, and its verbs do."""
    if any(pair.in_context for pair in alignment.pairs if pair.claimed.kind is Kind.VERB):
        return False
    return bool(alignment.pairs) and alignment.share >= 0.5


def judge(text: str, wanted: Sequence[int], library: Library) -> Verdict:
    """`wanted`: the sources that may speak for the claim."""
    claim_text = _MARK.sub("", text).strip()
    quotes = quotations_of(claim_text)
    if quotes:
        return _quoted(claim_text, quotes, wanted, library)
    found = _listed(claim_text, wanted, library) or _judged(claim_text, wanted, library)
    if found.status in (Status.NOT_VERIFIED, Status.NOT_IN_SOURCES, Status.CONTRADICTED):
        others = [source.index for source in library.sources if source.index not in set(wanted)]
        if others:
            elsewhere = _judged(claim_text, others, library)
            if elsewhere.status is Status.SUPPORTED:
                return replace(elsewhere, status=Status.PARTLY, code="WRONG_CITATION")
    return found


def _listed(text: str, wanted: Sequence[int], library: Library) -> Verdict | None:
    """What a table or a list of figures decides by itself."""
    decided = decide(parse(text, library.names), wanted, library)
    passage = passage_of(decided.listing, library) if decided is not None else None
    if decided is None or passage is None:
        return None
    if decided.right:
        shown = (Computation(text, decided.arithmetic),)
        return Verdict(Status.SUPPORTED, "COMPUTED", passage=passage, computations=shown, share=1.0)
    return Verdict(Status.CONTRADICTED, "COMPARISON", text, decided.arithmetic, passage, share=1.0)


def _judged(text: str, wanted: Sequence[int], library: Library) -> Verdict:
    claim = parse(text, library.names)
    passages = [
        passage for passage in library.near(text, wanted) if is_korean(passage.text) == (claim.language == "ko")
    ]
    parts = _main_parts(claim)
    whole = _verdict(chain(_readings(claim, claim.words, passages, library), _computed(claim, passages, library)))
    if len(parts) < 2:
        return whole
    judged = []
    for clause, words in parts:
        reading = _verdict(_readings(claim, words, passages, library, clause))
        judged.append(replace(reading, part=text[clause.start : clause.end].strip(" ,;")))
    statuses = {each.status for each in judged}
    if statuses == {Status.SUPPORTED}:
        return replace(judged[0], parts=tuple(judged))
    exchanged = _exchanged(claim, passages, library)
    if exchanged is not None:
        return exchanged
    if statuses == {Status.CONTRADICTED}:
        return replace(judged[0], parts=tuple(judged))
    if Status.SUPPORTED in statuses or Status.CONTRADICTED in statuses:
        worst = next((each for each in judged if each.status is Status.CONTRADICTED), None) or next(
            each for each in judged if each.status is not Status.SUPPORTED
        )
        return replace(worst, status=Status.PARTLY, code="PARTS_DIFFER", parts=tuple(judged))
    # Every word is there, but no statement of the claim is: its words stand in other connections.
    return judged[0] if whole.status is Status.SUPPORTED else whole


def _exchanged(claim: Parsed, passages: Sequence[Passage], library: Library) -> Verdict | None:
    for passage in passages:
        alignment = align(claim, claim.words, library.parsed(passage), library.context(passage))
        conflict = crosswise(alignment)
        if conflict is not None:
            return Verdict(
                Status.CONTRADICTED, conflict.code, conflict.claimed, conflict.found, passage, share=alignment.share
            )
    return None


def opposed(one: Parsed, other: Parsed) -> Conflict | None:
    """Why at most one of two statements can be true, or None. Different times are no conflict."""
    if one.language != other.language or not one.words:
        return None
    alignment = align(one, one.words, other, ())
    if (alignment.missing and len(alignment.missing) > 1) or alignment.share < _IN_SOURCES_FROM:
        return None
    passage = Passage(0, Source(0, "", "", ""), 0, other.text)
    reading = read_closely(Reading(passage, alignment), one.figures, one.dates)
    dated = bool(one.dates) != bool(other.dates)
    if (
        dated
        or any(conflict.code in ("DATE", "NAME", "ROLES") for conflict in reading.conflicts)
        or not reading.contradicts
    ):
        return None
    return reading.conflicts[0]


def _main_parts(claim: Parsed) -> list[tuple[Clause, list[Word]]]:
    """The claim's statements. Dependent clauses go with the statement before them; a subject is inherited."""
    parts: list[tuple[Clause, list[Word]]] = []
    waiting: list[Word] = []
    for clause in claim.clauses:
        words = list(claim.clause_words(clause.index))
        if not clause.main:
            if parts:
                parts[-1][1].extend(words)
                parts[-1] = (replace(parts[-1][0], end=clause.end), parts[-1][1])
            else:
                waiting += words
            continue
        if parts and not any(word.role in (Role.SUBJECT, Role.TOPIC) for word in words):
            subjects = [word for word in parts[0][1] if word.role in (Role.SUBJECT, Role.TOPIC)]
            words = [replace(word, clause=clause.index) for word in subjects] + words
        if words:
            parts.append((clause, waiting + words))
            waiting = []
    return parts


def _readings(
    claim: Parsed, words: Sequence[Word], passages: Sequence[Passage], library: Library, clause: Clause | None = None
) -> Iterator[Reading]:
    figures = tuple(each for each in claim.figures if clause is None or clause.start <= each.start < clause.end)
    dates = tuple(each for each in claim.dates if clause is None or clause.start <= each.start < clause.end)
    if not words and not figures:
        return
    for passage in passages:
        alignment = align(claim, words, library.parsed(passage), library.context(passage))
        alignment.around = tuple(library.around(passage))
        yield read_closely(Reading(passage, alignment), figures, dates)


def _computed(claim: Parsed, passages: Sequence[Passage], library: Library) -> Iterator[Reading]:
    """Sums and differences over two sentences. They can confirm a claim; what else the sentences say does not count."""
    if not claim.figures and not compares(claim):
        return
    for passage in library.joined(passages):
        alignment = align(claim, claim.words, parse(passage.read_as, library.names), library.context(passage))
        reading = read_closely(Reading(passage, alignment), claim.figures, claim.dates)
        if (
            reading.supports
            and reading.computations
            and not any("/" in each.arithmetic for each in reading.computations)
            and not _compares_a_total(reading)
        ):
            yield reading


_REST = re.compile(r"\bthe (?:rest|remaind)|\bremaining\b|나머지|(?<![가-힣])남은", re.IGNORECASE)


def _compares_a_total(reading: Reading) -> bool:
    """Where one side is "the rest", its figure is not written: the larger one written is the total."""
    return bool(_REST.search(reading.passage.text)) and any(
        set(each.arithmetic) & set("<>") for each in reading.computations
    )


def read_closely(reading: Reading, figures: tuple[Figure, ...], dates: tuple[DateSpan, ...]) -> Reading:
    alignment = reading.alignment
    for finding in (*check_words(alignment), *check_figures(alignment, figures, dates)):
        if isinstance(finding, Conflict):
            reading.conflicts.append(finding)
        elif isinstance(finding, Obstacle):
            reading.obstacles.append(finding)
        elif isinstance(finding, Agreement):
            reading.agreements.append(finding)
        elif isinstance(finding, Settled):
            alignment.settled.add(finding.word)
            reading.obstacles = [each for each in reading.obstacles if each != Obstacle("WORD", finding.word)]
        else:
            reading.computations.append(finding)
    if reading.computations and figures:
        # Arithmetic that fits accounts for the total it speaks of, and for figures of another clause.
        settled = ["QUANTIFIER", "CLAUSE"]
        if any(each.compared for each in reading.computations):
            settled += ["ROLES", "MODIFIER", "TIME", "SUBJECT"]
        reading.obstacles = [each for each in reading.obstacles if each.code not in settled]
    return reading


def _verdict(readings: Iterator[Reading]) -> Verdict:
    best: Reading | None = None
    against: Reading | None = None
    agreed: dict[str, float] = {}
    for reading in readings:
        for each in reading.agreements if not reading.conflicts else ():
            agreed[each.figure.text] = max(agreed.get(each.figure.text, 0.0), reading.alignment.share)
        if reading.supports:
            return Verdict(
                Status.SUPPORTED, "COMPUTED" if reading.computations else "ALIGNED", passage=reading.passage,
                computations=tuple(reading.computations), share=reading.alignment.share,
            )  # fmt: skip
        if reading.contradicts and (against is None or reading.alignment.share > against.alignment.share):
            against = reading
        if best is None or reading.alignment.share > best.alignment.share:
            best = reading
    if against is not None and against.conflicts[0].code == "FIGURE":
        # A passage that says more of what the claim says gives this very figure: this one speaks of something else.
        closer = agreed.get(against.conflicts[0].claimed, 0.0) > against.alignment.share
        against = None if closer else against
    if against is not None:
        conflict = against.conflicts[0]
        # Several figures of one kind, some right and some wrong: `Arden has 84,000 inhabitants and Corran 61,000`.
        divided = conflict.code == "FIGURE" and any(
            _alike(each.figure, conflict, against) for each in against.agreements
        )
        return Verdict(
            Status.PARTLY if divided else Status.CONTRADICTED,
            conflict.code,
            conflict.claimed,
            conflict.found,
            against.passage,
            share=against.alignment.share,
        )
    if best is None or best.alignment.share < _IN_SOURCES_FROM:
        return Verdict(Status.NOT_IN_SOURCES, "NO_PASSAGE", share=best.alignment.share if best else 0.0)
    return _open(best)


def _alike(agreed: Figure, conflict: Conflict, reading: Reading) -> bool:
    wrong = next((each for each in reading.alignment.claim.figures if each.text == conflict.claimed), None)
    return wrong is not None and same_kind(agreed, wrong)


def _open(reading: Reading) -> Verdict:
    obstacle = next(iter(reading.obstacles), None)
    conflict = next(iter(reading.conflicts), None)
    code = obstacle.code if obstacle else conflict.code if conflict else "LOOSE"
    part = obstacle.part if obstacle else conflict.claimed if conflict else ""
    return Verdict(Status.NOT_VERIFIED, code, part, "", reading.passage, share=reading.alignment.share)


def _quoted(text: str, quotes: list[str], wanted: Sequence[int], library: Library) -> Verdict:
    bodies = [(source, plain(source.text)) for source in library.sources if source.index in set(wanted)]
    for quote in quotes:
        if any(plain(quote) in body for _, body in bodies):
            continue
        for source, _ in bodies:
            original = altered(quote, source.text)
            if original is not None:
                passage = next(
                    (each for each in library.passages if each.source is source and original[:40] in each.text), None
                )
                return Verdict(Status.CONTRADICTED, "QUOTATION", quote, original, passage, share=1.0)
        return Verdict(Status.NOT_VERIFIED, "QUOTATION", quote)
    holder = next(
        (
            each
            for each in library.passages
            if each.source.index in set(wanted) and plain(quotes[0]) in plain(each.text)
        ),
        None,
    )
    around = parse(without_quotations(text), library.names)
    if holder is None:
        return Verdict(Status.NOT_VERIFIED, "QUOTATION", quotes[0])
    rest = align(around, around.words, library.parsed(holder), library.context(holder))
    if rest.missing or any(not pair.same for pair in rest.pairs):
        open_word = rest.missing[0].text if rest.missing else rest.pairs[0].claimed.text
        return Verdict(Status.NOT_VERIFIED, "WORD", open_word, "", holder, share=rest.share)
    return Verdict(Status.SUPPORTED, "QUOTED", passage=holder, share=1.0)
