"""Looking a name up, within the fetch's budget.

`getaddrinfo` cannot be given a time limit, so each lookup runs in a thread of its own that is left behind
when the budget ends. The number of threads left behind is bounded: a dead name server must not fill the
process.
"""

import queue
import socket
import threading
from collections.abc import Sequence
from typing import Protocol

from packs.fetch.deadline import FetchDeadline
from packs.fetch.exceptions import FailedCode, FetchFailed

MAX_LOOKUPS_AT_ONCE = 64

_slots = threading.BoundedSemaphore(MAX_LOOKUPS_AT_ONCE)


class Resolver(Protocol):
    """Blocking: all addresses of a name, IPv4 and IPv6, as text. Raises OSError when there are none."""

    def __call__(self, name: str, /) -> Sequence[str]: ...


def system_resolver(name: str) -> Sequence[str]:
    # The root dot keeps search domains out: `metadata` must not become `metadata.corp.example`.
    answers = socket.getaddrinfo(f"{name}.", None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


def lookup(resolver: Resolver, name: str, deadline: FetchDeadline) -> Sequence[str]:
    """The resolver's answer, or `FetchFailed`. An empty answer is a failure, never a pass."""
    if not _slots.acquire(timeout=deadline.remaining_sec()):
        raise FetchFailed(FailedCode.TIMEOUT, "The name could not be looked up in time.")
    answer: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolver(name))
        except (OSError, UnicodeError) as error:
            answer.put(error)
        finally:
            _slots.release()

    threading.Thread(target=ask, name="fetch-lookup", daemon=True).start()
    try:
        found = answer.get(timeout=deadline.remaining_sec())
    except queue.Empty:
        raise FetchFailed(FailedCode.TIMEOUT, "The name could not be looked up in time.") from None
    if isinstance(found, Exception) or not found:
        raise FetchFailed(FailedCode.DNS_FAILED, "The name does not exist or could not be looked up.")
    return found
