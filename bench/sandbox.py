"""What the confinement costs: the same pages, read by a confined child and by one that differs in nothing else.

`make bench-sandbox`: the two take turns page by page, in one run, so that whatever else the machine does meets both.
Prints a table; DOCS=1 writes it into docs/sandbox.md.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from packs.ocr.bounds import CHILD_CPU_SEC, CHILD_MEMORY_BYTES, CHILD_OPEN_FILES
from packs.sandbox.confinement import Limits, missing
from packs.sandbox.process import ConfinedProcess
from packs.sandbox.templates import Reader, Template
from packs.url import reader
from tests.packs.ocr.corpus import CLASSES, page
from tests.packs.ocr.documents import text_pdf

DOC = Path(__file__).parent.parent / "docs" / "sandbox.md"
_PATIENCE_SEC = 300.0
_LINES_A_PAGE = 30
_WITHOUT_ITS_FIRST_STEP = (
    "from packs.sandbox import template; here = template.Confinement; "
    "here.of_template = here.of_reader = lambda *_: None; template.main()"
)

Read = Callable[[ConfinedProcess, bytes], str]


class UnconfinedTemplate(Template):
    """The same template with the same environment; neither it nor its forks confine themselves."""

    _program = ("-c", _WITHOUT_ITS_FIRST_STEP)


class UnconfinedProcess(ConfinedProcess):
    """For this comparison only."""

    def _start(self) -> Reader:
        return UnconfinedTemplate(self._kind).fork()


class Side:
    """One of the two children, and what it has used."""

    def __init__(self, child: ConfinedProcess) -> None:
        self.child = child
        self.wall_sec: list[float] = []

    @property
    def cpu_sec(self) -> float:
        """Of the process since it was forked; its template had the libraries."""
        return self.child.cpu_sec()

    def read(self, how: Read, body: bytes) -> str:
        began = time.perf_counter()
        text = how(self.child, body)
        self.wall_sec.append(time.perf_counter() - began)
        return text


def read_picture(child: ConfinedProcess, body: bytes) -> str:
    child.ask({"op": "open", "bytes": len(body), "pages": 1}, body, timeout_sec=_PATIENCE_SEC)
    request = {"op": "page", "page": 0, "profile": "P1", "languages": "kor+eng"}
    answer = child.ask(request, timeout_sec=_PATIENCE_SEC)
    if "page" not in answer:
        answer = child.next_answer(timeout_sec=_PATIENCE_SEC)
    return json.dumps(answer["page"])


def read_pdf(child: ConfinedProcess, body: bytes) -> str:
    request = {"bytes": len(body), "content_type": "application/pdf", "markdown": False}
    answer = child.ask(request, body, timeout_sec=_PATIENCE_SEC)
    return str(answer["text"])


def pictures(count: int) -> list[bytes]:
    return [page(name, number).png() for number, name in enumerate(islice(cycle(CLASSES), count))]


def pdfs(count: int) -> list[bytes]:
    sentence = "Line {} of page {}: the parcel left the warehouse on time and nobody asked for it back."
    return [text_pdf(*(sentence.format(line, number) for line in range(_LINES_A_PAGE))) for number in range(count)]


def compared(what: str, serve: str, limits: Limits, how: Read, bodies: list[bytes], rounds: int) -> str:
    """One row: processor time and time of both, and their ratios."""
    plain, confined = (
        Side(kind(serve, limits, start_timeout_sec=_PATIENCE_SEC, max_answer_bytes=64 * 1_048_576))
        for kind in (UnconfinedProcess, ConfinedProcess)
    )
    try:
        for turn in range(rounds):
            for number, body in enumerate(bodies):
                sides = (plain, confined) if (turn + number) % 2 else (confined, plain)
                first, second = (side.read(how, body) for side in sides)
                assert first == second, "both children read the same"
        times_cpu = confined.cpu_sec / plain.cpu_sec
        times_wall = median(c / p for c, p in zip(confined.wall_sec, plain.wall_sec, strict=True))
        return (
            f"| {what} | {len(bodies)} x {rounds} | {plain.cpu_sec:.2f} s | {confined.cpu_sec:.2f} s "
            f"| {times_cpu:.2f} | {times_wall:.2f} |"
        )
    finally:
        plain.child.end()
        confined.child.end()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description="What the confinement costs.")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--docs", action="store_true", help="put the table into docs/sandbox.md, too")
    options = parser.parse_args()
    # More processor time than a run's child has: here one child reads everything.
    ocr_limits = Limits(memory_bytes=CHILD_MEMORY_BYTES, cpu_sec=10 * CHILD_CPU_SEC, open_files=CHILD_OPEN_FILES)
    lines = [
        "| pages | read | processor time without | with | ratio | ratio of times, median of pairs |",
        "|---|---|---|---|---|---|",
        compared("pictures, OCR (P1)", "packs.ocr.child", ocr_limits, read_picture, pictures(options.pages), 1),
        compared("PDF text", "packs.url.reader_child", reader.LIMITS, read_pdf, pdfs(options.pages), 50),
    ]
    lacking = ", ".join(missing()) or "nothing"
    lines += ["", f"Counted from the fork. Missing on the machine that measured: {lacking}."]
    text = "\n".join(lines)
    print(text, flush=True)
    if options.docs:
        _put_into_docs(text)
    return 0


def _put_into_docs(text: str) -> None:
    begin, end = "<!-- speed -->", "<!-- end of speed -->"
    before, _, rest = DOC.read_text().partition(begin)
    _, _, after = rest.partition(end)
    assert after, f"{DOC.name} has no place for the table"
    DOC.write_text(f"{before}{begin}\n{text}\n{end}{after}")


if __name__ == "__main__":
    sys.exit(main())
