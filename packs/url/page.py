"""What was read from a document: the values that cross from the reading process."""

from collections.abc import Collection
from dataclasses import dataclass

from packs.url.page_signals import Signal


@dataclass(frozen=True)
class Page:
    title: str
    text: str
    """The main text, without navigation; lines are paragraphs."""
    published: str | None
    """ISO date of its first appearance, as the page itself declares it; never guessed from its text."""
    language: str | None
    barrier: str | None
    """The reason when the page says that what we see is not what a reader gets: `PAYWALL`, `LOGIN_REQUIRED`,
    `BOT_WALL`, `CONSENT_WALL`."""
    cut: bool = False
    """The document goes on: `text` is its beginning."""
    modified: str | None = None
    """ISO date of its last change, where the page declares one."""
    signals: Collection[Signal] = ()
    """What the page shows of the kind of source it is."""
    markdown: str = ""
    """The main text with headings, lists, tables and links, where it was asked for."""

    @property
    def last_dated(self) -> str | None:
        """When somebody last stood by the text."""
        return max((date for date in (self.published, self.modified) if date), default=None)


class Unreadable(Exception):
    """The document holds no text that can be read. The message is shown to the owner."""
