"""The reports of the packs that decide nothing: compliance, eval, url, ocr, and any pack without a builder."""

from collections.abc import Iterator, Mapping
from typing import Any

from packs.artifacts.document import Block, Bullets, Heading, Paragraph, Quote, Table
from packs.artifacts.writer import MAX_ROWS, Writer, bullets, entry_text, ledgers, plain, table
from packs.base import JsonObject


def compliance_report(writer: Writer) -> Iterator[Block]:
    summary = writer.data.get("summary")
    if isinstance(summary, Mapping) and "verdict" in summary:
        yield writer.heading("verdict")
        yield Paragraph(writer.labelled(summary["verdict"], kind="verdict"))
    yield writer.heading("findings")
    yield from findings(writer)
    yield from _to_publish(writer)
    rows = [
        (
            plain(entry.get("rule_id")),
            writer.labelled(entry.get("result"), kind="policy"),
            writer.spoken(entry.get("basis")),
            plain(entry.get("effective_from")),
            plain(entry.get("checked_on")),
        )
        for entry in writer.entries("policies_applied")
        if entry.get("result") in ("met", "left_out")
    ]
    yield from table(writer, "policies_applied", ("rule", "result", "basis", "effective_from", "checked_on"), rows)


def _to_publish(writer: Writer) -> Iterator[Block]:
    """Words to paste: what replaces a passage, and what has to be said beside the text."""
    rewrites = [
        (plain(each.get("quote")), plain(each.get("rewrite")) or writer.label("leave_out"))
        for each in writer.entries("findings")
        if each.get("rewrite") is not None
    ]
    yield from table(writer, "rewrites", ("quote", "rewrite"), rewrites)
    notices = writer.entries("required_notices")
    if notices:
        yield writer.heading("required_notices")
    for notice in notices[:MAX_ROWS]:
        yield Quote(writer.spoken(notice))
        yield Paragraph(f"{writer.spoken(notice.get('where'))} ({writer.spoken(notice.get('basis'))})")


def findings(writer: Writer) -> Iterator[Block]:
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


def eval_report(writer: Writer) -> Iterator[Block]:
    yield writer.heading("verdict")
    yield Paragraph(writer.label("verdict_score", score=plain(writer.data.get("score"))))
    subscores = writer.data.get("subscores")
    if isinstance(subscores, Mapping):
        rows = [(writer.labelled(name), *_subscore(writer, given)) for name, given in subscores.items()]
        yield from table(writer, "subscores", ("part", "score", "reason"), rows)
    yield from ledgers(writer)
    readings = {entry.get("claim_index"): plain(entry.get("reason")) for entry in writer.entries("interpretation")}
    claims = [
        (plain(entry.get("claim")), readings.get(entry.get("claim_index"), ""), _passage(entry.get("passage")))
        for entry in writer.entries("evidence")
    ]
    yield from table(writer, "evidence", ("claim", "reading", "passage"), claims)


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
        reasons = " ".join(entry_text(writer, reason) for reason in reasons)
    return plain(given.get("score")), writer.spoken(reasons)


def url_report(writer: Writer) -> Iterator[Block]:
    kept, dropped = writer.entries("keep"), writer.entries("discard")
    yield writer.heading("verdict")
    yield Paragraph(writer.label("verdict_pages", kept=str(len(kept)), all=str(len(kept) + len(dropped))))
    yield writer.heading("kept")
    if not kept:
        yield Paragraph(writer.label("none_found"))
    for page in kept[:MAX_ROWS]:
        yield Heading(2, plain(page.get("title")) or plain(page.get("url")))
        if page.get("gist"):
            yield Paragraph(plain(page["gist"]))
        yield Quote(plain(page.get("evidence_quote")), _source(writer, page))
    rows = [
        (plain(page.get("url")), plain(page.get("reason_code")), plain(page.get("reason_detail"))) for page in dropped
    ]
    yield from table(writer, "discarded", ("page", "reason", "details"), rows)


def _source(writer: Writer, page: JsonObject) -> str:
    """Where it stands, of which tier, from which day."""
    tier = writer.labelled(page.get("source_tier"), kind="tier")
    day = plain(page.get("published") or page.get("extracted_at"))[:10]
    return ", ".join(part for part in (plain(page.get("url")), tier, day) if part)


def ocr_report(writer: Writer) -> Iterator[Block]:
    """What was not read, first: a long text is cut at its end. Then the text as it was read, line by line: nothing is
    joined, left out or tidied."""
    yield writer.heading("verdict")
    files = writer.entries("files")
    missing = sum(max(int(file.get("pages") or 0) - int(file.get("pages_read") or 0), 0) for file in files)
    read = len(writer.entries("texts"))
    yield Paragraph(writer.label("verdict_read", read=str(read), unread=str(missing)))
    unread = [row for file in files for row in _unread(writer, file)]
    yield from table(writer, "unread", ("source", "pages", "reason", "details"), unread)
    yield writer.heading("text")
    for page in writer.entries("texts"):
        yield Heading(2, f"{plain(page.get('source'))} {writer.label('page')} {plain(page.get('page'))}")
        for block in page.get("blocks", []):
            for line in plain(block.get("text")).split("\n"):
                if line.strip():
                    yield Paragraph(line)
    notes = [f"{plain(note.get('type'))}: {plain(note.get('value'))}" for note in writer.entries("notes")]
    yield from bullets(writer, "notes", notes)


def _unread(writer: Writer, file: JsonObject) -> Iterator[tuple[str, ...]]:
    """Its pages that were left out, with their reasons, or the file as a whole."""
    whole = [{**file, "pages": writer.label("all")}] if file.get("reason_code") else []
    for part in file.get("left_out") or whole:
        code = plain(part.get("reason_code"))
        reason = f"{writer.labelled(code, kind='unread')} ({code})"
        yield plain(file.get("source")), plain(part.get("pages")), reason, plain(part.get("reason_detail"))


def any_report(writer: Writer) -> Iterator[Block]:
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
