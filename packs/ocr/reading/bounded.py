"""A page has so many blocks and no more, and keeps all of its text."""

from dataclasses import replace

from packs.ocr.bounds import MAX_BLOCKS
from packs.ocr.reading.boxes import hull
from packs.ocr.reading.read_page import Block, ReadPage


def bounded(page: ReadPage) -> ReadPage:
    if len(page.blocks) <= MAX_BLOCKS:
        return page
    last = _as_one(page.blocks[MAX_BLOCKS - 1 :])
    warning = f"The page has {len(page.blocks)} blocks of text: those from the {MAX_BLOCKS}th on are told as one."
    return replace(page, blocks=[*page.blocks[: MAX_BLOCKS - 1], last], warnings=[*page.warnings, warning])


def _as_one(blocks: list[Block]) -> Block:
    letters = sum(len(block.text) for block in blocks)
    sure = sum(len(block.text) * block.confidence for block in blocks)
    text = "\n".join(block.text for block in blocks)
    return Block(text, round(sure / max(letters, 1), 3), hull([block.box for block in blocks]), blocks[0].name)
