"""An ocr run, step by step: collect the files, open each, read their pages side by side, tell what became of each.

The thread that runs the pack spends, reports and stops; files are only ever opened in confined processes. A page is
paid for when it is delivered. What is finished at the deadline is returned; what is not is listed.
"""

import time
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

from dpp_project.canonical import canonical_sha256
from dpp_project.prices import OCR_PAGE, OCR_PAGE_CACHED, OCR_PASS, OCR_TEXT_PAGE
from packs.base import BudgetCapReached, JsonObject, PackContext, PackResult
from packs.cache import Source
from packs.ocr import models
from packs.ocr.collect import Collected, collect
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.files import File
from packs.ocr.process import ReaderAnswer, ReadingProcess
from packs.ocr.profiles import PROFILES, VERSION, OcrProfile
from packs.ocr.readers import Readers
from packs.ocr.result import result
from packs.ocr.run_state import FileState, RunState
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
    file: FileState
    number: int
    profile: OcrProfile
    key: str

    @property
    def is_text(self) -> bool:
        return self.file.sources[self.number] in ("TEXT", "HTML")


Pool = Readers[FileState | PageTask]


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    left = context.deadline.remaining_sec()
    ends_at = time.monotonic() + left - min(RESERVE_SEC, RESERVE_SHARE * left)
    asked = read_inputs(inputs)
    collected = collect(asked.given, context, keep_sec=READING_SHARE * left)
    state = RunState(_files(asked, collected))
    state.warnings += [f"{url} did not answer in time: an older copy was read." for url in collected.degraded]
    if collected.files:
        with Pool() as readers:
            _open_all(readers, state, asked, context, ends_at)
            _read_all(readers, _plan(state, asked), state, asked, context, ends_at)
    context.checkpoint("merge", READ_TO)
    return result(asked, state, collected, context.now)


def _files(asked: OcrInputs, collected: Collected) -> list[FileState]:
    found = [FileState(source, file) for source, file in collected.files.items()]
    failed = [FileState(source, failure=failure) for source, failure in collected.failures.items()]
    order = {(item.name or item.pointer): number for number, item in reversed(list(enumerate(asked.given)))}
    order |= {item.pointer: number for number, item in enumerate(asked.given)}
    return sorted([*found, *failed], key=lambda file: order[file.source])


def _open_all(readers: Pool, state: RunState, asked: OcrInputs, context: PackContext, ends_at: float) -> None:
    waiting = deque(file for file in state.files if file.file is not None)
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
        state.stop(FailureReason.DEADLINE_REACHED, "The run's time was up before the file was opened.")


def _plan(state: RunState, asked: OcrInputs) -> deque[PageTask]:
    """The first pages of the files in their order; pages beyond the number are listed."""
    tasks: deque[PageTask] = deque()
    for file in state.files:
        if file.file is None or file.failure is not None:
            continue
        for number in range(min(file.pages, asked.max_pages - len(tasks))):
            if number not in file.left_out:
                tasks.append(PageTask(file, number, asked.profile, _cache_key(file.file.sha256, number, asked)))
        beyond = Unreadable(FailureReason.MAX_PAGES_REACHED, f"Only {asked.max_pages} pages were to be read.")
        planned = {task.number for task in tasks if task.file is file}
        file.leave_out([number for number in range(file.pages) if number not in planned], beyond)
    return tasks


def _read_all(
    readers: Pool,
    waiting: deque[PageTask],
    state: RunState,
    asked: OcrInputs,
    context: PackContext,
    ends_at: float,
) -> None:
    total = len(waiting)
    with ExitStack() as leases:
        desk = _Desk(readers, state, asked, context, leases)
        while (waiting or readers.running) and time.monotonic() < ends_at:
            desk.begin_some(waiting)
            if state.budget_cap_reached and not readers.running:
                break
            # Nothing runs here while another run reads the page that is next: its answer is looked for after a while.
            if waiting and not readers.running:
                time.sleep(min(LOOK_UP_EVERY_SEC / 4, _wait(ends_at)))
            for task, answer in readers.finished(_wait(ends_at) if readers.running else 0):
                assert isinstance(task, PageTask)
                desk.end(task, answer)
            done = total - len(waiting) - len(readers.running)
            context.checkpoint("read", READ_FROM + (READ_TO - READ_FROM) * done / max(total, 1), done=done, total=total)
    if state.budget_cap_reached:
        state.stop(FailureReason.BUDGET_CAP_REACHED, "Another page would cost more than is left.")
    else:
        state.stop(FailureReason.DEADLINE_REACHED, "The run's time was up before the page was read.")


