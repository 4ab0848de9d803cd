"""An ocr run, step by step: collect the files, open each, read their pages side by side, tell what became of each.

The thread that runs the pack spends, reports and stops; files are only ever opened in confined processes. A page is
paid for when its reading begins. What is finished at the deadline is returned; what is not is listed.
"""

import time
from collections import deque
from dataclasses import dataclass, replace
from functools import partial

from dpp_project.canonical import canonical_sha256
from dpp_project.prices import OCR_PAGE, OCR_PAGE_CACHED, OCR_PASS, OCR_TEXT_PAGE
from packs.base import BudgetCapReached, JsonObject, PackContext, PackResult
from packs.ocr import models
from packs.ocr.book import Book, FileBook
from packs.ocr.collect import Collected, collect
from packs.ocr.failures import Reason, Unreadable
from packs.ocr.files import File
from packs.ocr.process import Answer, ReadingProcess
from packs.ocr.profiles import PROFILES, VERSION, OcrProfile
from packs.ocr.readers import Readers
from packs.ocr.result import result
from packs.ocr.schema import OcrInputs, read_inputs
from packs.ocr.services import PageCache

# Left for the end of the run: this much, or this share of a short timebox.
RESERVE_SEC = 3.0
RESERVE_SHARE = 0.15
# Fetching leaves this share of the time to the reading.
READING_SHARE = 0.5
# How often a cancel is looked for while pages are being read.
LOOK_UP_EVERY_SEC = 1.0
OPEN_FROM, READ_FROM, READ_TO = 0.1, 0.2, 0.9
ONE_PASS = PROFILES["P1"]


@dataclass(frozen=True)
class PageTask:
    file: FileBook
    number: int
    profile: OcrProfile
    key: str

    @property
    def is_text(self) -> bool:
        return self.file.sources[self.number] == "TEXT"


Pool = Readers[FileBook | PageTask]


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    left = context.deadline.remaining_sec()
    ends_at = time.monotonic() + left - min(RESERVE_SEC, RESERVE_SHARE * left)
    asked = read_inputs(inputs)
    collected = collect(asked.given, context, keep_sec=READING_SHARE * left)
    book = Book(_files(asked, collected))
    book.warnings += [f"{url} did not answer in time: an older copy was read." for url in collected.degraded]
    if collected.files:
        with Pool() as readers:
            _open_all(readers, book, asked, context, ends_at)
            _read_all(readers, _plan(book, asked), book, asked, context, ends_at)
    context.checkpoint("merge", READ_TO)
    return result(asked, book, collected.blocked, context.now)


def _files(asked: OcrInputs, collected: Collected) -> list[FileBook]:
    found = [FileBook(source, file) for source, file in collected.files.items()]
    failed = [FileBook(source, failure=failure) for source, failure in collected.failures.items()]
    order = {(item.name or item.pointer): number for number, item in reversed(list(enumerate(asked.given)))}
    order |= {item.pointer: number for number, item in enumerate(asked.given)}
    return sorted([*found, *failed], key=lambda file: order[file.source])


def _open_all(readers: Pool, book: Book, asked: OcrInputs, context: PackContext, ends_at: float) -> None:
    waiting = deque(file for file in book.files if file.file is not None)
    total, done = len(waiting), 0
    while (waiting or readers.running) and time.monotonic() < ends_at:
        while waiting and not readers.is_busy:
            file = waiting.popleft()
            assert file.file is not None
            readers.submit(file, partial(_contents, file.file, asked.max_pages))
        for task, answer in readers.finished(_wait(ends_at)):
            file, done = _file_of(task), done + 1
            if isinstance(answer, Unreadable):
                file.failure = answer
            else:
                file.opened(answer["kind"], answer["pages"], answer["sources"])
        context.checkpoint("open", OPEN_FROM + (READ_FROM - OPEN_FROM) * done / total, done=done, total=total)
    if waiting or readers.running:
        book.stop(Reason.DEADLINE_REACHED, "The run's time was up before the file was opened.")


def _plan(book: Book, asked: OcrInputs) -> deque[PageTask]:
    """The first pages of the files in their order; pages beyond the number are listed."""
    tasks: deque[PageTask] = deque()
    for file in book.files:
        if file.file is None or file.failure is not None:
            continue
        for number in range(min(file.pages, asked.max_pages - len(tasks))):
            if number not in file.left_out:
                tasks.append(PageTask(file, number, asked.profile, _cache_key(file.file.sha256, number, asked)))
        beyond = Unreadable(Reason.MAX_PAGES_REACHED, f"Only {asked.max_pages} pages were to be read.")
        planned = {task.number for task in tasks if task.file is file}
        file.leave_out([number for number in range(file.pages) if number not in planned], beyond)
    return tasks


