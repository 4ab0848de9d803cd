"""Reading strangers' pages in a confined process, with a time limit that is kept.

A page can be written so that a parser runs for minutes, and a PDF so that it crashes. Then the process is ended and a
new one started for the next document; the worker never notices.
"""

from types import TracebackType
from typing import Self

from packs.sandbox.confinement import Limits
from packs.sandbox.process import ConfinedProcess, SandboxError
from packs.url.page import Page, Unreadable
from packs.url.page_signals import Signal

# Of the processor: on a busy machine a page is not less readable than on a quiet one.
READ_CPU_SEC = 4.0
# A process that does not work at all is not waited for longer than this many times that.
WAITS_AT_MOST = 5
# Loading the libraries is not the document's fault: on a crowded machine it may take its time, once for many runs.
START_TIMEOUT_SEC = 20.0
MAX_ANSWER_BYTES = 8 * 1_048_576
# A large page takes 150 MiB, a bomb whatever it gets.
LIMITS = Limits(memory_bytes=512 * 1_048_576, cpu_sec=100)


class ReaderProcess:
    """Use as a context manager. Not for use from several threads at once."""

    def __init__(self, read_cpu_sec: float = READ_CPU_SEC) -> None:
        self._read_cpu_sec = read_cpu_sec
        self._process = ConfinedProcess(
            "packs.url.reader_child",
            LIMITS,
            start_timeout_sec=START_TIMEOUT_SEC,
            max_answer_bytes=MAX_ANSWER_BYTES,
            loads_first=True,
        )

    def __enter__(self) -> Self:
        # It gets ready while the first document is still on its way.
        self._process.launch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.end()

    def read(self, body: bytes, content_type: str, *, time_left_sec: float, markdown: bool = False) -> Page:
        """Raises `Unreadable`, also when the time is up or the process died over the document."""
        try:
            answer = self._process.ask(
                {"bytes": len(body), "content_type": content_type, "markdown": markdown},
                body,
                timeout_sec=min(time_left_sec, WAITS_AT_MOST * self._read_cpu_sec),
                cpu_limit_sec=self._read_cpu_sec,
                start_timeout_sec=time_left_sec,
            )
        except SandboxError:
            raise Unreadable("The document could not be read in the time allowed.") from None
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        return Page(**{**answer, "signals": frozenset(map(Signal, answer["signals"]))})
