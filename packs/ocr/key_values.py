"""Pairs of a name and its value as a page has them: fields of a form, sums of a receipt. Nothing is interpreted."""

import re
from collections.abc import Iterator, Sequence

from packs.base import JsonObject

MOST_PAIRS = 500
_NAMED = re.compile(r"(?P<key>[^:：\d][^:：]{0,39}?)\s*[:：]\s*(?P<value>\S.{0,199})")
# `합계 12,300원`: words, then one amount at the line's end.
_AMOUNT = re.compile(
    r"(?P<key>[^\W\d][^\d:：]{0,39}?)[\s:]+(?P<value>[-₩$€£¥]?\s?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s?원?|[₩$€£¥]\s?\d+(?:\.\d+)?|\d+\.\d{2})"
)
_NO_NAME = re.compile(r"https?$|\d", re.IGNORECASE)
_TWO = 2


def key_values(blocks: Sequence[JsonObject]) -> list[JsonObject]:
    pairs = [pair for block in blocks for pair in _of_block(block)]
    return pairs[:MOST_PAIRS]


def _of_block(block: JsonObject) -> Iterator[JsonObject]:
    if block.get("cells"):
        yield from _of_cells(block["cells"])
    for line in block["text"].splitlines():
        found = _NAMED.fullmatch(line.strip()) or _AMOUNT.fullmatch(line.strip())
        if found and not _NO_NAME.search(found["key"]) and not found["value"].startswith("//"):
            yield {"key": found["key"].strip(), "value": found["value"].strip(), "bbox": block["bbox"]}


def _of_cells(cells: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Of a table of two columns: what stands beside what."""
    if max(cell["column"] + cell["column_span"] for cell in cells) != _TWO:
        return
    keys = {cell["row"]: cell["text"] for cell in cells if cell["column"] == 0}
    for cell in cells:
        key = keys.get(cell["row"], "").rstrip(" :：")
        if cell["column"] == 1 and key and cell["text"]:
            yield {"key": key, "value": cell["text"], "bbox": None}
