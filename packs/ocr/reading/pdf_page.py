"""One page of a PDF -> blocks: its text as it stands in the file, its pictures through the pipeline.

Every line of the page ends in exactly one block: headings by the size and weight of their type, tables by their rules
or by what stands side by side, columns and order by the lines' places.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from PIL import Image

from packs.ocr.bounds import MAX_PICTURES_IN_PAGE
from packs.ocr.profiles import OcrProfile
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.headings import levels_of
from packs.ocr.reading.marks import UNKNOWN_LETTER, marked_text
from packs.ocr.reading.order import layout_of
from packs.ocr.reading.pdfs import PdfPage, TextLine
from packs.ocr.reading.read_page import Block, ReadLine, ReadPage, read_image
from packs.ocr.reading.ruled_tables import Grid, cells_in
from packs.ocr.reading.structure import HEADING, LIST_ITEM, PARAGRAPH, TABLE, Cell
from packs.ocr.reading.tables import cells_of

TEXT_PASS = "text"  # noqa: S105 (a way of reading, not a password)
# Words strewn over a page by the thousand have no structure; in which order the file has them is all there is to tell.
MOST_STRUCTURED = 1_500
# What is read in a picture less surely than this is a drawing: its lines are no letters.
LEAST_SURE_PICTURE = 0.6
_LIST_MARK = re.compile(r"([•·▪◦‣∙–]|[-*]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")

Row = list[TextLine]


def read_text(page: PdfPage) -> ReadPage:
    read = ReadPage(page.width, page.height, [])
    read.doubts.extend(doubt for line in page.lines for doubt in marked_text(line.text).doubts)
    read.blocks.extend(_strewn(page) if len(page.lines) > MOST_STRUCTURED else _structured(page))
    read.blocks.extend(Block(extra.text, 1.0, extra.box, TEXT_PASS, kind=extra.kind) for extra in page.extras)
    return replace(read, low_confidence=len(read.doubts))


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
    held = [[line for line in page.lines if grid.holds(line.box)] for grid in page.grids]
    tables = [(grid, lines) for grid, lines in zip(page.grids, held, strict=True) if lines]
    inside = {id(line) for _, lines in tables for line in lines}
    lines = [line for line in page.lines if id(line) not in inside]
    levels = levels_of(lines)
    layout = layout_of([*(line.box for line in lines), *(grid.box for grid, _ in tables)])
    for block in layout.blocks:
        for numbers, is_table in _parts(block, len(lines)):
            if is_table:
                yield _ruled(*tables[numbers[0][0] - len(lines)])
            else:
                yield from _blocks([[lines[number] for number in row] for row in numbers], levels)


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


def _ruled(grid: Grid, lines: list[TextLine]) -> Block:
    layout = layout_of([line.box for line in lines])
    rows = sorted((list(row) for block in layout.blocks for row in block), key=lambda row: lines[row[0]].box.top)
    ordered = [[lines[number] for number in row] for row in rows]
    texts = [(line.box, marked_text(line.text).text) for line in sorted(lines, key=lambda line: line.box.top)]
    return _block(ordered, TABLE, cells=cells_in(grid, texts))


def _blocks(rows: list[Row], levels: dict[int, int]) -> Iterator[Block]:
    def sort_of(row: Row) -> tuple[str, int]:
        level = levels.get(id(row[0])) if len(row) == 1 else None
        return (HEADING, level) if level is not None else (TABLE, 0) if len(row) > 1 else (PARAGRAPH, 0)

    for (kind, level), group in groupby(rows, sort_of):
        run = list(group)
        cells = cells_of([[(line.box, marked_text(line.text).text) for line in row] for row in run])
        if kind == HEADING:
            yield _block(run, HEADING, level)
        elif cells:
            yield _block(run, TABLE, cells=cells)
        else:
            yield from _paragraphs(run)


def _paragraphs(rows: list[Row]) -> Iterator[Block]:
    """Items of a list are blocks of their own."""
    run: list[Row] = []
    kind = PARAGRAPH
    for row in rows:
        if _LIST_MARK.match(row[0].text):
            if run:
                yield _block(run, kind)
            run, kind = [], LIST_ITEM
        run.append(row)
    if run:
        yield _block(run, kind)


def _block(rows: list[Row], kind: str = PARAGRAPH, level: int | None = None, cells: tuple[Cell, ...] = ()) -> Block:
    texts = [" ".join(marked_text(line.text).text for line in row) for row in rows]
    told = tuple(
        ReadLine(text, _confidence(row), hull([line.box for line in row]))
        for text, row in zip(texts, rows, strict=True)
    )
    every = [line for row in rows for line in row]
    box = hull([line.box for line in every])
    return Block("\n".join(texts), _confidence(every), box, TEXT_PASS, told, kind, level, cells)


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
