"""A reading process as the pack sees it: a file is given, answers come within their time, or the reason why not.

One process serves one run: no tenant's page meets another's.
"""

from typing import Any

from packs.ocr.bounds import (
    CHILD_CPU_SEC,
    CHILD_MEMORY_BYTES,
    CHILD_OPEN_FILES,
    CPU_LEFT_FOR_PAGE_SEC,
    DECODE_TIMEOUT_SEC,
    MAX_ANSWER_BYTES,
    OPEN_TIMEOUT_SEC,
    START_TIMEOUT_SEC,
)
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.files import File
from packs.ocr.profiles import OcrProfile
from packs.sandbox.confinement import Limits
from packs.sandbox.process import Closed, ConfinedProcess, SandboxError, TooMuch, TooSlow

ReaderAnswer = dict[str, Any]

_LIMITS = Limits(memory_bytes=CHILD_MEMORY_BYTES, cpu_sec=CHILD_CPU_SEC, open_files=CHILD_OPEN_FILES)


class ReadingProcess:
    """Belongs to the thread that uses it: the process dies with that thread. `close` may be called from any."""

    def __init__(self) -> None:
        self._process = ConfinedProcess(
            "packs.ocr.child",
            _LIMITS,
            start_timeout_sec=START_TIMEOUT_SEC,
            max_answer_bytes=MAX_ANSWER_BYTES,
        )
        self._held: File | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def contents(self, file: File, *, most_pages: int) -> ReaderAnswer:
        """How many pages, of which kind. Raises `Unreadable`."""
        return self._open(file, most_pages)

    def page(self, file: File, number: int, profile: OcrProfile, languages: str) -> ReaderAnswer:
        """The text of one page. Raises `Unreadable`; its `reason` says whether it was the page or its file."""
        if self._process.cpu_sec() > CHILD_CPU_SEC - CPU_LEFT_FOR_PAGE_SEC:
            # Its limit is for good and counts all of its pages: a long scan takes several processes.
            self._process.renew()
            self._held = None
        if self._held is not file:
            self._open(file, number + 1)
        request = {"op": "page", "page": number, "profile": profile.name, "languages": languages}
        answer = self._ask(request, DECODE_TIMEOUT_SEC, "The page could not be decoded")
        if "page" not in answer:
            answer = self._read_text(profile)
        read: ReaderAnswer = answer["page"]
        return read

    def close(self) -> None:
        """The thread that uses the process finds its pipe closed, and tidies up."""
        self._process.close()

    def end(self) -> None:
        """For the thread that uses it."""
        self._process.end()

    def _read_text(self, profile: OcrProfile) -> ReaderAnswer:
        """The page is decoded; what is slow from here on is not the file's fault alone, and its other pages go on."""
        try:
            return self._ask(None, profile.page_timeout_sec, "The page could not be read")
        except Unreadable as unreadable:
            if unreadable.reason is FailureReason.TIME_LIMIT:
                raise Unreadable(FailureReason.PAGE_TIME_LIMIT, unreadable.detail) from None
            raise

    def _open(self, file: File, most_pages: int) -> ReaderAnswer:
        self._held = None
        request = {"op": "open", "bytes": len(file.body), "pages": most_pages}
        answer = self._ask(request, OPEN_TIMEOUT_SEC, "The file could not be opened", file.body)
        self._held = file
        return answer

    def _ask(self, request: ReaderAnswer | None, seconds: float, failure: str, body: bytes = b"") -> ReaderAnswer:
        """Without a request: the next answer to the last one."""
        try:
            if request is None:
                answer = self._process.next_answer(timeout_sec=seconds)
            else:
                answer = self._process.ask(request, body, timeout_sec=seconds)
        except SandboxError as error:
            # The next question starts a new process, which holds no file.
            self._held = None
            raise _unreadable(error, seconds, failure) from None
        if "failure" in answer:
            raise Unreadable(FailureReason(answer["failure"]), answer["detail"])
        return answer


def _unreadable(error: SandboxError, seconds: float, failure: str) -> Unreadable:
    if isinstance(error, Closed):
        return Unreadable(FailureReason.DEADLINE_REACHED, "The run was over before the page was read.")
    if isinstance(error, TooSlow):
        return Unreadable(FailureReason.TIME_LIMIT, f"{failure} within {seconds:.0f} seconds.")
    if isinstance(error, TooMuch):
        return Unreadable(FailureReason.RESULT_TOO_LARGE, f"{failure}: it says more than one page may.")
    return Unreadable(FailureReason.READER_CRASHED, f"{failure}: it made its reader fail.")
