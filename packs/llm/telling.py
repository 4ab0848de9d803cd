"""A model's text told while it is written: joined into few pieces, as far as it passes the pack's own checks.

Everything told here is a draft. Whether it became the answer is told at the end, by whoever has checked the whole.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from packs.base import JsonObject, PackContext, StopRun
from packs.llm.field_text import FieldText, seen
from packs.llm.model import AnswerDraft, Hear

log = logging.getLogger(__name__)

# At most two pieces a second, and twenty seconds of them; after that only full ones, and the rest at the end.
_PAUSE_SEC = 0.5
_MOST_QUICK_PIECES = 40
_PIECE_CHARS = 1_500


class Verdict(StrEnum):
    STANDS = "stands"
    """The checked text is the last attempt's draft, word by word."""
    CHANGED = "changed"
    """The checked text is the model's, but not all of it was told, or not as it stands now."""
    REFUSED = "refused"
    """The model's text is not used."""


@dataclass(frozen=True)
class ToldField:
    """The text of an answer that is told while it is written."""

    name: str
    max_chars: int
    """What is longer is not told further: the checks will refuse it."""
    is_fit: Callable[[str], bool]
    """Whether the text so far, up to the end of a word, would pass the checks. From the first time that it would not,
    the rest of this attempt is not told."""


class Telling:
    """The drafts of one question, one for each attempt."""

    def __init__(self, field: ToldField | None, context: PackContext) -> None:
        self._draft: AnswerDraft | None = context.services.get("answer_draft") if field else None
        self._field = field
        self._attempt = 0
        self._told_attempt, self._told_pieces = 0, 0
        """Of the last attempt of which anything was told."""
        self._clear()

    @property
    def hear(self) -> Hear | None:
        """For the call of the attempt that has begun. None: nobody is told."""
        return self._hear if self._draft else None

    def begin(self) -> None:
        self._attempt += 1
        self._clear()

    def end(self) -> None:
        """The attempt's text is whole."""
        if self._is_open and self._text:
            self._guarded(self._tell_rest)

    def accept(self, value: JsonObject) -> None:
        """The checks have passed this answer."""
        if self._field and self._told_attempt:
            whole = self._told_attempt == self._attempt and self._text[: self._told_to] == seen(value[self._field.name])
            self._tell_verdict(Verdict.STANDS if whole else Verdict.CHANGED)

    def refuse(self) -> None:
        """There is no answer of the model."""
        if self._told_attempt:
            self._tell_verdict(Verdict.REFUSED)

    def _clear(self) -> None:
        self._reading = FieldText(self._field.name if self._field else "")
        self._text = ""
        self._told_to = 0
        self._pieces = 0
        self._next_at = 0.0
        self._is_open = self._draft is not None

    def _hear(self, part: str) -> None:
        if self._is_open:
            self._guarded(lambda: self._take(part))

    def _take(self, part: str) -> None:
        assert self._field is not None
        self._text += self._reading.feed(part)
        if len(self._text) > self._field.max_chars:
            self._is_open = False
            return
        full = len(self._text) - self._told_to >= _PIECE_CHARS
        now = time.monotonic()
        if now >= self._next_at and (full or self._pieces < _MOST_QUICK_PIECES):
            word_end = max(self._text.rfind(" "), self._text.rfind("\n")) + 1
            if word_end > self._told_to:
                self._next_at = now + _PAUSE_SEC
                self._tell(word_end)

    def _tell_rest(self) -> None:
        self._tell(len(self._text))

    def _tell(self, end: int) -> None:
        assert self._field is not None
        assert self._draft is not None
        if not self._field.is_fit(self._text[:end]):
            self._is_open = False
            return
        while self._told_to < end:
            piece = self._text[self._told_to : min(end, self._told_to + _PIECE_CHARS)]
            self._pieces += 1
            self._told_attempt, self._told_pieces = self._attempt, self._pieces
            self._draft.piece(self._attempt, self._pieces, piece)
            self._told_to += len(piece)

    def _tell_verdict(self, verdict: Verdict) -> None:
        assert self._draft is not None
        self._draft.verdict(self._told_attempt, self._told_pieces, verdict)

    def _guarded(self, tell: Callable[[], None]) -> None:
        """Nothing that goes wrong here is worth the answer."""
        try:
            tell()
        except StopRun:
            raise
        except Exception as error:
            # Of the type alone: a message could hold the text.
            log.warning("draft not told", extra={"error": type(error).__name__})
            self._is_open = False
