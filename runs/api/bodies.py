"""Bodies are read in few places: a caller who sends none of what it announced keeps a thread for as long as it likes.

The server has no time limit for a body, and nothing ends a read that has begun: only how many there are at once can be
bounded. So polls, health and metrics, which read nothing, always find a thread.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.conf import settings

from runs.api.people import AGENTS
from runs.api.problems import DEPENDENCY_UNAVAILABLE

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, WSGIEnvironment

# What has arrived is read in a moment, however many arrive together. Who has waited longer waits for silent callers.
_PATIENCE_SEC = 0.25

# Anybody can begin to send a form, only a key can begin to submit: strangers must not take the places of agents.
_FORM_PLACES = threading.BoundedSemaphore(2)
_SUBMIT_PLACES = threading.BoundedSemaphore(settings.MAX_BODY_READERS)


class Body:
    """`wsgi.input`, as far as Django and we read it."""

    def __init__(self, stream: "InputStream", places: threading.BoundedSemaphore) -> None:
        self._stream = stream
        self._places = places

    def read(self, size: int = -1, /) -> bytes:
        with self._place():
            return self._stream.read(size)

    def readline(self, size: int = -1, /) -> bytes:
        with self._place():
            return self._stream.readline(size)

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(timeout=_PATIENCE_SEC):
            raise DEPENDENCY_UNAVAILABLE.error(
                "Too many callers are still sending their bodies. Nothing of yours was read; try again."
            )
        try:
            yield
        finally:
            self._places.release()


def body_of(environ: "WSGIEnvironment") -> Body:
    is_agents = environ["PATH_INFO"].startswith(AGENTS)
    return Body(environ["wsgi.input"], _SUBMIT_PLACES if is_agents else _FORM_PLACES)
