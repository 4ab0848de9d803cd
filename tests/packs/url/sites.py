"""Sites that take their time."""

import socket
import threading
import time

from tests.packs.fetch.zoo import Handler, Request


class Crowd:
    """Answers after a while, and knows how many waited for their answers at once."""

    def __init__(self) -> None:
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def before(self, handler: Handler) -> Handler:
        def late(tls: socket.socket, request: Request) -> None:
            self._count(1)
            time.sleep(0.2)
            self._count(-1)
            handler(tls, request)

        return late

    def _count(self, change: int) -> None:
        with self._lock:
            self.at_once += change
            self.most_at_once = max(self.most_at_once, self.at_once)


def long_drip(tls: socket.socket, _: Request) -> None:
    """One byte now and then for half a minute: each read succeeds, and the end is later than any test waits."""
    tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    for _step in range(600):
        tls.sendall(b"x")
        time.sleep(0.05)
