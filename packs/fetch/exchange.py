"""One HTTP/1.1 request over a stream, by h11, with bounds on everything the other side may send.

The request is built from the parsed URL. No cookie, no credential, no referrer, no reuse of the connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import h11

from packs.fetch.decoding import ACCEPT_ENCODING, Body, Identity, decoder_for
from packs.fetch.exceptions import FailedCode, FetchFailed
from packs.fetch.transport import Stream
from packs.fetch.url import ParsedUrl

MAX_HEADER_BYTES = 32_768
MAX_HEADER_COUNT = 128
MAX_INTERIM_RESPONSES = 8
# A site may ask for more; nobody waits that long.
MAX_RETRY_AFTER_SEC = 86_400

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5"
_ACCEPT_LANGUAGE = "ko, en;q=0.9, *;q=0.5"


@dataclass(frozen=True)
class Head:
    status_code: int
    headers: tuple[tuple[bytes, bytes], ...]

    def values(self, name: bytes) -> list[bytes]:
        return [value for header, value in self.headers if header == name]

    def text(self, name: bytes) -> str:
        return b", ".join(self.values(name)).decode("latin-1")

    @property
    def location(self) -> bytes | None:
        """Where a redirect leads, if this is one. Headers that disagree are an attack on whoever reads the
        other."""
        locations = set(self.values(b"location")) if self.status_code in _REDIRECTS else set()
        if len(locations) > 1:
            raise FetchFailed(FailedCode.BAD_RESPONSE, "The site redirects to two places at once.")
        return locations.pop() if locations else None


class Exchange:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEADER_BYTES)

    def ask(self, url: ParsedUrl, *, user_agent: str) -> Head:
        """A GET; the body can be read afterwards."""
        accepted = {"Accept": _ACCEPT, "Accept-Encoding": ACCEPT_ENCODING, "Accept-Language": _ACCEPT_LANGUAGE}
        return self._exchange("GET", url, user_agent, accepted)

    def post(self, url: ParsedUrl, body: bytes, headers: Mapping[str, str], *, user_agent: str) -> Head:
        """A POST, of which only the head of the answer counts."""
        return self._exchange("POST", url, user_agent, {**headers, "Content-Length": str(len(body))}, body)

    def _exchange(
        self, method: str, url: ParsedUrl, user_agent: str, headers: Mapping[str, str], body: bytes = b""
    ) -> Head:
        always = {"Host": url.authority, "User-Agent": user_agent, "Connection": "close"}
        request = h11.Request(method=method, target=url.request_target, headers=list({**always, **headers}.items()))
        events = [request, *([h11.Data(body)] if body else []), h11.EndOfMessage()]
        try:
            self._stream.send(b"".join(self._http.send(event) or b"" for event in events))
        except OSError as error:
            raise _broken() from error
        for _ in range(MAX_INTERIM_RESPONSES):
            event = self._next_event()
            if isinstance(event, h11.Response):
                return self._head(event)
        raise FetchFailed(FailedCode.BAD_RESPONSE, "The site keeps announcing an answer and gives none.")

    def read_body(self, head: Head, limit: int) -> tuple[bytes, bool]:
        """The decoded body and whether it was cut at the limit."""
        decoder = decoder_for([value.decode("latin-1") for value in head.values(b"content-encoding")])
        if isinstance(decoder, Identity) and _declared_length(head) > limit:
            return b"", True
        body = Body(decoder, limit)
        while isinstance(event := self._next_event(), h11.Data):
            body.feed(bytes(event.data))
            if body.truncated:
                break
        return body.finish(), body.truncated

    def _next_event(self) -> h11.Event:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(self._stream.receive())
        except (h11.RemoteProtocolError, OSError) as error:
            raise _broken() from error
        if isinstance(event, h11.Event) and not isinstance(event, h11.ConnectionClosed):
            return event
        raise _broken()

    def _head(self, response: h11.Response) -> Head:
        headers = tuple(response.headers)
        if len(headers) > MAX_HEADER_COUNT:
            raise FetchFailed(FailedCode.BAD_RESPONSE, "The site sends too many headers.")
        return Head(response.status_code, headers)


def retry_after_sec(head: Head, *, now: datetime) -> int | None:
    """RFC 9110 knows seconds and a date. What is neither was not said; a date that has passed is now."""
    said = head.text(b"retry-after").strip()
    if said.isascii() and said.isdigit():
        return min(int(said[:9]), MAX_RETRY_AFTER_SEC)
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return None
    # A date without a zone is in UTC.
    seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds()
    return max(0, min(round(seconds), MAX_RETRY_AFTER_SEC))


def _declared_length(head: Head) -> int:
    # h11 has refused lengths that are no number or that disagree.
    lengths = head.values(b"content-length")
    return int(lengths[0]) if lengths else 0


def _broken() -> FetchFailed:
    return FetchFailed(FailedCode.BAD_RESPONSE, "The site broke off or did not speak proper HTTP.")
