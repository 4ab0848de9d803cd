"""One page of a PDF -> blocks: its text as it stands in the file, its pictures through the pipeline."""

from dataclasses import replace

from PIL import Image

from packs.ocr.bounds import MAX_PICTURES_IN_PAGE
from packs.ocr.profiles import OcrProfile
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.marks import UNKNOWN_LETTER, marked_text
from packs.ocr.reading.pdfs import PdfPage, TextLine
from packs.ocr.reading.read_page import Block, ReadPage, read_image

TEXT_PASS = "text"  # noqa: S105 (a way of reading, not a password)


def read_text(page: PdfPage) -> ReadPage:
    read = ReadPage(page.width, page.height, [])
    for group in _groups(page):
        lines = [marked_text(line.text) for line in group]
        read.doubts.extend(doubt for line in lines for doubt in line.doubts)
        box = hull([line.box for line in group])
        read.blocks.append(Block("\n".join(line.text for line in lines), _confidence(group), box, TEXT_PASS))
    return replace(read, low_confidence=len(read.doubts))


def _groups(page: PdfPage) -> list[list[TextLine]]:
    """Lines that follow each other closely are one block."""
    groups: list[list[TextLine]] = []
    for line in page.lines:
        before = groups[-1][-1].box if groups else None
        if before is None or not 0 <= line.box.top - before.top <= 2.4 * max(before.height, line.box.height):
            groups.append([])
        groups[-1].append(line)
    return groups


def _confidence(lines: list[TextLine]) -> float:
    letters = "".join(line.text for line in lines)
    return round(1 - letters.count(UNKNOWN_LETTER) / max(len(letters), 1), 3)


def read_mixed(page: PdfPage, drawn: Image.Image, scale: float, profile: OcrProfile, languages: str) -> ReadPage:
    """The page's own text, and what its pictures say besides: a letter over a picture is not told twice."""
    read = read_text(page)
    blocks, low = read.blocks, read.low_confidence
    own = list(blocks)
    largest = sorted(page.pictures, key=lambda box: -box.area)
    for picture in sorted(largest[:MAX_PICTURES_IN_PAGE], key=lambda box: (box.top, box.left)):
        part = read_image(drawn.crop(picture.scaled(scale).as_tuple()), profile, languages)
        for block in part.blocks:
            placed = _placed(block, picture, scale)
            if not any(placed.box.shared(known.box) > 0.5 * placed.box.area for known in own):
                blocks.append(placed)
        read.doubts.extend(part.doubts)
        low += part.low_confidence
        if not part.blocks:
            read.warnings.extend(f"A picture of the page: {warning}" for warning in part.warnings)
    if len(largest) > MAX_PICTURES_IN_PAGE:
        read.warnings.append(f"{len(largest) - MAX_PICTURES_IN_PAGE} smaller pictures of the page were not read.")
    # A picture's text comes where the picture stands.
    blocks.sort(key=lambda block: (block.box.top, block.box.left))
    return ReadPage(read.width, read.height, blocks, read.doubts, low, {"pictures": len(largest)}, read.warnings)


def _placed(block: Block, picture: Box, scale: float) -> Block:
    box = Box(
        picture.left + round(block.box.left / scale),
        picture.top + round(block.box.top / scale),
        picture.left + round(block.box.right / scale),
        picture.top + round(block.box.bottom / scale),
    )
    return Block(block.text, block.confidence, box, block.name)
