"""What was read from a document: the values that cross from the reading process."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    title: str
    text: str
    """The main text, without navigation; lines are paragraphs."""
    published: str | None
    """ISO date as the page itself declares it; never guessed from its text."""
    language: str | None
    barrier: str | None
    """`PAYWALL` or `LOGIN_REQUIRED` when the page says that what we see is not what a reader gets."""
    cut: bool = False
    """The document goes on: `text` is its beginning."""


class Unreadable(Exception):
    """The document holds no text that can be read. The message is shown to the owner."""
