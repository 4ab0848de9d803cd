"""A pack's `data` -> Document. One frame for every pack: a title in words, the verdict, the findings, what to do next,
what it cost and how far it can be relied on. A pack without a builder gets a faithful listing of its data.

Builders read what is there and never fail on what is not: a report of a partial result is still a report.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from packs.artifacts.decision_report import decision_report
from packs.artifacts.document import Block, Document, Paragraph
from packs.artifacts.pack_reports import any_report, compliance_report, eval_report, ocr_report, url_report
from packs.artifacts.writer import Writer, plain, table
from packs.base import JsonObject
from packs.text.language import Language

MAX_BLOCKS = 5_000
MAX_TITLE_CHARS = 200

_HANGUL = re.compile(r"[가-힣]")


@dataclass(frozen=True)
class ReportMeta:
    title: str
    """Which run it is; the report's own title is in words."""
    created_at: datetime
    bill: tuple[JsonObject, ...] = ()
    """The lines of the bill as they stand when the report is written."""


def build_report(pack_type: str, data: JsonObject, meta: ReportMeta) -> Document:
    writer = Writer(data, _language(data, meta.title))
    time = meta.created_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    blocks: list[Block] = [Paragraph(writer.label("created", time=time, run=meta.title))]
    for block in _parts(pack_type, writer, meta):
        if len(blocks) == MAX_BLOCKS:
            blocks.append(Paragraph(writer.label("cut")))
            break
        blocks.append(block)
    return Document(_title(pack_type, writer, meta), meta.created_at, writer.language, tuple(blocks))


def _title(pack_type: str, writer: Writer, meta: ReportMeta) -> str:
    question = plain(writer.data.get("question") or writer.data.get("decision_question"))
    if pack_type in _TITLED_BY_QUESTION and question:
        return writer.label(f"title_{pack_type}_of", question=question)[:MAX_TITLE_CHARS]
    return writer.label(f"title_{pack_type}") if pack_type in _BUILDERS else meta.title


def _parts(pack_type: str, writer: Writer, meta: ReportMeta) -> Iterator[Block]:
    yield from _BUILDERS.get(pack_type, any_report)(writer)
    actions = [
        (writer.spoken(entry.get("action")), writer.spoken(entry.get("changes")))
        for entry in writer.entries("next_actions")
    ]
    yield from table(writer, "next_actions", ("action", "changes"), actions)
    lines = [
        (writer.labelled(line.get("item"), kind="item"), plain(line.get("quantity")), plain(line.get("cost_usd")))
        for line in meta.bill
    ]
    yield from table(writer, "cost", ("item", "quantity", "usd"), lines)
    yield from _reliability(writer)


def _reliability(writer: Writer) -> Iterator[Block]:
    given = writer.data.get("reliability")
    if not isinstance(given, Mapping) or "score" not in given:
        return
    yield writer.heading("reliability")
    caps = [writer.labelled(cap, kind="cap") for cap in given.get("capped_by", [])]
    score = writer.label("reliability_is", score=plain(given["score"]))
    yield Paragraph(score if not caps else f"{score} {writer.label('capped', caps='; '.join(caps))}")
    method = writer.data.get("method")
    if isinstance(method, Mapping) and method.get("note"):
        yield Paragraph(plain(method["note"]))


def _language(data: JsonObject, title: str) -> Language:
    given = data.get("language")
    if given in ("ko", "en"):
        return "ko" if given == "ko" else "en"
    sample = title + json.dumps(data, ensure_ascii=False)[:20_000]
    return "ko" if len(_HANGUL.findall(sample)) * 10 > len(sample) else "en"


_BUILDERS: dict[str, Callable[[Writer], Iterator[Block]]] = {
    "decision": decision_report,
    "compliance": compliance_report,
    "eval": eval_report,
    "url": url_report,
    "ocr": ocr_report,
}
_TITLED_BY_QUESTION = ("decision", "url")
