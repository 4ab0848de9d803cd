"""One page of a PDF -> blocks: its text as it stands in the file, its pictures through the pipeline.

Every line of the page ends in exactly one block: headings by the size and weight of their type, tables by their rules
or by what stands side by side, columns and order by the lines' places.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby

from PIL import Image

from packs.ocr.bounds import MAX_PICTURES_IN_PAGE
from packs.ocr.profiles import OcrProfile
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.gutters import parted_at_gutters
from packs.ocr.reading.headings import is_short_enough, levels_of
from packs.ocr.reading.marks import UNKNOWN_LETTER, marked_text
from packs.ocr.reading.order import layout_of
from packs.ocr.reading.page_tables import Row, ruled_tables, tables_without_rules
from packs.ocr.reading.pdfs import PdfPage, TextLine
from packs.ocr.reading.read_page import Block, ReadLine, ReadPage, read_image
from packs.ocr.reading.structure import HEADING, LIST_ITEM, PARAGRAPH, TABLE, Cell
from packs.ocr.reading.text_tables import LIST_MARK

TEXT_PASS = "text"  # noqa: S105 (a way of reading, not a password)
# Words strewn over a page by the thousand have no structure; in which order the file has them is all there is to tell.
MOST_STRUCTURED = 1_500
# What is read in a picture less surely than this is a drawing: its lines are no letters.
LEAST_SURE_PICTURE = 0.6
_LETTER = re.compile(r"[^\W\d_]")
_LIST_ITEM = re.compile(rf"({LIST_MARK.pattern})\s+\S")


def read_text(page: PdfPage) -> ReadPage:
    page = replace(page, lines=tuple(parted_at_gutters(page.lines)))
    read = ReadPage(page.width, page.height, [])
    read.doubts.extend(doubt for line in page.lines for doubt in marked_text(line.text).doubts)
    read.blocks.extend(_strewn(page) if len(page.lines) > MOST_STRUCTURED else _structured(page))
    return with_extras(replace(read, low_confidence=len(read.doubts)), page)


def with_extras(read: ReadPage, page: PdfPage, scale: float = 1.0) -> ReadPage:
    """And the values of form fields, notes and stamps, which are not drawn with the page."""
    extras = [Block(extra.text, 1.0, extra.box.scaled(scale), TEXT_PASS, kind=extra.kind) for extra in page.extras]
    return replace(read, blocks=[*read.blocks, *extras])


def _strewn(page: PdfPage) -> Iterator[Block]:
    groups: list[list[TextLine]] = []
    for line in page.lines:
        before = groups[-1][-1].box if groups else None
        if before is None or not 0 <= line.box.top - before.top <= 2.4 * max(before.height, line.box.height):
            groups.append([])
        groups[-1].append(line)
    return (_block([[line] for line in group]) for group in groups)


def _structured(page: PdfPage) -> Iterator[Block]:
    """A ruled table is one thing in the page's order, whatever stands in it."""
    found = list(ruled_tables(page))
    tables = [_block(rows, TABLE, cells=cells) for rows, cells in found]
    inside = {id(line) for rows, _ in found for row in rows for line in row}
    lines = [line for line in page.lines if id(line) not in inside]
    levels = levels_of(lines)
    figures = {number for number, line in enumerate(lines) if not _LETTER.search(line.text)}
    layout = layout_of([*(line.box for line in lines), *(block.box for block in tables)], figures)
    flow: list[list[Row]] = []
    for block in layout.blocks:
        for numbers, is_table in _parts(block, len(lines)):
            if is_table:
                yield from _flowing(flow, levels)
                flow = []
                yield tables[numbers[0][0] - len(lines)]
            else:
                flow.append([[lines[number] for number in row] for row in numbers])
    yield from _flowing(flow, levels)


def _flowing(groups: list[list[Row]], levels: dict[int, int]) -> Iterator[Block]:
    """Rows in their groups, but a table may reach over several: its rows often stand far apart."""
    rows = [row for group in groups for row in group]
    ends = set(accumulate(len(group) for group in groups))
    start = 0
    for first, last, cells in tables_without_rules(rows):
        yield from _grouped(rows, start, first, ends, levels)
        yield _block(rows[first:last], TABLE, cells=cells)
        start = last
    yield from _grouped(rows, start, len(rows), ends, levels)


def _grouped(rows: list[Row], start: int, end: int, ends: set[int], levels: dict[int, int]) -> Iterator[Block]:
    group: list[Row] = []
    for number in range(start, end):
        group.append(rows[number])
        if number + 1 in ends or number + 1 == end:
            yield from _blocks(group, levels)
            group = []


