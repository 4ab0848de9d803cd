"""Bodies are read in few places: a caller who sends none of what it announced must not keep what others need.

There are so many places to read one, and of these one tenant has a part, and so has one address, however many tenants
come from it. So polls, health and metrics, which read nothing, always find a thread, and a submit finds a place
whatever another tenant or address does. A body that does not come is given up (`body_deadline`).
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

from dpp_project import clock
from runs.access import api_keys
from runs.api.body_deadline import BodyDeadline
from runs.api.client_address import address_of
from runs.api.middleware import AGENTS
from runs.api.problems import DEPENDENCY_UNAVAILABLE

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, WSGIEnvironment

# What has arrived is read in a moment, however many arrive together. Where no place became free for longer, silent
# callers have them all.
_PATIENCE_SEC = 0.25
# A place may become free again and again, and others may take it.
_MOST_PATIENCE_SEC = 1.0


@dataclass
class _Share:
    """What one holder has of the places."""

    held: int = 0
    given_back_at: float = 0.0


@dataclass(frozen=True)
class Holder:
    """Who has only a part of the places: a tenant, an address."""

    name: str
    most: int


class Places:
    """So many at once, and of each holder only a part."""

    def __init__(self, most: int) -> None:
        self._all = Holder("", most)
        self._shares: defaultdict[Holder, _Share] = defaultdict(_Share)
        self._waiting = 0
        self._changed = threading.Condition()

    @contextmanager
    def place(self, holders: tuple[Holder, ...]) -> Iterator[None]:
        counted = (self._all, *holders)
        with self._changed:
            self._wait_for_room(counted)
            for holder in counted:
                self._shares[holder].held += 1
        try:
            yield
        finally:
            with self._changed:
                for holder in counted:
                    share = self._shares[holder]
                    share.held -= 1
                    share.given_back_at = time.monotonic()
                self._forget_idle()
                self._changed.notify_all()

    def _wait_for_room(self, counted: tuple[Holder, ...]) -> None:
        """As long as places become free: on a busy machine also those who are not silent take a while."""
        began = now = time.monotonic()
        self._waiting += 1
        try:
            while full := self._full(counted):
                gives_up_at = max(began, min(share.given_back_at for share in full)) + _PATIENCE_SEC
                patience = min(gives_up_at, began + _MOST_PATIENCE_SEC) - now
                if patience <= 0:
                    raise DEPENDENCY_UNAVAILABLE.error(
                        "Too many callers are still sending their bodies. Nothing of yours was read; try again."
                    )
                self._changed.wait(patience)
                now = time.monotonic()
        finally:
            self._waiting -= 1

    def _forget_idle(self) -> None:
        """Who waits must still see when a place was given back."""
        if not self._waiting:
            for holder in [holder for holder, share in self._shares.items() if not share.held]:
                del self._shares[holder]

    def _full(self, counted: tuple[Holder, ...]) -> list[_Share]:
        found = ((self._shares.get(holder), holder.most) for holder in counted)
        return [share for share, most in found if share and share.held >= most]


# Anybody can begin to send a form, only a key can begin to submit: strangers must not take the places of agents.
_FORM_PLACES = Places(4)
_FORMS_OF_ONE_ADDRESS = 2
_SUBMIT_PLACES = Places(settings.MAX_BODY_READERS)
_SUBMITS_OF_ONE_TENANT = max(settings.MAX_BODY_READERS // 2, 1)
# More than a tenant has: many may come from one address.
_SUBMITS_OF_ONE_ADDRESS = max(settings.MAX_BODY_READERS * 3 // 4, 1)

_DEADLINE = BodyDeadline()


class Body:
    """`wsgi.input`, as far as Django and we read it."""

    def __init__(
        self, stream: "InputStream", places: Places, holders: Callable[[], tuple[Holder, ...]], *, left: float
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

    def holders() -> tuple[Holder, ...]:
        """By now the caller is known, if it has a key."""
        if not is_agents:
            return (Holder(f"address {address}", _FORMS_OF_ONE_ADDRESS),)
        key = api_keys.find_cached(_bearer(environ), now=clock.now())
        tenant = (Holder(f"tenant {key.tenant_id}", _SUBMITS_OF_ONE_TENANT),) if key else ()
        return (*tenant, Holder(f"address {address}", _SUBMITS_OF_ONE_ADDRESS))

    is_agents = environ["PATH_INFO"].startswith(AGENTS)
    places = _SUBMIT_PLACES if is_agents else _FORM_PLACES
    length = environ.get("CONTENT_LENGTH") or "0"
    is_known = "HTTP_TRANSFER_ENCODING" not in environ and length.isascii() and length.isdigit()
    return Body(environ["wsgi.input"], places, holders, left=float(length if is_known else "inf"))


def _bearer(environ: "WSGIEnvironment") -> str:
    return str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")[2].strip()
