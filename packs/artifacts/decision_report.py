"""The report of a decision: the verdict, why, what speaks against it, what would change it, and what it rests on."""

from collections.abc import Iterator, Mapping
from typing import Any

from packs.artifacts.document import Bar, Bars, Block, Bullets, Heading, Paragraph, Table
from packs.artifacts.pack_reports import findings
from packs.artifacts.writer import MAX_ROWS, Writer, bullets, claims, entry_text, ledgers, percent, plain, table
from packs.base import JsonObject

MAX_VALUE_CHARS = 60
# Open points that speak against what is recommended, and those that could change it.
_AGAINST = ("CONSTRAINT_UNKNOWN", "CONSTRAINT_UNCERTAIN", "CONFLICT", "UNITS_DIFFER")
_UNREAD = ("CONSTRAINT_UNREAD", "SENTENCES_UNREAD")


def decision_report(writer: Writer) -> Iterator[Block]:
    yield writer.heading("verdict")
    yield from _verdict(writer)
    yield from _argument(writer)
    excluded = [(plain(row.get("option")), plain(row.get("reason"))) for row in writer.entries("excluded")]
    yield from table(writer, "excluded", ("option", "reason"), excluded)
    yield from _scores(writer)
    yield from _sources(writer)
    review = writer.data.get("compliance")
    if isinstance(review, dict) and review:
        yield writer.heading("compliance")
        yield from findings(Writer(review, writer.language))
    yield from claims(writer)
    yield from ledgers(writer)


def _verdict(writer: Writer) -> Iterator[Block]:
    """In words. The pack's own sentences are said again part by part below; a model's are not."""
    chosen = _chosen(writer)
    method = writer.data.get("method")
    by_model = isinstance(method, Mapping) and method.get("kind") == "language_model"
    if chosen:
        yield Paragraph(writer.label("verdict_recommended", option=chosen))
        if writer.data["recommendation"].get("conditional"):
            yield Paragraph(writer.label("verdict_conditional"))
    else:
        yield Paragraph(writer.label("verdict_undecided"))
    if by_model or not chosen or not writer.entries("scores"):
        for part in plain(writer.data.get("answer_text")).split("\n\n"):
            if part:
                yield Paragraph(part)


def _chosen(writer: Writer) -> str:
    chosen = writer.data.get("recommendation")
    return plain(chosen.get("option")) if isinstance(chosen, Mapping) else ""


def _argument(writer: Writer) -> Iterator[Block]:
    """Why, what speaks against it, and what would change it; of a result without a recommendation, what was found."""
    chosen = _chosen(writer)
    if not chosen:
        yield from bullets(writer, "findings", [plain(each) for each in writer.data.get("key_findings", [])])
        return
    rows = [row for row in writer.entries("scores") if not row.get("excluded")]
    own = next((row for row in rows if plain(row.get("option")) == chosen), None)
    others = [row for row in rows if row is not own]
    ahead, behind = _compared(writer, own, others)
    alone = not others and bool(writer.entries("excluded"))
    why = [] if alone else ahead or [plain(each) for each in writer.data.get("key_findings", [])]
    yield writer.heading("why")
    yield Bullets(tuple(why)) if why else Paragraph(writer.label("only_one_left"))
    noted = [entry_text(writer, item) for item in writer.entries("open") if item.get("kind") in _AGAINST]
    yield writer.heading("against")
    against = [*behind, *noted]
    yield Bullets(tuple(against)) if against else Paragraph(writer.label("nothing_against"))
    yield writer.heading("change")
    changes = [*_better_without_a_condition(writer, own), *_flips(writer), *_turning(writer)]
    yield Bullets(tuple(changes)) if changes else Paragraph(writer.label("nothing_changes"))


def _compared(writer: Writer, own: JsonObject | None, others: list[JsonObject]) -> tuple[list[str], list[str]]:
    """Criterion by criterion beside the best of the others: where the recommended one is ahead, and where not."""
    ahead: list[str] = []
    behind: list[str] = []
    if own is None or not others:
        return ahead, behind
    for place, cell in enumerate(own.get("criteria", [])):
        beside = [(row["criteria"][place], plain(row.get("option"))) for row in others if len(row["criteria"]) > place]
        if not beside or cell.get("basis") == "assumed":
            continue
        best, rival = max(beside, key=lambda each: each[0].get("score", 0))
        text = writer.label(
            "beside", criterion=plain(cell.get("criterion")), own=_value(cell), rival=rival, other=_value(best)
        )
        if cell.get("score", 0) > best.get("score", 0):
            ahead.append(text)
        elif cell.get("score", 0) < best.get("score", 0):
            behind.append(text)
    return ahead, behind


def _value(cell: JsonObject) -> str:
    cited = [entry for entry in cell.get("evidence", []) if isinstance(entry, dict)]
    quote = plain(cited[0].get("quote")) if cited else ""
    points = plain(cell.get("score"))
    return f"{quote} ({points})" if quote and len(quote) <= MAX_VALUE_CHARS else points


