"""A small discrete-event simulation: activities are generators, and yield what they wait for.

An activity yields a callable that takes (simulation, resume) and calls `resume` when the wait is over.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Generator
from typing import Any

Resume = Callable[[], None]
Wait = Callable[["Simulation", Resume], None]
Activity = Generator[Wait, None, Any]


class Simulation:
    def __init__(self) -> None:
        self.now = 0.0
        self._agenda: list[tuple[float, int, Resume]] = []
        self._number = itertools.count()

    def at(self, moment: float, call: Resume) -> None:
        heapq.heappush(self._agenda, (moment, next(self._number), call))

    def start(self, activity: Activity) -> None:
        def go_on() -> None:
            wait = next(activity, None)
            if wait is not None:
                wait(self, go_on)

        self.at(self.now, go_on)

    def run(self, until: float) -> None:
        while self._agenda and self._agenda[0][0] <= until:
            self.now, _, call = heapq.heappop(self._agenda)
            call()
        self.now = until


def sleep(seconds: float) -> Wait:
    return lambda simulation, resume: simulation.at(simulation.now + seconds, resume)


class Station:
    """So many places; who finds none free waits in order. Cores, a server of one thread, a locked row."""

    def __init__(self, places: float) -> None:
        self.places = places
        self._free = places
        self._waiting: deque[Resume] = deque()
        self.busy_sec = 0.0

    def enter(self, simulation: Simulation, resume: Resume) -> None:
        if self._free >= 1:
            self._free -= 1
            simulation.at(simulation.now, resume)
        else:
            self._waiting.append(resume)

    def leave(self, simulation: Simulation) -> None:
        if self._waiting:
            simulation.at(simulation.now, self._waiting.popleft())
        else:
            self._free += 1

    def use(self, simulation: Simulation, seconds: float) -> Activity:
        yield self.enter
        yield sleep(seconds)
        self.busy_sec += seconds
        self.leave(simulation)

    @property
    def length(self) -> int:
        return len(self._waiting)


class Cores:
    """Everybody who computes gets the same share, others on the machine too: at most one core each.

    `others` computes all the time and is never done; in units of a process of ordinary priority.
    """

    def __init__(self, number: float, others: float = 0.0) -> None:
        self.number = number
        self.others = others
        self.busy_sec = 0.0
        self._given = 0.0
        """Seconds of work that whoever has been here from the beginning would have got."""
        self._seen_at = 0.0
        self._jobs: list[tuple[float, int, Resume]] = []
        self._numbers = itertools.count()
        self._generation = 0

    def work(self, seconds: float) -> Wait:
        def begin(simulation: Simulation, resume: Resume) -> None:
            self._advance(simulation.now)
            self.busy_sec += seconds
            heapq.heappush(self._jobs, (self._given + seconds, next(self._numbers), resume))
            self._plan(simulation)

        return begin

    def _share(self) -> float:
        return min(1.0, self.number / (len(self._jobs) + self.others))

    def _advance(self, now: float) -> None:
        if self._jobs:
            self._given += (now - self._seen_at) * self._share()
        self._seen_at = now

    def _plan(self, simulation: Simulation) -> None:
        self._generation += 1
        if not self._jobs:
            return
        generation = self._generation
        wait = max(0.0, self._jobs[0][0] - self._given) / self._share()

        def done() -> None:
            if generation != self._generation:
                return  # somebody came meanwhile, and it was planned anew
            self._advance(simulation.now)
            _, _, resume = heapq.heappop(self._jobs)
            simulation.at(simulation.now, resume)
            self._plan(simulation)

        simulation.at(simulation.now + wait, done)


class GroupCommit:
    """A log that is flushed for all who wait when the flush begins."""

    def __init__(self, flush_sec: float) -> None:
        self._flush_sec = flush_sec
        self._waiting: list[Resume] = []
        self._flushing = False
        self.busy_sec = 0.0

    def commit(self, simulation: Simulation, resume: Resume) -> None:
        self._waiting.append(resume)
        if not self._flushing:
            self._flush(simulation)

    def _flush(self, simulation: Simulation) -> None:
        served, self._waiting = self._waiting, []
        self._flushing = True

        def done() -> None:
            self.busy_sec += self._flush_sec
            for resume in served:
                simulation.at(simulation.now, resume)
            self._flushing = False
            if self._waiting:
                self._flush(simulation)

        simulation.at(simulation.now + self._flush_sec, done)


class Shared:
    """Calls that arrive together share one, as `dpp_project/batching.py` does it: nobody waits for company."""

    def __init__(self, call: Callable[[int], Activity], *, lines: int, most: int) -> None:
        self._call = call
        self._lines = lines
        self._most = most
        self._waiting: deque[tuple[Resume, list[bool]]] = deque()

    def ask(self, simulation: Simulation) -> Activity:
        leads = [self._lines > 0]
        if leads[0]:
            self._lines -= 1
        else:
            yield lambda _, resume: self._waiting.append((resume, leads))
        if not leads[0]:
            return
        company = [self._waiting.popleft() for _ in range(min(len(self._waiting), self._most - 1))]
        yield from self._call(1 + len(company))
        if self._waiting:
            resume, next_leads = self._waiting.popleft()
            next_leads[0] = True
            simulation.at(simulation.now, resume)
        else:
            self._lines += 1
        for resume, _ in company:
            simulation.at(simulation.now, resume)
