"""What has become of each file: its pages, or why not. Filled by `execute`, told by `result`."""

from collections import Counter
from dataclasses import dataclass, field

from packs.base import JsonObject
from packs.ocr.bounds import BLOCK_CHARS, MAX_RESULT_CHARS
from packs.ocr.failures import GIVE_UP, FailureReason, Unreadable
from packs.ocr.files import File


@dataclass
class FileState:
    source: str
    file: File | None = None
    kind: str | None = None
    pages: int = 0
    sources: list[str] = field(default_factory=list)
    """How each page that may be read will be: TEXT, MIXED, OCR, HTML."""
    failure: Unreadable | None = None
    """Of the file as a whole."""
    read: dict[int, JsonObject] = field(default_factory=dict)
    left_out: dict[int, Unreadable] = field(default_factory=dict)

    def opened(self, kind: str, pages: int, sources: list[str]) -> None:
        self.kind, self.pages, self.sources = kind, pages, sources

    def leave_out(self, numbers: range | list[int], why: Unreadable) -> None:
        for number in numbers:
            if number not in self.read:
                self.left_out.setdefault(number, why)

    @property
    def given_up(self) -> Unreadable | None:
        """The failure of one page that condemns the others."""
        return next((why for why in self.left_out.values() if why.reason in GIVE_UP), None)


@dataclass
class RunState:
    files: list[FileState]
    page_sources: Counter[str] = field(default_factory=Counter)
    """How many pages came from which level of the cache (`L1`, `L2`, `L3`), and how many from none (`MISS`)."""
    promised: Counter[str] = field(default_factory=Counter)
    """Items of the price list for pages that are being read: charged when they are delivered."""
    chars: int = 0
    """Of all pages that were read, as `bounds` counts them."""
    full: Unreadable | None = None
    """Set by the first page that did not fit; no more pages are begun."""
    budget_cap_reached: bool = False
    warnings: list[str] = field(default_factory=list)

    def keep(self, file: FileState, number: int, page: JsonObject) -> None:
        """A page that was read: told, if the result has room for it."""
        chars = sum(len(block["text"]) + BLOCK_CHARS for block in page["blocks"])
        if self.chars + chars > MAX_RESULT_CHARS:
            detail = f"The pages before this one fill the {MAX_RESULT_CHARS:,} characters of a result."
            self.full = Unreadable(FailureReason.RESULT_TOO_LARGE, detail)
            file.leave_out([number], self.full)
            return
        self.chars += chars
        file.read[number] = page

    def stop(self, reason: FailureReason, detail: str) -> None:
        """Everything that is not read yet is listed with this reason."""
        for file in self.files:
            if file.failure is None and file.kind is None:
                file.failure = Unreadable(reason, detail)
            file.leave_out(range(file.pages), Unreadable(reason, detail))
