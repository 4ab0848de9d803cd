"""A web page given as a file: all that it shows, in its own order. Scripts, styles and hidden parts are not shown."""

import re
from collections.abc import Iterator

from lxml import etree, html

from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.read_page import Block, ReadLine, ReadPage
from packs.ocr.reading.structure import HEADING, LIST_ITEM, PARAGRAPH, TABLE, Cell
from packs.url.charset import decode

HTML_PASS = "text"  # noqa: S105 (a way of reading, not a password)
# A web page has no places before it is drawn.
NOWHERE = Box(0, 0, 0, 0)
# Spans are a stranger's word: what they claim together is bounded too.
MOST_SPAN, MOST_PLACES = 100, 20_000
# What `br` puts into a run of text: line breaks of the source are blanks.
BREAK = "\u2028"
_UNSEEN = frozenset({"script", "style", "noscript", "template", "head", "svg", "iframe", "object", "datalist"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "big", "button", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"}
    | {"input", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"}
    | {"time", "tt", "u", "var", "wbr"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f\u00a0]+")


def read_html(body: bytes) -> ReadPage:
    """Raises `Unreadable`."""
    try:
        root = html.document_fromstring(decode(body, "text/html"), parser=html.HTMLParser(recover=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable(FailureReason.BROKEN_FILE, "The web page holds nothing that can be shown.") from error
    blocks = [block for block in _blocks(root, PARAGRAPH, None) if block.text]
    return ReadPage(0, 0, blocks, preflight={"layout": "web"})


def _blocks(element: html.HtmlElement, kind: str, level: int | None) -> Iterator[Block]:
    """Runs of inline text, parted where a block begins or ends."""
    run: list[str] = [element.text or ""]
    for child in element:
        if _is_seen(child):
            tag = child.tag
            if tag == "br":
                run.append(BREAK)
            elif tag in _INLINE and not _holds_blocks(child):
                run.append(_inline_text(child))
            else:
                yield _block("".join(run), kind, level)
                run = []
                yield from _of(child, kind, level)
        run.append(child.tail or "")
    yield _block("".join(run), kind, level)


def _of(element: html.HtmlElement, kind: str, level: int | None) -> Iterator[Block]:
    tag = str(element.tag)
    if tag in _HEADINGS:
        yield from _blocks(element, HEADING, _HEADINGS[tag])
    elif tag == "li":
        yield from _blocks(element, LIST_ITEM, None)
    elif tag == "table":
        yield from _table(element)
    else:
        yield from _blocks(element, kind, level)


def _is_seen(element: html.HtmlElement) -> bool:
    if not isinstance(element.tag, str) or element.tag in _UNSEEN:
        return False
    return element.get("hidden") is None and not _HIDDEN.search(element.get("style") or "")


def _holds_blocks(element: html.HtmlElement) -> bool:
    return any(isinstance(each.tag, str) and each.tag not in _INLINE | {"br"} for each in element.iterdescendants())


def _inline_text(element: html.HtmlElement) -> str:
    parts = [element.text or ""]
    for child in element:
        if _is_seen(child):
            parts.append(BREAK if child.tag == "br" else _inline_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _table(table: html.HtmlElement) -> Iterator[Block]:
    """Rows of cells; a table that holds another one is there for the layout."""
    rows = [row for row in table.iter("tr") if _is_seen(row)]
    cells = [[cell for cell in row if cell.tag in ("td", "th") and _is_seen(cell)] for row in rows]
    is_layout = next(table.iterdescendants("table"), None) is not None
    if is_layout or len(rows) < 2 or max(map(len, cells), default=0) < 2:
        yield from _blocks(table, PARAGRAPH, None)
        return
    caption = next(table.iterchildren("caption"), None)
    if caption is not None:
        yield from _blocks(caption, PARAGRAPH, None)
    texts = [[_cell_text(cell) for cell in row] for row in cells]
    lines = tuple(ReadLine(" ".join(filter(None, row)), 1.0, NOWHERE) for row in texts if any(row))
    text = "\n".join(line.text for line in lines)
    yield Block(text, 1.0, NOWHERE, HTML_PASS, lines, TABLE, None, tuple(_placed(cells, texts)))


def _cell_text(cell: html.HtmlElement) -> str:
    return " ".join(block.text.replace("\n", " ") for block in _blocks(cell, PARAGRAPH, None) if block.text)


def _placed(rows: list[list[html.HtmlElement]], texts: list[list[str]]) -> Iterator[Cell]:
    taken: set[tuple[int, int]] = set()
    for number, (row, said) in enumerate(zip(rows, texts, strict=True)):
        column = 0
        for cell, text in zip(row, said, strict=True):
            while (number, column) in taken:
                column += 1
            down, wide = min(_span(cell, "rowspan"), len(rows) - number), _span(cell, "colspan")
            if len(taken) + down * wide > MOST_PLACES:
                down = wide = 1
            taken.update((number + y, column + x) for y in range(down) for x in range(wide))
            yield Cell(number, column, text, down, wide)
            column += wide


def _span(cell: html.HtmlElement, name: str) -> int:
    told = (cell.get(name) or "").strip()
    return min(max(int(told), 1), MOST_SPAN) if told.isdigit() and len(told) < 5 else 1


def _block(text: str, kind: str, level: int | None) -> Block:
    told = [row for row in (_BLANKS.sub(" ", row).strip() for row in text.split(BREAK)) if row]
    lines = tuple(ReadLine(row, 1.0, NOWHERE) for row in told)
    return Block("\n".join(told), 1.0, NOWHERE, HTML_PASS, lines, kind, level)