@dataclass
class _Desk:
    """Pages between their order and their answer: who pays for what, and which run reads a page that two want."""

    readers: Pool
    state: RunState
    asked: OcrInputs
    context: PackContext
    leases: ExitStack
    held: dict[str, AbstractContextManager[bool]] = field(default_factory=dict)
    """By cache key: the pages that this run reads and no other does meanwhile."""

    @property
    def cache(self) -> PageCache | None:
        found: PageCache | None = self.context.services.get("page_cache")
        return found

    def begin_some(self, waiting: deque[PageTask]) -> None:
        for _ in range(len(waiting)):
            if self.readers.is_busy or self.state.budget_cap_reached:
                return
            task = waiting.popleft()
            try:
                if not self._begin(task):
                    waiting.append(task)
            except BudgetCapReached:
                waiting.appendleft(task)
                # What the pages under way cost less than promised may pay for this one.
                self.state.budget_cap_reached = not self.readers.running
                return

    def _begin(self, task: PageTask) -> bool:
        """False: another run reads the page just now. A page of a file that was given up takes no process."""
        in_vain = task.file.given_up or self.state.full
        if in_vain is not None:
            task.file.leave_out([task.number], in_vain)
            return True
        if self._known(task):
            return True
        paid = replace(task, profile=self._profile_that_fits(task))
        if not self._lease(task.key):
            return False
        # The other run may have finished between the look and the lease.
        if self._known(task):
            self._release(task.key)
            return True
        self.state.promised.update(_price(paid, paid.profile.passes))
        self.state.page_sources[Source.MISS.value] += 1
        self.readers.submit(paid, partial(_page, paid, self.asked.languages))
        return True

    def end(self, task: PageTask, answer: ReaderAnswer | Unreadable) -> None:
        """Charged is what was delivered: nothing for a page that was not read, nor for a pass that changed nothing."""
        self.state.promised.subtract(_price(task, task.profile.passes))
        if isinstance(answer, Unreadable):
            task.file.leave_out([task.number], answer)
        else:
            for item, quantity in _price(task, answer["passes"]).items():
                self.context.meter.spend(item, quantity)
            self.state.keep(task.file, task.number, answer)
            # A page read in fewer passes than were asked for must not answer the next full reading.
            if self.cache is not None and task.profile is self.asked.profile:
                self.cache.put(task.key, answer, tenant_id=self.context.tenant_id)
        self._release(task.key)

    def _known(self, task: PageTask) -> bool:
        """A page that was read before."""
        found = self.cache.find(task.key, tenant_id=self.context.tenant_id) if self.cache is not None else None
        if found is None:
            return False
        self._require({OCR_PAGE_CACHED: 1})
        self.context.meter.spend(OCR_PAGE_CACHED)
        self.state.page_sources[found.source.value] += 1
        self.state.keep(task.file, task.number, found.page)
        return True

    def _profile_that_fits(self, task: PageTask) -> OcrProfile:
        """A page that can be paid for, but not its further passes, is read in one pass."""
        if self._fits(_price(task, task.profile.passes)):
            return task.profile
        self._require(_price(task, 1))
        source = f"{task.file.source} page {task.number + 1}"
        self.state.warnings.append(f"{source} was read in one pass: the budget was used up.")
        return ONE_PASS

    def _fits(self, items: Mapping[str, int]) -> bool:
        return self.context.meter.fits(Counter(items) + self.state.promised)

    def _require(self, items: Mapping[str, int]) -> None:
        if not self._fits(items):
            raise BudgetCapReached

    def _lease(self, key: str) -> bool:
        if self.cache is None or key in self.held:
            return self.cache is None
        lease = self.cache.working_on(key, tenant_id=self.context.tenant_id)
        if not lease.__enter__():
            lease.__exit__(None, None, None)
            return False
        self.held[key] = lease
        self.leases.callback(self._release, key)
        return True

    def _release(self, key: str) -> None:
        lease = self.held.pop(key, None)
        if lease is not None:
            lease.__exit__(None, None, None)


def _price(task: PageTask, passes: int) -> dict[str, int]:
    if task.is_text:
        return {OCR_TEXT_PAGE: 1}
    return {OCR_PAGE: 1, OCR_PASS: passes - 1} if passes > 1 else {OCR_PAGE: 1}


def _contents(file: File, most_pages: int, process: ReadingProcess) -> ReaderAnswer:
    return process.contents(file, most_pages=most_pages)


def _page(task: PageTask, languages: str, process: ReadingProcess) -> ReaderAnswer:
    assert task.file.file is not None
    return process.page(task.file.file, task.number, task.profile, languages)


def _file_of(task: FileState | PageTask) -> FileState:
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
