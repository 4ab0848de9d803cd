"""An end to bodies that do not come. The server has no time limit for them, and nothing ends a read that has begun but
the end of its connection; which connection that is, the server does not tell either.

The kernel tells it: one on which data came, and on which nothing was sent since, for longer than any answer may take.
A thread looks for those as soon as a read is overdue, and shuts them down; the read then ends by itself.
"""

import logging
import os
import socket
import stat
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from dpp_project.env import Env
from dpp_project.logging import fields
from dpp_project.metrics import BODIES_GIVEN_UP

log = logging.getLogger("dpp.bodies")

# Above the longest wait of a long poll, which also sends nothing for a while.
WITHIN_SEC = Env().integer("DPP_BODY_WITHIN_SEC", 30, least=1)

# struct tcp_info: eight bytes, then words (and four long ones); milliseconds since the last data was sent and received
# are the first two of these, then how many segments with data came and went.
_TCP_INFO = struct.Struct("8B24I4Q6I")
_SENT, _RECEIVED = 8 + 9, 8 + 11
_SEGMENTS_IN, _SEGMENTS_OUT = 8 + 24 + 4 + 4, 8 + 24 + 4 + 5


class BodyDeadline:
    def __init__(self) -> None:
        self._began: dict[object, float] = {}
        self._lock = threading.Lock()
        self._watch: threading.Thread | None = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        ticket = object()
        self._began[ticket] = time.monotonic()
        if self._watch is None:
            self._start()
        try:
            yield
        finally:
            del self._began[ticket]

    def _start(self) -> None:
        with self._lock:
            if self._watch is None:
                self._watch = threading.Thread(target=self._cut_overdue, name="bodies", daemon=True)
                self._watch.start()

    def _cut_overdue(self) -> None:
        while True:
            time.sleep(1)
            overdue = time.monotonic() - WITHIN_SEC
            if any(began < overdue for began in list(self._began.values())):
                try:
                    BODIES_GIVEN_UP.inc(_cut_silent_connections())
                except OSError as error:  # no number for another file: the next look may find one
                    log.warning("silent_connections_not_cut", extra=fields(error=type(error).__name__))


def _cut_silent_connections() -> int:
    """All sockets of this process are looked at: those on the port that it listens on are callers'."""
    with ExitStack() as closing:
        sockets = [closing.enter_context(each) for each in _own_sockets()]
        listening = [each for each in sockets if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)]
        ports = {each.getsockname()[1] for each in listening}
        cut = 0
        for each in sockets:
            with suppress(OSError):
                if each.getsockname()[1] in ports and _is_overdue(each):
                    each.shutdown(socket.SHUT_RDWR)
                    cut += 1
        return cut


def _own_sockets() -> Iterator[socket.socket]:
    """Copies, which the caller closes. Anything else is not even copied: the copy would stay open."""
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # gone
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            number = os.dup(int(name))
            try:
                found = socket.socket(fileno=number)
            except OSError:  # of a kind that Python does not know, or another file has the number by now
                os.close(number)
                continue
            if found.family in (socket.AF_INET, socket.AF_INET6):
                yield found
            else:
                found.close()


def _is_overdue(connection: socket.socket) -> bool:
    connection.getpeername()  # raises for one that listens
    fields = _TCP_INFO.unpack(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size))
    # The kernel's clock is coarse: of a connection that was opened for its request both times are the same.
    never_answered = fields[_SEGMENTS_IN] > 0 and fields[_SEGMENTS_OUT] == 0
    return bool(fields[_SENT] > WITHIN_SEC * 1000 and (never_answered or fields[_RECEIVED] < fields[_SENT]))
