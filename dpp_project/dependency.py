"""A server that we wait for, held apart from the others: when it falls silent, only those who need it notice.

A process that serves requests calls `protect`: from then on at most so many threads wait for this server at a time,
and one request waits for it no longer than so many seconds in all. A call that finds every place taken while nobody is
answered, or comes soon after one that got no answer, is refused at once: its thread is for somebody else.
Processes that only work (workers, jobs, commands) are not protected; their calls have time limits of their own.
"""

import threading
import time
from types import TracebackType

from dpp_project.cool_down import CoolDown
from dpp_project.metrics import DEPENDENCY_REFUSALS

# Nobody is answered for so long: a healthy server takes milliseconds.
_STALLED_AFTER_SEC = 0.6
_REST_SEC = 2.0
# A caller shall have its 503 within three seconds.
_TOTAL_SEC = 2.0
_FOREVER = float("inf")


class DependencySilent(Exception):
    """The server does not answer; this call was not made, or was given up."""


class Dependency:
    def __init__(self, name: str) -> None:
        self.name = name
        self._places = 0
        self._total_sec = _FOREVER
        self._calls: dict[_Call, float] = {}
        self._free = threading.Condition()
        self._rest = CoolDown(_REST_SEC)
        self._answered_at = 0.0
        self._parts: dict[str, Dependency] = {}

    def part(self, name: str) -> "Dependency":
        """One server of several that do this work together: held apart from the others, and protected like all of
        it."""
        found = self._parts.get(name)
        if found is None:
            found = Dependency(f"{self.name} {name}")
            if self.is_protected:
                found.protect(places=self._places, total_sec=self._total_sec)
            found = self._parts.setdefault(name, found)
        return found

    def protect(self, *, places: int, total_sec: float) -> None:
        """Called once at the start of a process that serves requests."""
        self._places = places
        self._total_sec = total_sec

    @property
    def places(self) -> int:
        return self._places

    @property
    def is_protected(self) -> bool:
        return self._places > 0

    @property
    def is_silent(self) -> bool:
        """It got no answer a moment ago: a request that needs it can be refused before it has begun."""
        return self.is_protected and bool(self._rest)

    def call(self) -> "_Call":
        """Around one call: `with` gives the seconds that it may take. Raises `DependencySilent`."""
        return _Call(self)

    def got_no_answer(self, *, within_sec: float) -> None:
        """A caller gave up after so long. Unless others were answered meanwhile, nobody waits for it for a moment."""
        if self._places and self._answered_at < time.monotonic() - within_sec:
            self._rest.begin()

    def enter(self, call: "_Call") -> float:
        """The seconds that this call may take."""
        left = self.left()
        with self._free:
            while True:
                if self._rest:
                    raise self.refused("silent")
                now = time.monotonic()
                if len(self._calls) < self._places:
                    self._calls[call] = now
                    return left
                # Calls are kept in the order in which they began.
                oldest = next(iter(self._calls.values()))
                patience = max(oldest, self._answered_at) + _STALLED_AFTER_SEC - now
                if patience <= 0:
                    raise self.refused("full")
                self._free.wait(patience)

    def leave(self, call: "_Call", *, answered: bool) -> None:
        with self._free:
            began = self._calls.pop(call)
            now = time.monotonic()
            if answered:
                self._answered_at = now
            if len(self._calls) == self._places - 1:
                self._free.notify()
        spent: dict[str, float] | None = getattr(_request, "spent", None)
        if spent is not None:
            spent[self.name] = spent.get(self.name, 0.0) + now - began

    def left(self) -> float:
        """The seconds that this thread's request may still wait for it. Raises `DependencySilent`."""
        spent: dict[str, float] | None = getattr(_request, "spent", None)
        if spent is None:
            # A thread that serves no request (a pool's own) has no total, only a limit for each call.
            return self._total_sec
        total: float | None = _request.total_sec
        left = (self._total_sec if total is None else total) - spent.get(self.name, 0.0)
        if left <= 0:
            raise self.refused("time_is_up")
        return left

    def refused(self, reason: str) -> DependencySilent:
        DEPENDENCY_REFUSALS.labels(dependency=self.name, reason=reason).inc()
        return DependencySilent(f"{self.name} does not answer ({reason})")


class _Call:
    # Not made of a generator: it stands in the way of every poll.
    __slots__ = ("_dependency", "_takes_place")

    def __init__(self, dependency: Dependency) -> None:
        self._dependency = dependency
        self._takes_place = False

    def __enter__(self) -> float:
        dependency = self._dependency
        if not dependency.is_protected:
            return _FOREVER
        if getattr(_inside, dependency.name, False):
            # This thread has its place: a call that others share is part of the one that each of them makes. But who is
            # next to make it for all does not wait anew for a server that has just left the one before unanswered.
            if dependency.is_silent:
                raise dependency.refused("silent")
            return dependency.left()
        left = dependency.enter(self)
        self._takes_place = True
        setattr(_inside, dependency.name, True)
        return left

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._takes_place:
            setattr(_inside, self._dependency.name, False)
            self._dependency.leave(self, answered=kind is None)


# In which calls this thread is.
_inside = threading.local()
# What the request of this thread has spent with each server so far.
_request = threading.local()

POSTGRESQL = Dependency("postgresql")
REDIS = Dependency("redis")
# Those that have a server of their own; else they are part of the one above.
REDIS_EVENTS = Dependency("redis_events")
REDIS_CACHE = Dependency("redis_cache")
REDIS_LIMITS = Dependency("redis_limits")
SQS = Dependency("sqs")
S3 = Dependency("s3")


def begin_request(*, total_sec: float | None = None) -> None:
    """This thread begins with another request: from here its time with each server counts."""
    _request.total_sec = total_sec
    _request.spent = {}


def protect_serving(*, threads: int) -> None:
    """For a process that serves with so many threads: a quarter of them is never taken by any one silent server."""
    most = max(threads * 3 // 4, 1)
    POSTGRESQL.protect(places=most, total_sec=_TOTAL_SEC)
    for server in (REDIS, REDIS_EVENTS, REDIS_CACHE, REDIS_LIMITS):
        server.protect(places=most, total_sec=_TOTAL_SEC)
    SQS.protect(places=most, total_sec=_TOTAL_SEC)
    # Slower, and asked by few requests.
    S3.protect(places=max(threads // 4, 1), total_sec=_TOTAL_SEC)
