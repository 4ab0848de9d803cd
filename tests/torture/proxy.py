"""A TCP proxy on 127.0.0.1 that misbehaves on demand: refuses, delays, swallows answers, cuts at a given moment."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Cut:
    """Cut a connection once its client has sent all of these texts, in this order.

    With `forwarded` the server still gets the last one and does its work; only the answer is lost.
    """

    texts: tuple[bytes, ...]
    forwarded: bool
    times: int
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> bool:
        with self.lock:
            if self.done >= self.times:
                return False
            self.done += 1
            return True


class Proxy:
    def __init__(self, target_port: int) -> None:
        self._target = ("127.0.0.1", target_port)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._refusing = False
        self._swallowing = False
        self._mute: set[tuple[socket.socket, socket.socket]] = set()
        self._delay_sec = 0.0
        self._cut: Cut | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        self._drop_all()

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """Nobody gets through, and everybody who was through is cut off."""
        self._refusing = True
        self._drop_all()
        try:
            yield
        finally:
            self._refusing = False

    @contextlib.contextmanager
    def swallowing_answers(self) -> Iterator[None]:
        """The server hears and obeys; the client hears nothing."""
        self._swallowing = True
        try:
            yield
        finally:
            self._swallowing = False
            self._drop_all()

    def mute_present_connections(self) -> None:
        """They stay open and no answer ever comes through, as when a router forgot them. New ones work."""
        self._mute |= self._pairs

    def lead_new_connections_to(self, port: int) -> None:
        """As a failover does it: the address leads to another server, and connections to the old one stay open."""
        self._target = ("127.0.0.1", port)

    @contextlib.contextmanager
    def delaying(self, seconds: float) -> Iterator[None]:
        self._delay_sec = seconds
        try:
            yield
        finally:
            self._delay_sec = 0.0

    @contextlib.contextmanager
    def cutting(self, *texts: bytes, forwarded: bool, times: int = 1) -> Iterator[Cut]:
        self._cut = cut = Cut(texts, forwarded, times)
        try:
            yield cut
        finally:
            self._cut = None

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._refusing:
                _reset(client)
                continue
            try:
                server = socket.create_connection(self._target, timeout=5)
            except OSError:
                _reset(client)
                continue
            server.settimeout(None)
            pair = (client, server)
            self._pairs.add(pair)
            cut_off = threading.Event()
            threading.Thread(target=self._requests, args=(pair, cut_off), daemon=True).start()
            threading.Thread(target=self._answers, args=(pair, cut_off), daemon=True).start()

    def _requests(self, pair: tuple[socket.socket, socket.socket], cut_off: threading.Event) -> None:
        client, server = pair
        position, tail = 0, b""
        seen_by: Cut | None = None
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                cut = self._cut
                if cut is not seen_by:
                    position, tail, seen_by = 0, b"", cut
                if cut is not None:
                    tail += data
                    while position < len(cut.texts) and (found := tail.find(cut.texts[position])) >= 0:
                        tail = tail[found + len(cut.texts[position]) :]
                        position += 1
                    tail = tail[-200:]
                    if position == len(cut.texts) and cut.take():
                        if not cut.forwarded:
                            break
                        cut_off.set()
                if self._delay_sec:
                    time.sleep(self._delay_sec)
                server.sendall(data)
                if cut_off.is_set():
                    # The other thread ends the pair when the answer arrives, which proves the work is done.
                    return
        self._end(pair)

    def _answers(self, pair: tuple[socket.socket, socket.socket], cut_off: threading.Event) -> None:
        client, server = pair
        with contextlib.suppress(OSError):
            while data := server.recv(65_536):
                if cut_off.is_set():
                    break
                if not self._swallowing and pair not in self._mute:
                    client.sendall(data)
        self._end(pair)

    def _end(self, pair: tuple[socket.socket, socket.socket]) -> None:
        self._pairs.discard(pair)
        for each in pair:
            _reset(each)

    def _drop_all(self) -> None:
        for pair in list(self._pairs):
            self._end(pair)


def _reset(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # Shutting down wakes a thread that is reading it; closing alone does not.
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