def _parts(block: Sequence[Sequence[int]], lines: int) -> Iterator[tuple[list[list[int]], bool]]:
    """Runs of rows between tables. A table that shares its row with lines comes behind them."""
    run: list[list[int]] = []
    for row in block:
        beside = [number for number in row if number < lines]
        if beside:
            run.append(beside)
        for number in row:
            if number >= lines:
                if run:
                    yield run, False
                yield [[number]], True
                run = []
    if run:
        yield run, False


def _blocks(rows: list[Row], levels: dict[int, int]) -> Iterator[Block]:
    def level_of(row: Row) -> int | None:
        return levels.get(id(row[0])) if len(row) == 1 else None

    for level, group in groupby(rows, level_of):
        run = list(group)
        if level is not None and is_short_enough([line for row in run for line in row]):
            yield _block(run, HEADING, level)
        else:
            yield from _paragraphs(run)


def _paragraphs(rows: list[Row]) -> Iterator[Block]:
    """Items of a list are blocks of their own."""
    run: list[Row] = []
    kind = PARAGRAPH
    for row in rows:
        if _LIST_ITEM.match(_row_text(row)):
            if run:
                yield _block(run, kind)
            run, kind = [], LIST_ITEM
        run.append(row)
    if run:
        yield _block(run, kind)


def _block(rows: list[Row], kind: str = PARAGRAPH, level: int | None = None, cells: tuple[Cell, ...] = ()) -> Block:
    texts = [_row_text(row) for row in rows]
    told = tuple(
        ReadLine(text, _confidence(row), hull([line.box for line in row]))
        for text, row in zip(texts, rows, strict=True)
    )
    every = [line for row in rows for line in row]
    box = hull([line.box for line in every])
    return Block("\n".join(texts), _confidence(every), box, TEXT_PASS, told, kind, level, cells)


def _row_text(row: Row) -> str:
    return " ".join(marked_text(line.text).text for line in row)


def _confidence(lines: Sequence[TextLine]) -> float:
    letters = "".join(line.text for line in lines)
    return round(1 - letters.count(UNKNOWN_LETTER) / max(len(letters), 1), 3)


def read_mixed(page: PdfPage, drawn: Image.Image, scale: float, profile: OcrProfile, languages: str) -> ReadPage:
    """The page's own text, and what its pictures say besides: a letter over a picture is not told twice, and what a
    chart's lines look like is not told at all."""
    read = read_text(page)
    blocks, low = list(read.blocks), read.low_confidence
    largest = sorted(page.pictures, key=lambda box: -box.area)
    for picture in sorted(largest[:MAX_PICTURES_IN_PAGE], key=lambda box: (box.top, box.left)):
        part = read_image(drawn.crop(picture.scaled(scale).as_tuple()), profile, languages)
        told = [_placed(block, picture, scale) for block in part.blocks if block.confidence >= LEAST_SURE_PICTURE]
        told = [block for block in told if not _is_told(block, page.lines)]
        # A picture's text comes where the picture stands: behind the last block that is above it.
        at = max((at for at, block in enumerate(blocks) if block.box.top <= picture.top), default=-1) + 1
        blocks[at:at] = told
        doubts = [doubt for doubt in part.doubts if any(doubt in block.text for block in told)]
        read.doubts.extend(doubts)
        low += len(doubts)
        if not part.blocks:
            read.warnings.extend(f"A picture of the page: {warning}" for warning in part.warnings)
    if len(largest) > MAX_PICTURES_IN_PAGE:
        read.warnings.append(f"{len(largest) - MAX_PICTURES_IN_PAGE} smaller pictures of the page were not read.")
    return ReadPage(read.width, read.height, blocks, read.doubts, low, {"pictures": len(largest)}, read.warnings)


def _is_told(block: Block, lines: Sequence[TextLine]) -> bool:
    """Most of its place is under letters that the page has itself."""
    return sum(block.box.shared(line.box) for line in lines) > 0.4 * block.box.area


def _placed(block: Block, picture: Box, scale: float) -> Block:
    def moved(box: Box) -> Box:
        return Box(
            picture.left + round(box.left / scale),
            picture.top + round(box.top / scale),
            picture.left + round(box.right / scale),
            picture.top + round(box.bottom / scale),
        )

    lines = tuple(replace(line, box=moved(line.box)) for line in block.lines)
    return replace(block, box=moved(block.box), lines=lines)
