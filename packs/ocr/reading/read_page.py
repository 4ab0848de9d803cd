"""One picture of a page -> blocks of text with their places. The whole pipeline, in its order."""

import functools
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from packs.ocr.bounds import WORK_PIXELS
from packs.ocr.profiles import OcrProfile
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.engine import Line
from packs.ocr.reading.enhance import Enhanced, enhance
from packs.ocr.reading.marks import DOUBTFUL_BELOW, marked
from packs.ocr.reading.orientation import Turn, turned
from packs.ocr.reading.passes import Passes, ReadRegion
from packs.ocr.reading.regions import Layout, find_regions
from packs.ocr.reading.rulings import without_rulings
from packs.ocr.reading.skew import skew_degrees
from packs.ocr.reading.spacing import joined
from packs.ocr.reading.tongues import Tongues

# A page read with less than this may lie on its side or stand on its head.
MAYBE_TURNED_BELOW = 75.0
SURELY_TURNED_BY = 15.0
SAMPLE_ROWS = 3
# A letter or two say nothing, however sure: a frame on its side is an `E` to the engine.
SAMPLE_LETTERS = 12
# A gap of this many rows between two lines ends a block.
BLOCK_GAP_ROWS = 1.0


@dataclass(frozen=True)
class Block:
    text: str
    confidence: float
    """0 to 1."""
    box: Box
    name: str
    """The pass that read it, or `text` where the file itself says what stands there."""


@dataclass(frozen=True)
class ReadPage:
    width: int
    height: int
    blocks: list[Block]
    doubts: list[str] = field(default_factory=list)
    low_confidence: int = 0
    preflight: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@functools.cache
def tongues(languages: str) -> Tongues:
    """Loaded once in a process's life."""
    return Tongues(languages)


def read_image(grey: Image.Image, profile: OcrProfile, languages: str) -> ReadPage:
    scale = min(1.0, (WORK_PIXELS / (grey.width * grey.height)) ** 0.5)
    enhanced = enhance(Turn(grey.size, 0, scale).apply(grey))
    turn = Turn(grey.size, _upright_degrees(enhanced.image, languages), scale)
    ruled = without_rulings(turned(enhanced.image, turn.degrees))
    layout = find_regions(ruled.image, is_table=ruled.is_table)
    regions = Passes(ruled.image, profile, tongues(languages)).read(layout)
    regions = [replace(region, lines=tuple(joined(line) for line in region.lines)) for region in regions]
    page = ReadPage(grey.width, grey.height, [], preflight=_preflight(enhanced, turn, layout, is_table=ruled.is_table))
    return _filled(page, regions, turn)


def _upright_degrees(grey: Image.Image, languages: str) -> float:
    """Counter-clockwise: the skew, and the quarter turn with which a few rows of the page are read most surely. Rows
    that slant cannot be judged, so the skew is taken out first."""
    skew = skew_degrees(grey)
    as_given = _sample(turned(grey, skew), languages)
    if as_given is None or as_given >= MAYBE_TURNED_BELOW:
        return skew
    on_its_side = skew_degrees(turned(grey, 90))
    ways_up = (180 + skew, 90 + on_its_side, 270 + on_its_side)
    tried = {degrees % 360: _sample(turned(grey, degrees % 360), languages) or 0.0 for degrees in ways_up}
    best = max(tried, key=lambda degrees: tried[degrees])
    return best if tried[best] > as_given + SURELY_TURNED_BY else skew


def _sample(grey: Image.Image, languages: str) -> float | None:
    """How surely the page's fullest rows are read, counting for nothing what is too little text for its room."""
    grey = without_rulings(grey).image
    layout = find_regions(grey, is_table=False)
    rows = [row.box for region in layout.regions for row in region.rows if row.box.height > 8]
    fullest = sorted(rows, key=lambda box: -box.width / box.height)[:SAMPLE_ROWS]
    if not fullest:
        return None
    lines = [
        line
        for box in fullest
        for line in tongues(languages).read(grey, box, row_height=box.height, scale=min(2.0, 32 / box.height))
    ]
    letters = sum(len(line.text) for line in lines)
    room = sum(box.width / box.height for box in fullest)
    return sum(line.confidence * len(line.text) for line in lines) / max(letters, room, SAMPLE_LETTERS)


def _preflight(enhanced: Enhanced, turn: Turn, layout: Layout, *, is_table: bool) -> dict[str, Any]:
    return {
        "layout": "table" if is_table else "columns" if layout.columns > 1 else "single",
        "columns": max(layout.columns, 1),
        "turned_degrees": turn.degrees,
        "row_height_px": round(layout.body_height / turn.scale),
        "preprocessing": list(enhanced.steps),
    }


def _filled(page: ReadPage, regions: list[ReadRegion], turn: Turn) -> ReadPage:
    low = 0
    for region in regions:
        for lines in _blocks(region):
            texts = [marked(line) for line in lines]
            page.doubts.extend(doubt for text in texts for doubt in text.doubts)
            low += sum(word.confidence < DOUBTFUL_BELOW for line in lines for word in line.words)
            box = turn.back(hull([line.box for line in lines]))
            page.blocks.append(Block("\n".join(text.text for text in texts), _confidence(lines), box, region.name))
    return ReadPage(page.width, page.height, page.blocks, page.doubts, low, page.preflight, page.warnings)


def _blocks(region: ReadRegion) -> list[list[Line]]:
    """Lines of a region, parted where a blank line stands between them."""
    blocks: list[list[Line]] = []
    for line in region.lines:
        apart = blocks and line.box.top - blocks[-1][-1].box.bottom > BLOCK_GAP_ROWS * region.region.row_height
        if not blocks or apart:
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _confidence(lines: list[Line]) -> float:
    letters = sum(len(line.text) for line in lines)
    return round(sum(line.confidence * len(line.text) for line in lines) / (100 * max(letters, 1)), 3)
