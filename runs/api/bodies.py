"""Bodies are read in few places: a caller who sends none of what it announced must not keep what others need.

There are so many places to read one, and of these one tenant, or one address without a key, has a part. So polls,
health and metrics, which read nothing, always find a thread, and a submit finds a place whatever another tenant does. A
body that does not come is given up (`body_deadline`).
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.conf import settings

from dpp_project import clock
from runs.access import api_keys
from runs.api.body_deadline import BodyDeadline
from runs.api.client_address import address_of
from runs.api.django_middleware import AGENTS
from runs.api.problems import DEPENDENCY_UNAVAILABLE

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, WSGIEnvironment

# What has arrived is read in a moment, however many arrive together. Who has waited longer waits for silent callers.
_PATIENCE_SEC = 0.25


class Places:
    """So many at once, and of each holder only a part."""

    def __init__(self, most: int, *, of_one_holder: int) -> None:
        self._most = most
        self._of_one_holder = of_one_holder
        self._held: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def place(self, holders: tuple[str, ...]) -> Iterator[None]:
        with self._changed:
            if not self._changed.wait_for(lambda: self._has_room(holders), timeout=_PATIENCE_SEC):
                raise DEPENDENCY_UNAVAILABLE.error(
                    "Too many callers are still sending their bodies. Nothing of yours was read; try again."
                )
            self._held.update(holders)
            self._held[""] += 1
        try:
            yield
        finally:
            with self._changed:
                for holder in (*holders, ""):
                    self._held[holder] -= 1
                    if not self._held[holder]:
                        del self._held[holder]
                self._changed.notify_all()

    def _has_room(self, holders: tuple[str, ...]) -> bool:
        return self._held[""] < self._most and all(self._held[holder] < self._of_one_holder for holder in holders)


# Anybody can begin to send a form, only a key can begin to submit: strangers must not take the places of agents.
_FORM_PLACES = Places(4, of_one_holder=2)
_SUBMIT_PLACES = Places(settings.MAX_BODY_READERS, of_one_holder=max(settings.MAX_BODY_READERS // 2, 1))

_DEADLINE = BodyDeadline()


class Body:
    """`wsgi.input`, as far as Django and we read it."""

    def __init__(
        self, stream: "InputStream", places: Places, holders: Callable[[], tuple[str, ...]], *, left: float
    ) -> None:
        self._stream = stream
        self._places = places
        self._holders = holders
        self._left = left

    @property
    def is_read(self) -> bool:
        """Nothing of it is left on the connection."""
        return self._left <= 0

    def read(self, size: int = -1, /) -> bytes:
        with self._places.place(self._holders()), _DEADLINE.reading():
            return self._counted(self._stream.read(size), size)

    def readline(self, size: int = -1, /) -> bytes:
        with self._places.place(self._holders()), _DEADLINE.reading():
            return self._counted(self._stream.readline(size))

    def _counted(self, part: bytes, size: int = 1) -> bytes:
        # Less than was asked for is the end.
        self._left = 0 if size < 0 or len(part) < size else self._left - len(part)
        return part


def body_of(environ: "WSGIEnvironment") -> Body:
    address = address_of(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", ""))

    def holders() -> tuple[str, ...]:
        """By now the caller is known, if it has a key."""
        key = api_keys.find_cached(_bearer(environ), now=clock.now()) if is_agents else None
        # Many tenants may share one address, and are told apart by their keys.
        return (f"tenant {key.tenant_id}",) if key else (f"address {address}",)

    is_agents = environ["PATH_INFO"].startswith(AGENTS)
    places = _SUBMIT_PLACES if is_agents else _FORM_PLACES
    length = environ.get("CONTENT_LENGTH") or "0"
    is_known = "HTTP_TRANSFER_ENCODING" not in environ and length.isascii() and length.isdigit()
    return Body(environ["wsgi.input"], places, holders, left=float(length if is_known else "inf"))


def _bearer(environ: "WSGIEnvironment") -> str:
    return str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")[2].strip()
