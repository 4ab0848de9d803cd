"""What has become of each file: its pages, or why not. Filled by `execute`, told by `result`."""

from dataclasses import dataclass, field

from packs.base import JsonObject
from packs.ocr.failures import GIVE_UP, Reason, Unreadable
from packs.ocr.files import File


@dataclass
class FileBook:
    source: str
    file: File | None = None
    kind: str | None = None
    pages: int = 0
    sources: list[str] = field(default_factory=list)
    """How each page that may be read will be: TEXT, MIXED, OCR."""
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
class Book:
    files: list[FileBook]
    cache_hits: int = 0
    cache_misses: int = 0
    budget_cap_reached: bool = False
    warnings: list[str] = field(default_factory=list)

    def stop(self, reason: Reason, detail: str) -> None:
        """Everything that is not read yet is listed with this reason."""
        for file in self.files:
            if file.failure is None and file.kind is None:
                file.failure = Unreadable(reason, detail)
            file.leave_out(range(file.pages), Unreadable(reason, detail))
