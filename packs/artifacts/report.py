"""A pack's `data` -> Document. One builder a pack; a pack without one gets a faithful listing of its data.

Builders read what is there and never fail on what is not: a report of a partial result is still a report.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from packs.artifacts.document import Block, Bullets, Document, Heading, Paragraph, Quote, Table
from packs.artifacts.labels import Language, label, labelled
from packs.base import JsonObject

MAX_BLOCKS = 5_000
MAX_ROWS = 500
MAX_DEPTH = 4

_HANGUL = re.compile(r"[가-힣]")


@dataclass(frozen=True)
class ReportMeta:
    title: str
    created_at: datetime


@dataclass(frozen=True)
class Writer:
    """The data and the language its report is written in."""

    data: JsonObject
    language: Language

    def label(self, key: str, **values: str) -> str:
        return label(self.language, key, **values)

    def labelled(self, value: Any, *, kind: str = "") -> str:
        return labelled(self.language, plain(value), kind=kind)

    def heading(self, key: str) -> Heading:
        return Heading(1, self.label(key))

    def columns(self, *keys: str) -> tuple[str, ...]:
        return tuple(self.label(key) for key in keys)

    def entries(self, key: str) -> list[JsonObject]:
        given = self.data.get(key)
        return [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []

    def spoken(self, value: Any) -> str:
        """Texts kept in both languages are shown in the report's."""
        if isinstance(value, Mapping) and self.language in value:
            return plain(value[self.language])
        return plain(value)


def build_report(pack_type: str, data: JsonObject, meta: ReportMeta) -> Document:
    writer = Writer(data, _language(data, meta.title))
    time = meta.created_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    blocks: list[Block] = [Paragraph(writer.label("created", time=time))]
    for block in _parts(pack_type, writer):
        if len(blocks) == MAX_BLOCKS:
            blocks.append(Paragraph(writer.label("cut")))
            break
        blocks.append(block)
    return Document(meta.title, meta.created_at, writer.language, tuple(blocks))


def _parts(pack_type: str, writer: Writer) -> Iterator[Block]:
    """What the pack found, then what its reader can do: the same frame for every pack."""
    yield from _BUILDERS.get(pack_type, _any)(writer)
    actions = [
        (writer.spoken(entry.get("action")), writer.spoken(entry.get("changes")))
        for entry in writer.entries("next_actions")
    ]
    yield from _table(writer, "next_actions", ("action", "changes"), actions)
    yield from _reliability(writer)


