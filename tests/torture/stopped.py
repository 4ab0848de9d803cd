"""A server is stopped (SIGSTOP) under load and goes on later: what callers of the API see meanwhile and after it."""

import contextlib
import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from uuid import UUID

from devstack.service import Service
from tests.builders import Customer, body, fresh_key
from tests.processes import children_of

HEALTH, POLL, SUBMIT, LARGE_SUBMIT = "health", "poll", "submit", "large submit"
# Above PROFILE.inline_payload_max_bytes: its inputs go to object storage.
_LONG_QUESTION = "Which of them? " * 6_000


@contextlib.contextmanager
def stopped(service: Service) -> Iterator[None]:
    """All its processes: those of PostgreSQL are in groups of their own."""
    head = service.program.pid
    assert head is not None
    family = [head]
    for pid in family:
        family += children_of(pid)
    try:
        for pid in family:
            _signal(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in family:
            _signal(pid, signal.SIGCONT)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


@dataclass
class Seen:
    """What one kind of caller was answered, and after how long. 0 is a caller who gave up."""

    answers: list[tuple[int, float]] = field(default_factory=list)

    def p99(self) -> float:
        times = sorted(seconds for _, seconds in self.answers)
        return times[min(len(times) - 1, int(len(times) * 0.99))]

    def slowest(self) -> float:
        return max(seconds for _, seconds in self.answers)

    def statuses(self) -> set[int]:
        return {status for status, _ in self.answers}

    def __str__(self) -> str:
        return f"{len(self.answers)} answers {sorted(self.statuses())}, p99 {self.p99():.2f} s, {self.slowest():.2f} s"


class Callers:
    """Threads that ask the API without a pause longer than a moment, each over one connection."""

    def __init__(self, url: str, owner: Customer, run_id: UUID) -> None:
        self._address = urlsplit(url).netloc
        self._owner = owner
        self._path = f"/v1/runs/{run_id}"
        self._over = threading.Event()
        self.seen = {kind: Seen() for kind in (HEALTH, POLL, SUBMIT, LARGE_SUBMIT)}
        self.accepted: dict[str, str] = {}

    @contextlib.contextmanager
    def calling(self, *, polls: int = 12, submits: int = 6, large: int = 4) -> Iterator[None]:
        calls = [(HEALTH, self._health)] * 2 + [(POLL, self._poll)] * polls
        calls += [(SUBMIT, self._submit)] * submits + [(LARGE_SUBMIT, self._submit_large)] * large
        threads = [threading.Thread(target=self._repeat, args=call) for call in calls]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _repeat(self, kind: str, call: Callable[[http.client.HTTPConnection], int]) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        while not self._over.is_set():
            began = time.monotonic()
            try:
                status = call(connection)
            except (OSError, http.client.HTTPException):
                status = 0
                connection.close()
            self.seen[kind].answers.append((status, time.monotonic() - began))
            time.sleep(0.05)
        connection.close()

    def _health(self, connection: http.client.HTTPConnection) -> int:
        connection.request("GET", "/healthz")
        return _status(connection)[0]

    def _poll(self, connection: http.client.HTTPConnection) -> int:
        connection.request("GET", self._path, headers=self._owner.headers())
        return _status(connection)[0]

    def _submit(self, connection: http.client.HTTPConnection) -> int:
        return self._send(connection, body(reservation={"max_cost_usd": "0.0500"}))

    def _submit_large(self, connection: http.client.HTTPConnection) -> int:
        inputs = {"question": "Which?", "options": ["Alpha", "Beta"], "criteria": ["price"], "context": _LONG_QUESTION}
        return self._send(connection, body(inputs=inputs, reservation={"max_cost_usd": "0.0500"}))

    def _send(self, connection: http.client.HTTPConnection, document: dict[str, object]) -> int:
        key = fresh_key()
        headers = self._owner.headers(**{"Idempotency-Key": key, "Content-Type": "application/json"})
        # A caller that is refused before its body is read finds the answer there, as urllib3 does.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/v1/runs", json.dumps(document), headers)
        status, answer = _status(connection)
        if status == 202:
            self.accepted[key] = json.loads(answer)["run_id"]
        return status


def _status(connection: http.client.HTTPConnection) -> tuple[int, bytes]:
    answer = connection.getresponse()
    return answer.status, answer.read()