def _read_all(
    readers: Pool,
    waiting: deque[PageTask],
    book: Book,
    asked: OcrInputs,
    context: PackContext,
    ends_at: float,
) -> None:
    total, done = len(waiting), 0
    while (waiting or readers.running) and time.monotonic() < ends_at:
        try:
            while waiting and not readers.is_busy and not book.budget_cap_reached:
                _begin(waiting.popleft(), readers, book, asked, context)
        except BudgetCapReached:
            book.budget_cap_reached = True
        if book.budget_cap_reached and not readers.running:
            break
        for task, answer in readers.finished(_wait(ends_at) if readers.running else 0):
            assert isinstance(task, PageTask)
            _end(task, answer, book, asked, context)
        done = total - len(waiting) - len(readers.running)
        context.checkpoint("read", READ_FROM + (READ_TO - READ_FROM) * done / max(total, 1), done=done, total=total)
    if book.budget_cap_reached:
        book.stop(Reason.BUDGET_CAP_REACHED, "Another page would cost more than is left.")
    else:
        book.stop(Reason.DEADLINE_REACHED, "The run's time was up before the page was read.")


def _begin(task: PageTask, readers: Pool, book: Book, asked: OcrInputs, context: PackContext) -> None:
    """Pay, then read. A page of a file that was given up, or that was read before, takes no process."""
    in_vain = task.file.given_up or book.full
    if in_vain is not None:
        task.file.leave_out([task.number], in_vain)
        return
    cache: PageCache | None = context.services.get("page_cache")
    known = cache.get(task.key, tenant_id=context.tenant_id) if cache is not None else None
    if known is not None:
        context.meter.spend(OCR_PAGE_CACHED)
        book.cache_hits += 1
        book.keep(task.file, task.number, known)
        return
    paid = replace(task, profile=_paid(task, book, context))
    book.cache_misses += 1
    readers.submit(paid, partial(_page, paid, asked.languages))


def _paid(task: PageTask, book: Book, context: PackContext) -> OcrProfile:
    """The profile that the reservation covers: a page that can be paid for, but not its further passes, is read in
    one pass, and is the last."""
    if task.is_text:
        context.meter.spend(OCR_TEXT_PAGE)
        return task.profile
    context.meter.spend(OCR_PAGE)
    if task.profile.passes_charged == 0:
        return task.profile
    try:
        context.meter.spend(OCR_PASS, task.profile.passes_charged)
    except BudgetCapReached:
        book.budget_cap_reached = True
        book.warnings.append(f"{task.file.source} page {task.number + 1} was read in one pass: the budget was used up.")
        return ONE_PASS
    return task.profile


def _end(task: PageTask, answer: Answer | Unreadable, book: Book, asked: OcrInputs, context: PackContext) -> None:
    if isinstance(answer, Unreadable):
        task.file.leave_out([task.number], answer)
        return
    book.keep(task.file, task.number, answer)
    cache: PageCache | None = context.services.get("page_cache")
    # A page read in fewer passes than were asked for must not answer the next full reading.
    if cache is not None and task.profile is asked.profile:
        cache.put(task.key, answer, tenant_id=context.tenant_id)


def _contents(file: File, most_pages: int, process: ReadingProcess) -> Answer:
    return process.contents(file, most_pages=most_pages)


def _page(task: PageTask, languages: str, process: ReadingProcess) -> Answer:
    assert task.file.file is not None
    return process.page(task.file.file, task.number, task.profile, languages)


def _file_of(task: FileBook | PageTask) -> FileBook:
    return task.file if isinstance(task, PageTask) else task


def _cache_key(file_sha256: str, number: int, asked: OcrInputs) -> str:
    """Everything that changes the answer."""
    return canonical_sha256(
        {
            "file": file_sha256,
            "page": number,
            "profile": asked.profile.name,
            "profile_version": VERSION,
            "languages": asked.languages,
            "models": models.VERSION,
        }
    )


def _wait(ends_at: float) -> float:
    return max(0.0, min(LOOK_UP_EVERY_SEC, ends_at - time.monotonic()))
