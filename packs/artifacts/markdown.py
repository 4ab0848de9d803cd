"""Document -> CommonMark with tables (GFM). Texts are shown as they are, never interpreted as markup.

A result may quote anybody's page: a text must not become a link, an image, HTML, a heading or a second
column.
"""

import re
from collections.abc import Iterator

from packs.artifacts.document import Bar, Bars, Block, Bullets, Document, Heading, Paragraph, Quote, Table, shown

BAR_CHARS = 20
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#!$])")
_LINE_START = re.compile(r"^([-+=])|^(\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_AUTOLINK = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp)(:)|\b(www)(\.)")
_AT = re.compile(r"(?<=\w)@(?=\w)")


def to_markdown(document: Document) -> str:
    parts = [f"# {inline(document.title)}"]
    parts += ["\n".join(_lines(block)) for block in document.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def inline(text: str) -> str:
    """One line of plain text."""
    lines = (line.strip() for line in shown(text).replace("\t", " ").split("\n"))
    return _escaped(" ".join(line for line in lines if line))


def _escaped(text: str) -> str:
    escaped = text.replace("&", "&amp;")
    escaped = _SPECIAL.sub(r"\\\1", escaped)
    escaped = _LINE_START.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", escaped)
    # A bare address would become a link of its own accord; sources are shown, not offered for a click.
    escaped = _AUTOLINK.sub(lambda found: f"{found[1]}\\:" if found[1] else f"{found[3]}\\.", escaped)
    return _AT.sub(r"\\@", escaped)


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, text):
            yield f"{'#' * (level + 1)} {inline(text)}"
        case Paragraph(text):
            yield inline(text)
        case Bullets(items):
            for item in items:
                yield f"- {inline(item)}"
        case Quote(text, source):
            yield f"> {inline(text)}"
            if source:
                yield ">"
                yield f"> — {inline(source)}"
        case Table(header, rows):
            yield _row(header)
            yield _row(tuple("---" for _ in header), escape=False)
            for row in rows:
                yield _row(row)
        case Bars(caption, bars):
            yield _row((caption, "", ""))
            yield _row(("---", "---", "---:"), escape=False)
            for bar in bars:
                yield f"| {inline(bar.name)} | {_drawn(bar)} | {inline(bar.value)} |"


def _drawn(bar: Bar) -> str:
    """Twenty characters; one that is out of the running is drawn lighter."""
    full = round(bar.part * BAR_CHARS)
    return ("▒" if bar.faded else "█") * full + "·" * (BAR_CHARS - full)


def _row(cells: tuple[str, ...], *, escape: bool = True) -> str:
    return "| " + " | ".join(inline(cell) if escape else cell for cell in cells) + " |"