def plain(value: Any) -> str:
    """A JSON value in a table cell. Numbers look as they do in JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, list) and all(not isinstance(item, list | dict) for item in value):
        return ", ".join(plain(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def _language(data: JsonObject, title: str) -> Language:
    given = data.get("language")
    if given in ("ko", "en"):
        return "ko" if given == "ko" else "en"
    sample = title + json.dumps(data, ensure_ascii=False)[:20_000]
    return "ko" if len(_HANGUL.findall(sample)) * 10 > len(sample) else "en"


def _decision(writer: Writer) -> Iterator[Block]:
    data = writer.data
    yield writer.heading("verdict")
    yield Paragraph(_decided_in_words(writer))
    yield writer.heading("question")
    yield Quote(plain(data.get("question")))
    yield writer.heading("answer")
    for part in plain(data.get("answer_text")).split("\n\n"):
        yield Paragraph(part)
    yield from _bullets(writer, "findings", [plain(each) for each in data.get("key_findings", [])])
    excluded = [(plain(row.get("option")), plain(row.get("reason"))) for row in writer.entries("excluded")]
    yield from _table(writer, "excluded", ("option", "reason"), excluded)
    yield from _decision_scores(writer)
    yield from _lead(writer)
    flips = data.get("sensitivity", {}).get("flips", [])
    rows = [
        (
            plain(flip.get("criterion")),
            _percent(flip.get("share")),
            _percent(flip.get("level_at_share")),
            plain(flip.get("then_leads")),
        )
        for flip in flips
    ]
    yield from _table(writer, "sensitivity", ("criterion", "share_now", "share_level", "then_leads"), rows)
    yield from _claims(writer)
    yield from _ledgers(writer)
    review = data.get("compliance")
    if isinstance(review, dict) and review:
        yield writer.heading("compliance")
        yield from _findings(Writer(review, writer.language))


def _decided_in_words(writer: Writer) -> str:
    chosen = writer.data.get("recommendation")
    if not isinstance(chosen, Mapping):
        return writer.label("verdict_undecided")
    return writer.label("verdict_recommended", option=plain(chosen.get("option")))


def _lead(writer: Writer) -> Iterator[Block]:
    """How often each option leads when the weights are drawn at random."""
    sensitivity = writer.data.get("sensitivity")
    drawn = sensitivity.get("weightings") if isinstance(sensitivity, Mapping) else None
    if isinstance(drawn, Mapping):
        rows = [(plain(row.get("option")), _percent(row.get("share"))) for row in drawn.get("wins", [])]
        yield from _table(writer, "lead", ("option", "lead_share"), rows)


def _reliability(writer: Writer) -> Iterator[Block]:
    given = writer.data.get("reliability")
    if isinstance(given, Mapping) and "score" in given:
        yield writer.heading("reliability")
        yield Paragraph(writer.label("reliability_is", score=plain(given["score"])))


def _decision_scores(writer: Writer) -> Iterator[Block]:
    """Options across, so that a reader compares them line by line."""
    options = writer.entries("scores")
    weights = {weight.get("criterion"): weight.get("share") for weight in writer.entries("weights")}
    if not options:
        return
    names = [plain(option.get("option")) for option in options]
    lines = [option.get("criteria", []) for option in options]
    yield writer.heading("scores")
    rows = [
        (
            plain(cells[0].get("criterion")),
            _percent(weights.get(cells[0].get("criterion"))),
            *(plain(cell.get("score")) for cell in cells),
        )
        for cells in zip(*lines, strict=False)
    ]
    total = (writer.label("total"), "", *(plain(option.get("total")) for option in options))
    yield Table((*writer.columns("criterion", "weight"), *names), (*rows, total))
    yield Heading(2, writer.label("reasons"))
    reasons = [
        (name, plain(cell.get("criterion")), plain(cell.get("score")), plain(cell.get("reason")))
        for name, cells in zip(names, lines, strict=True)
        for cell in cells
    ]
    yield Table(writer.columns("option", "criterion", "score", "reason"), tuple(reasons[:MAX_ROWS]))


def _claims(writer: Writer) -> Iterator[Block]:
    claims = writer.entries("claims")
    if not claims:
        return
    yield writer.heading("claims")
    for claim in claims[:MAX_ROWS]:
        yield Paragraph(_entry_text(writer, claim))
        cited = [entry for entry in claim.get("evidence", []) if isinstance(entry, dict)]
        if cited:
            yield Bullets(tuple(_citation(entry) for entry in cited))


def _citation(entry: JsonObject) -> str:
    source = plain(entry.get("url") or entry.get("pointer"))
    quote = plain(entry.get("quote"))
    return f"“{quote}” ({source})" if quote else source


def _ledgers(writer: Writer) -> Iterator[Block]:
    yield from _bullets(writer, "open", [_entry_text(writer, entry) for entry in writer.data.get("open") or []])
    rows = [
        (
            _entry_text(writer, entry),
            *(_scenario(writer, entry.get(way)) for way in ("base", "optimistic", "pessimistic")),
        )
        for entry in writer.entries("asmp")
    ]
    yield from _table(writer, "assumptions", ("assumption", "base", "optimistic", "pessimistic"), rows)


def _entry_text(writer: Writer, entry: Any) -> str:
    if not isinstance(entry, dict):
        return plain(entry)
    text = writer.spoken(entry.get("text") or entry.get("detail") or entry)
    return f"{plain(entry['id'])}: {text}" if "id" in entry else text


def _scenario(writer: Writer, given: Any) -> str:
    if not isinstance(given, dict) or "value" not in given:
        return plain(given)
    answer = given.get("answer")
    return writer.labelled(given["value"]) + (f" → {plain(answer)}" if answer is not None else "")


def _compliance(writer: Writer) -> Iterator[Block]:
    summary = writer.data.get("summary")
    if isinstance(summary, Mapping) and "verdict" in summary:
        yield writer.heading("verdict")
        yield Paragraph(writer.labelled(summary["verdict"], kind="verdict"))
    yield writer.heading("findings")
    yield from _findings(writer)


def _findings(writer: Writer) -> Iterator[Block]:
    rows = [
        (
            _rule(writer, finding),
            writer.labelled(finding.get("severity"), kind="severity"),
            plain(finding.get("quote")),
            writer.spoken(finding.get("basis")),
            " ".join(filter(None, (writer.spoken(finding.get(part)) for part in ("redline", "mitigation")))),
        )
        for finding in writer.entries("findings")
    ]
    if rows:
        yield Table(writer.columns("rule", "severity", "quote", "basis", "mitigation"), tuple(rows[:MAX_ROWS]))
    else:
        yield Paragraph(writer.label("none_found"))
    notices = [writer.spoken(notice) for notice in writer.data.get("notices") or []]
    if notices:
        yield Bullets(tuple(notices))


def _rule(writer: Writer, finding: JsonObject) -> str:
    title, rule_id = writer.spoken(finding.get("title")), plain(finding.get("rule_id"))
    return f"{title} ({rule_id})" if title else rule_id


def _eval(writer: Writer) -> Iterator[Block]:
    yield writer.heading("score")
    yield Paragraph(f"{plain(writer.data.get('score'))} / 100")
    subscores = writer.data.get("subscores")
    if isinstance(subscores, Mapping):
        rows = [(writer.labelled(name), *_subscore(writer, given)) for name, given in subscores.items()]
        yield from _table(writer, "subscores", ("part", "score", "reason"), rows)
    yield from _ledgers(writer)
    readings = {entry.get("claim_index"): plain(entry.get("reason")) for entry in writer.entries("interpretation")}
    claims = [
        (plain(entry.get("claim")), readings.get(entry.get("claim_index"), ""), _passage(entry.get("passage")))
        for entry in writer.entries("evidence")
    ]
    yield from _table(writer, "evidence", ("claim", "reading", "passage"), claims)


def _passage(given: Any) -> str:
    if not isinstance(given, Mapping):
        return ""
    quote = f"“{plain(given.get('quote'))}”"
    return f"{quote} [{plain(given['source_id'])}]" if given.get("source_id") else quote


def _subscore(writer: Writer, given: Any) -> tuple[str, str]:
    if not isinstance(given, Mapping):
        return plain(given), ""
    reasons = given.get("reasons") or given.get("reason") or ""
    if isinstance(reasons, list):
        reasons = " ".join(_entry_text(writer, reason) for reason in reasons)
    return plain(given.get("score")), writer.spoken(reasons)


def _url(writer: Writer) -> Iterator[Block]:
    kept = writer.entries("keep")
    yield writer.heading("kept")
    if not kept:
        yield Paragraph(writer.label("none_found"))
    for page in kept[:MAX_ROWS]:
        yield Heading(2, plain(page.get("title")) or plain(page.get("url")))
        if page.get("gist"):
            yield Paragraph(plain(page["gist"]))
        yield Quote(plain(page.get("evidence_quote")), plain(page.get("url")))
    rows = [
        (plain(page.get("url")), plain(page.get("reason_code")), plain(page.get("reason_detail")))
        for page in writer.entries("discard")
    ]
    yield from _table(writer, "discarded", ("page", "reason", "details"), rows)


def _ocr(writer: Writer) -> Iterator[Block]:
    """What was not read, first: a long text is cut at its end. Then the text as it was read, line by line: nothing is
    joined, left out or tidied."""
    unread = [row for file in writer.entries("files") for row in _unread(writer, file)]
    yield from _table(writer, "unread", ("source", "pages", "reason", "details"), unread)
    yield writer.heading("text")
    for page in writer.entries("texts"):
        yield Heading(2, f"{plain(page.get('source'))} {writer.label('page')} {plain(page.get('page'))}")
        for block in page.get("blocks", []):
            for line in plain(block.get("text")).split("\n"):
                if line.strip():
                    yield Paragraph(line)
    notes = [f"{plain(note.get('type'))}: {plain(note.get('value'))}" for note in writer.entries("notes")]
    yield from _bullets(writer, "notes", notes)


def _unread(writer: Writer, file: JsonObject) -> Iterator[tuple[str, ...]]:
    """Its pages that were left out, with their reasons, or the file as a whole."""
    whole = [{**file, "pages": writer.label("all")}] if file.get("reason_code") else []
    for part in file.get("left_out") or whole:
        code = plain(part.get("reason_code"))
        reason = f"{writer.labelled(code, kind='unread')} ({code})"
        yield plain(file.get("source")), plain(part.get("pages")), reason, plain(part.get("reason_detail"))


def _any(writer: Writer) -> Iterator[Block]:
    yield writer.heading("details")
    yield from _listing(writer.data, 2)


def _listing(value: Any, level: int) -> Iterator[Block]:
    """Nested data as headings, tables of records, and bullets."""
    if isinstance(value, Mapping):
        simple = {key: item for key, item in value.items() if not isinstance(item, list | dict)}
        if simple:
            yield Bullets(tuple(f"{key}: {plain(item)}" for key, item in simple.items()))
        for key, item in value.items():
            if key not in simple and item:
                yield Heading(min(level, 4), key)
                yield from _listing(item, level + 1)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        header = tuple(dict.fromkeys(key for item in value for key in item))
        if len(header) <= 6:
            yield Table(header, tuple(tuple(plain(item.get(key)) for key in header) for item in value[:MAX_ROWS]))
        else:
            for item in value[:MAX_ROWS]:
                yield Bullets(tuple(f"{key}: {plain(given)}" for key, given in item.items()))
    elif isinstance(value, list):
        yield Bullets(tuple(plain(item) for item in value[:MAX_ROWS]))
    else:
        yield Paragraph(plain(value))


def _bullets(writer: Writer, key: str, items: list[str]) -> Iterator[Block]:
    if items:
        yield writer.heading(key)
        yield Bullets(tuple(items[:MAX_ROWS]))


def _table(writer: Writer, key: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[Block]:
    if rows:
        yield writer.heading(key)
        yield Table(writer.columns(*header), tuple(rows[:MAX_ROWS]))


def _percent(given: Any) -> str:
    return f"{given * 100:.1f}".removesuffix(".0") + " %" if isinstance(given, int | float) else plain(given)


_BUILDERS: dict[str, Callable[[Writer], Iterator[Block]]] = {
    "decision": _decision,
    "compliance": _compliance,
    "eval": _eval,
    "url": _url,
    "ocr": _ocr,
}
