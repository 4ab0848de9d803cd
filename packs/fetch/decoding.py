"""Undoing Content-Encoding without ever holding more than the limit: a bomb stops where the limit is.

One coding at a time (gzip, deflate, br). Stacked codings serve only bombs and are refused.
"""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]

from packs.fetch.exceptions import FailedCode, FetchFailed

ACCEPT_ENCODING = "gzip, deflate, br"
PIECE_BYTES = 65_536

_GZIP_MAGIC = b"\x1f\x8b"


class Decoder(Protocol):
    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` adds to the body, in pieces of bounded size. The caller stops asking when it has
        enough."""

    @property
    def complete(self) -> bool:
        """Whether the coded stream has come to its own end."""


class Body:
    """The decoded body so far, never longer than its limit."""

    def __init__(self, decoder: Decoder, limit: int) -> None:
        self._decoder = decoder
        self._limit = limit
        self._content = bytearray()
        self.truncated = False

    def feed(self, data: bytes) -> None:
        try:
            for piece in self._decoder.pieces(data):
                room = self._limit - len(self._content)
                self._content += piece[:room]
                if len(piece) > room:
                    self.truncated = True
                    return
        except (zlib.error, brotli.error) as error:
            raise _unreadable() from error

    def finish(self) -> bytes:
        if not self.truncated and not self._decoder.complete:
            raise _unreadable()
        return bytes(self._content)


def decoder_for(content_encodings: list[str]) -> Decoder:
    codings = [part.strip().lower() for value in content_encodings for part in value.split(",")]
    codings = [coding for coding in codings if coding not in ("", "identity")]
    if not codings:
        return Identity()
    if len(codings) == 1 and codings[0] in _DECODERS:
        return _DECODERS[codings[0]]()
    raise FetchFailed(FailedCode.BAD_RESPONSE, "The document is packed in a way this service does not read.")


class Identity:
    complete = True

    def pieces(self, data: bytes) -> Iterator[bytes]:
        yield data


class Gzip:
    """Several members may follow one another; what follows them and is no member is ignored."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=31)
        self._fed = False

    @property
    def complete(self) -> bool:
        return self._inflater.eof or not self._fed

    def pieces(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        while data:
            if self._inflater.eof:
                if not data.startswith(_GZIP_MAGIC):
                    return
                self._inflater = zlib.decompressobj(wbits=31)
            piece = self._inflater.decompress(data, PIECE_BYTES)
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
            yield piece


class Deflate:
    """Zlib data by the standard, bare deflate data from servers that never read it."""

    def __init__(self) -> None:
        self._head = b""
        self._inflater: zlib._Decompress | None = None

    @property
    def complete(self) -> bool:
        return not self._head if self._inflater is None else self._inflater.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._inflater is None:
            self._head += data
            if len(self._head) < 2:
                return
            data = self._head
            is_zlib = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._inflater = zlib.decompressobj(wbits=15 if is_zlib else -15)
        while data and not self._inflater.eof:
            piece = self._inflater.decompress(data, PIECE_BYTES)
            data = self._inflater.unconsumed_tail
            yield piece


class Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()
        self._fed = False

    @property
    def complete(self) -> bool:
        return bool(self._decompressor.is_finished()) or not self._fed

    def pieces(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        if self._decompressor.is_finished():
            return
        yield self._decompressor.process(data, output_buffer_limit=PIECE_BYTES)
        while not self._decompressor.can_accept_more_data():
            yield self._decompressor.process(b"", output_buffer_limit=PIECE_BYTES)


_DECODERS: dict[str, type[Gzip] | type[Deflate] | type[Brotli]] = {
    "gzip": Gzip,
    "x-gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
}


def _unreadable() -> FetchFailed:
    return FetchFailed(FailedCode.BAD_RESPONSE, "The packed document is damaged or incomplete.")
