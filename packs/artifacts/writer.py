"""What every report's builder uses: the data with its language, and the usual blocks."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packs.artifacts.document import Block, Bullets, Heading, Paragraph, Table
from packs.artifacts.labels import label, labelled
from packs.base import JsonObject
from packs.text.language import Language

MAX_ROWS = 500


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


def claims(writer: Writer) -> Iterator[Block]:
    given = writer.entries("claims")
    if not given:
        return
    yield writer.heading("claims")
    for claim in given[:MAX_ROWS]:
        yield Paragraph(entry_text(writer, claim))
        cited = [entry for entry in claim.get("evidence", []) if isinstance(entry, dict)]
        if cited:
            yield Bullets(tuple(citation(entry) for entry in cited))


def citation(entry: JsonObject) -> str:
    source = plain(entry.get("url") or entry.get("pointer"))
    quote = plain(entry.get("quote"))
    return f"“{quote}” ({source})" if quote else source


def ledgers(writer: Writer) -> Iterator[Block]:
    yield from bullets(writer, "open", [entry_text(writer, entry) for entry in writer.data.get("open") or []])
    rows = [
        (
            entry_text(writer, entry),
            *(scenario(writer, entry.get(way)) for way in ("base", "optimistic", "pessimistic")),
        )
        for entry in writer.entries("asmp")
    ]
    yield from table(writer, "assumptions", ("assumption", "base", "optimistic", "pessimistic"), rows)


def entry_text(writer: Writer, entry: Any) -> str:
    if not isinstance(entry, dict):
        return plain(entry)
    text = writer.spoken(entry.get("text") or entry.get("detail") or entry)
    return f"{plain(entry['id'])}: {text}" if "id" in entry else text


def scenario(writer: Writer, given: Any) -> str:
    if not isinstance(given, dict) or "value" not in given:
        return plain(given)
    answer = given.get("answer")
    return writer.labelled(given["value"]) + (f" → {plain(answer)}" if answer is not None else "")


def bullets(writer: Writer, key: str, items: list[str]) -> Iterator[Block]:
    if items:
        yield writer.heading(key)
        yield Bullets(tuple(items[:MAX_ROWS]))


def table(writer: Writer, key: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[Block]:
    if rows:
        yield writer.heading(key)
        yield Table(writer.columns(*header), tuple(rows[:MAX_ROWS]))


def percent(given: Any) -> str:
    return f"{given * 100:.1f}".removesuffix(".0") + " %" if isinstance(given, int | float) else plain(given)
