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


class _Group:
    """Who shares one share of the cores: the processes of a session, or one process."""

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.served_sec = 0.0
        self.ready: deque[_Task] = deque()
        self.running = 0


class _Task:
    def __init__(self, group: _Group, seconds: float, resume: Resume | None) -> None:
        self.group = group
        self.left_sec = seconds
        self.resume = resume
        """None: it belongs to others, and is never done."""
        self.since = 0.0
        self.turn = 0
        """Counts how often it got a core and lost it: an event planned for an earlier turn is void."""


class Cores:
    """Cores as Linux gives them out: the group that was served least comes next, a slice at a time.

    Who wakes up interrupts whoever was served more, but not within the first part of a slice. With `sched_autogroup`
    a group is a session, otherwise a process: who computes for whom is told by the name given to `work`.
    """

    SLICE_SEC = 0.004
    """One tick of a kernel of 250 Hz."""
    UNDISTURBED_SEC = 0.0014
    """The scheduler's own slice on two cores."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.busy_sec = 0.0
        self._groups: dict[object, _Group] = {}
        # In the order they came, so that every run of the program is the same.
        self._ready: dict[_Group, None] = {}
        self._running: list[_Task] = []
        self._served_sec = 0.0
        """By which all who compute have been served at least."""
        self._others: dict[object, list[_Task]] = {}

    def work(self, seconds: float, group: object = None) -> Wait:
        def begin(simulation: Simulation, resume: Resume) -> None:
            self.busy_sec += seconds
            self._wake(simulation, _Task(self._group(group), seconds, resume))

        return begin

    def set_others(self, simulation: Simulation, wanting: dict[object, tuple[int, float]]) -> None:
        """From now on so many programs of others compute without a pause: number and weight for each group."""
        for name in dict.fromkeys([*wanting, *self._others]):
            number, weight = wanting.get(name, (0, 1.0))
            tasks = self._others.setdefault(name, [])
            while len(tasks) > number:
                self._remove(simulation, tasks.pop())
            while len(tasks) < number:
                tasks.append(_Task(self._group(name, weight), float("inf"), None))
                self._wake(simulation, tasks[-1])

    def _group(self, name: object, weight: float = 1.0) -> _Group:
        if name not in self._groups:
            self._groups[name] = _Group(weight)
        return self._groups[name]

    def _wake(self, simulation: Simulation, task: _Task) -> None:
        group = task.group
        if not group.ready and not group.running:
            # What it did not use while it slept is lost, but for a slice.
            group.served_sec = max(group.served_sec, self._served_sec - self.SLICE_SEC)
        group.ready.append(task)
        self._ready[group] = None
        if len(self._running) < self.number:
            self._give(simulation)
        else:
            self._interrupt_for(simulation, group)

    def _interrupt_for(self, simulation: Simulation, group: _Group) -> None:
        now = simulation.now
        most = max(self._running, key=lambda task: _served(task, now))
        if now - most.since >= self.UNDISTURBED_SEC and _served(most, now) > group.served_sec:
            self._take(simulation, most)

    def _give(self, simulation: Simulation) -> None:
        """A core to whoever was served least."""
        if not self._ready:
            return
        group = min(self._ready, key=lambda each: each.served_sec)
        self._served_sec = max(self._served_sec, group.served_sec)
        task = group.ready.popleft()
        if not group.ready:
            self._ready.pop(group, None)
        group.running += 1
        task.since = simulation.now
        self._running.append(task)
        self._plan(simulation, task)

    def _plan(self, simulation: Simulation, task: _Task) -> None:
        task.turn += 1
        turn = task.turn

        def end() -> None:
            if task.turn != turn:
                return
            if task.left_sec <= self.SLICE_SEC:
                self._leave(simulation, task)
                if task.resume is not None:
                    simulation.at(simulation.now, task.resume)
                self._give(simulation)
            elif self._ready:
                self._take(simulation, task)
            else:
                self._charge(simulation, task)
                self._plan(simulation, task)

        simulation.at(simulation.now + min(task.left_sec, self.SLICE_SEC), end)

    def _take(self, simulation: Simulation, task: _Task) -> None:
        """It goes on later."""
        self._leave(simulation, task)
        task.group.ready.append(task)
        self._ready[task.group] = None
        self._give(simulation)

    def _leave(self, simulation: Simulation, task: _Task) -> None:
        self._charge(simulation, task)
        task.turn += 1
        task.group.running -= 1
        self._running.remove(task)

    def _charge(self, simulation: Simulation, task: _Task) -> None:
        task.group.served_sec = _served(task, simulation.now)
        task.left_sec -= simulation.now - task.since
        task.since = simulation.now

    def _remove(self, simulation: Simulation, task: _Task) -> None:
        if task in self._running:
            self._leave(simulation, task)
            self._give(simulation)
        elif task in task.group.ready:
            task.group.ready.remove(task)
            if not task.group.ready:
                self._ready.pop(task.group, None)


def _served(task: _Task, now: float) -> float:
    group = task.group
    # A group has its share of every core that it is on, if it is not there all the time: what sleeps much weighs little
    # elsewhere. Others, who never sleep, have one share in all.
    places = 1 if task.resume is None else min(2, group.running + len(group.ready))
    return group.served_sec + (now - task.since) / group.weight / places


class GroupCommit:
    """A log that is flushed for all who wait when the flush begins."""

    def __init__(self, flush_sec: Callable[[], float]) -> None:
        """How long the next flush takes: a disk has moods."""
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
        flush_sec = self._flush_sec()

        def done() -> None:
            self.busy_sec += flush_sec
            for resume in served:
                simulation.at(simulation.now, resume)
            self._flushing = False
            if self._waiting:
                self._flush(simulation)

        simulation.at(simulation.now + flush_sec, done)


class Shared:
    """Calls that arrive together share one, as `dpp_project/batching.py` does it: nobody waits for company."""

    def __init__(self, call: Callable[[int], Activity], *, lines: int, most: int) -> None:
        self._call = call
        self._lines = lines
        self._most = most
        self.calls, self.asked = 0, 0
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
        self.calls, self.asked = self.calls + 1, self.asked + 1 + len(company)
        yield from self._call(1 + len(company))
        if self._waiting:
            resume, next_leads = self._waiting.popleft()
            next_leads[0] = True
            simulation.at(simulation.now, resume)
        else:
            self._lines += 1
        for resume, _ in company:
            simulation.at(simulation.now, resume)