def _flips(writer: Writer) -> Iterator[str]:
    for flip in _sensitivity(writer).get("flips", []):
        yield writer.label(
            "flip",
            criterion=plain(flip.get("criterion")),
            now=percent(flip.get("share")),
            at=percent(flip.get("level_at_share")),
            rival=plain(flip.get("then_leads")),
        )


def _turning(writer: Writer) -> Iterator[str]:
    turned_by = _sensitivity(writer).get("turned_by", [])
    yield from (_turned(writer, entry) for entry in writer.entries("asmp") if entry.get("id") in turned_by)
    yield from (entry_text(writer, item) for item in writer.entries("open") if item.get("kind") in _UNREAD)


def _turned(writer: Writer, entry: JsonObject) -> str:
    """An assumption, with the first of its other values that leads to another answer."""
    base = entry.get("base", {}).get("answer")
    ways = [entry.get(way, {}) for way in ("optimistic", "pessimistic")]
    other = next((way for way in ways if way.get("answer") != base), None)
    text = entry_text(writer, entry)
    if other is None or not other.get("answer"):
        return text
    key = "otherwise"
    if entry.get("kind") == "weight":
        key = "otherwise_twice" if other.get("value") else "otherwise_without"
    then = writer.label(key, value=writer.labelled(other.get("value")), option=plain(other["answer"]))
    return f"{text} {then}"


def _is_law(condition: JsonObject) -> bool:
    return condition.get("kind") == "law"


def _better_without_a_condition(writer: Writer, own: JsonObject | None) -> Iterator[str]:
    """An excluded option with more points: whoever can drop the condition gets another answer."""
    excluded = writer.entries("excluded")
    unlawful = {
        plain(row.get("option")) for row in excluded if any(_is_law(each) for each in row.get("conditions", ()))
    }
    for row in writer.entries("scores"):
        better = own is not None and row.get("excluded") and row.get("total", 0) > own.get("total", 0)
        if better and plain(row.get("option")) not in unlawful:
            yield writer.label("without_condition", option=plain(row.get("option")), total=plain(row.get("total")))


def _sensitivity(writer: Writer) -> Mapping[str, Any]:
    given = writer.data.get("sensitivity")
    return given if isinstance(given, Mapping) else {}


def _scores(writer: Writer) -> Iterator[Block]:
    """Options across, so that a reader compares them line by line; then the picture."""
    options = writer.entries("scores")
    weights = {weight.get("criterion"): weight.get("share") for weight in writer.entries("weights")}
    lines = [option.get("criteria", []) for option in options]
    if not options or not any(lines):
        return
    names = [plain(option.get("option")) for option in options]
    heads = [
        writer.label("marked_excluded", option=name) if option.get("excluded") else name
        for name, option in zip(names, options, strict=True)
    ]
    yield writer.heading("scores")
    rows = [
        (
            plain(cells[0].get("criterion")),
            percent(weights.get(cells[0].get("criterion"))),
            *(plain(cell.get("score")) for cell in cells),
        )
        for cells in zip(*lines, strict=False)
    ]
    total = (writer.label("total"), "", *(plain(option.get("total")) for option in options))
    yield Table((*writer.columns("criterion", "weight"), *heads), (*rows, total))
    yield Bars(
        writer.label("scores_pictured"),
        tuple(
            Bar(name, _part(option.get("total"), 100), plain(option.get("total")), faded=bool(option.get("excluded")))
            for name, option in zip(heads, options, strict=True)
        ),
    )
    yield from _lead(writer)
    yield Heading(2, writer.label("reasons"))
    reasons = [
        (name, plain(cell.get("criterion")), plain(cell.get("score")), plain(cell.get("reason")))
        for name, cells in zip(names, lines, strict=True)
        for cell in cells
    ]
    yield Table(writer.columns("option", "criterion", "score", "reason"), tuple(reasons[:MAX_ROWS]))


def _lead(writer: Writer) -> Iterator[Block]:
    """How often each option leads when the weights are drawn at random."""
    drawn = _sensitivity(writer).get("weightings")
    if isinstance(drawn, Mapping) and drawn.get("wins"):
        yield Bars(
            writer.label("lead", draws=f"{drawn.get('draws', 0):,}"),
            tuple(
                Bar(plain(row.get("option")), _part(row.get("share"), 1), percent(row.get("share")))
                for row in drawn["wins"]
            ),
        )


def _part(given: Any, whole: float) -> float:
    return min(max(given / whole, 0.0), 1.0) if isinstance(given, int | float) else 0.0


def _sources(writer: Writer) -> Iterator[Block]:
    evidence = writer.data.get("evidence")
    pages = evidence.get("keep", []) if isinstance(evidence, Mapping) else []
    rows = [
        (
            plain(page.get("title")) or plain(page.get("url")),
            plain(page.get("url")),
            writer.labelled(page.get("source_tier"), kind="tier"),
            plain(page.get("published") or page.get("extracted_at"))[:10],
        )
        for page in pages
        if isinstance(page, dict)
    ]
    yield from table(writer, "sources", ("title", "page", "tier", "date"), rows)
