"""The whole document as Markdown: headings, paragraphs, lists, tables, in the order in which they are read."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from packs.base import JsonObject

NAME = "document.md"
MIME = "text/markdown; charset=utf-8"
_BROKEN = re.compile(r"(?<=[^\W\d_])-\n(?=[a-z])")
# What would be read as Markdown's own signs at the beginning of a line.
_SIGN = re.compile(r"^(#{1,6}\s|[-+*>]\s|\d+[.)]\s)")
# The last one is a sign that its font does not explain.
_LIST_MARK = re.compile(r"^([•·▪◦‣∙○●■□➢❖✓*\-–]|(\d+[.)])|\[□\])\s+")


def page_markdown(blocks: Sequence[JsonObject]) -> str:
    return "\n\n".join(part for part in (_block(block) for block in blocks) if part)


def document_markdown(pages: Iterable[Sequence[JsonObject]]) -> str:
    parts = [part for part in (page_markdown(blocks) for blocks in pages) if part]
    return "\n\n".join(parts) + "\n" if parts else ""


def _block(block: JsonObject) -> str:
    if block.get("cells"):
        return _table(block["cells"])
    text = _BROKEN.sub("", block["text"])
    kind = block.get("kind")
    if kind == "heading":
        return f"{'#' * block.get('level', 2)} {_one_line(text)}"
    if kind == "list_item":
        return _list_item(_one_line(text))
    return _escaped(_one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return f"\\{text}" if _SIGN.match(text) and not text[0].isdigit() else text


def _list_item(text: str) -> str:
    mark = _LIST_MARK.match(text)
    if mark is None:
        return f"- {text}"
    return text if mark[2] else f"- {text[mark.end() :]}"


def _table(cells: Sequence[JsonObject]) -> str:
    if any(cell["column_span"] > 1 or cell["row_span"] > 1 for cell in cells):
        return _html_table(cells)
    columns = max(cell["column"] + 1 for cell in cells)
    rows: dict[int, list[str]] = {}
    for cell in cells:
        row = rows.setdefault(cell["row"], [""] * columns)
        row[cell["column"]] = _one_line(cell["text"]).replace("|", "\\|")
    lines = [f"| {' | '.join(rows[number])} |" for number in sorted(rows)]
    return "\n".join([lines[0], f"|{'---|' * columns}", *lines[1:]])


def _html_table(cells: Sequence[JsonObject]) -> str:
    """Markdown's own tables know no cell that spans others."""
    columns = max(cell["column"] + cell["column_span"] for cell in cells)
    last = max(cell["row"] + cell["row_span"] for cell in cells)
    taken = {
        (row, column)
        for cell in cells
        for row in range(cell["row"], cell["row"] + cell["row_span"])
        for column in range(cell["column"], cell["column"] + cell["column_span"])
    }
    at = {(cell["row"], cell["column"]): cell for cell in cells}
    rows = []
    for row in range(last):
        places = [(row, column) for column in range(columns)]
        rows.append("".join(_html_cell(at.get(place)) for place in places if place in at or place not in taken))
    return "<table>\n" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "\n</table>"


def _html_cell(cell: JsonObject | None) -> str:
    if cell is None:
        return "<td></td>"
    spans = "".join(
        f' {name}="{cell[key]}"' for name, key in (("colspan", "column_span"), ("rowspan", "row_span")) if cell[key] > 1
    )
    return f"<td{spans}>{escape(_one_line(cell['text']), quote=False)}</td>"
