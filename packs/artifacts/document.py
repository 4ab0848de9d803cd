"""What a report is made of. Texts in here are plain: each writer escapes for its own format."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# Not allowed in XML at all, or able to reorder what a reader sees (bidirectional overrides).
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


@dataclass(frozen=True)
class Heading:
    level: int
    """1 to 4; the document's title is none of them."""
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Quote:
    text: str
    source: str = ""


@dataclass(frozen=True)
class Bar:
    name: str
    part: float
    """0 to 1 of the whole width."""
    value: str
    faded: bool = False
    """Of something that is out of the running."""


@dataclass(frozen=True)
class Bars:
    """A picture: one bar per line, longest first or as the reader knows the order."""

    caption: str
    bars: tuple[Bar, ...]


Block = Heading | Paragraph | Bullets | Table | Quote | Bars


@dataclass(frozen=True)
class Document:
    title: str
    created_at: datetime
    language: Literal["ko", "en"]
    blocks: tuple[Block, ...]


def shown(text: str) -> str:
    """The text without characters that no reader is meant to see."""
    return _UNSHOWN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
