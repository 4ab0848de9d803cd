"""Who may send a body to the gateway: a caller who tells its length and whose key can be one, a few at a time with the
same key, and never all of them from one address.

Refused before anything of the body is read. Whether the key is any good is the API's to say: anybody can make up one
that looks like it, and as many of them as there are places.
"""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from dpp_project.money import ZERO, format_usd
from runs.access.key_text import is_well_formed
from runs.api import body_length, trace
from runs.api.problems import AUTH_INVALID, DEPENDENCY_UNAVAILABLE, ProblemError
from runs.api.serializers.problem import problem_document

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_BODIES_PER_KEY = 4
_BODIES_AT_ONCE = 16
# A balancer is one address too; it hands on whole bodies, which keep a place only if they are large.
_BODIES_PER_ADDRESS = 12
# A call with such a body may wait for its run without a place.
_SMALL_BODY_BYTES = 1_048_576


class Admission:
    """ASGI middleware around the protocol's application."""

    def __init__(self, app: App, *, path: str) -> None:
        self._app = app
        self._path = path
        # By key, and by address.
        self._bodies = (Counter[str](), Counter[str]())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and body_length.has_no_length(scope):
            await _send_problem(body_length.required(), scope, send)
            return
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        key, address = _key(scope), _address(scope)
        try:
            self._refuse(key, address)
        except ProblemError as error:
            await _send_problem(error, scope, send)
            return
        place = _Place(self._bodies, key, address)

        async def counted_receive() -> MutableMapping[str, Any]:
            message = await receive()
            if message["type"] == "http.request":
                place.received(len(message.get("body", b"")), is_all=not message.get("more_body", False))
            return message

        try:
            await self._app(scope, counted_receive, send)
        finally:
            place.give_back()

    def _refuse(self, key: str, address: str) -> None:
        if not is_well_formed(key):
            raise AUTH_INVALID.error("The Authorization header carries no API key.")
        of_keys, of_addresses = self._bodies
        if (
            of_keys[key] >= _BODIES_PER_KEY
            or of_addresses[address] >= _BODIES_PER_ADDRESS
            or of_keys.total() >= _BODIES_AT_ONCE
        ):
            raise DEPENDENCY_UNAVAILABLE.error("As many calls as are carried out at a time have not ended yet.")


class _Place:
    """Taken until the body has been read; a large one is kept in memory until its call has ended, and so is its
    place."""

    def __init__(self, bodies: tuple[Counter[str], Counter[str]], key: str, address: str) -> None:
        self._counted = tuple(zip(bodies, (key, address), strict=True))
        self._size = 0
        self._is_taken = True
        for held, holder in self._counted:
            held[holder] += 1

    def received(self, size: int, *, is_all: bool) -> None:
        self._size += size
        if is_all and self._size <= _SMALL_BODY_BYTES:
            self.give_back()

    def give_back(self) -> None:
        if self._is_taken:
            self._is_taken = False
            for held, holder in self._counted:
                held[holder] -= 1
                if not held[holder]:
                    del held[holder]


def _key(scope: Scope) -> str:
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, text = values[0].decode("latin-1").partition(" ") if len(values) == 1 else ("", "", "")
    return text.strip() if scheme.lower() == "bearer" else ""


def _address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else "unknown"


async def _send_problem(error: ProblemError, scope: Scope, send: Send) -> None:
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == trace.HEADER.lower().encode()]
    document = problem_document(
        error.problem,
        detail=error.detail,
        instance=scope["path"],
        trace_id=trace.first_valid(*given),
        charged_usd=format_usd(ZERO),
    )
    body = json.dumps(document, ensure_ascii=False).encode()
    headers = {
        trace.HEADER: document["trace_id"],
        "content-type": "application/problem+json",
        "content-length": str(len(body)),
        # What is on its way of the body is read by nobody.
        "connection": "close",
        **error.headers,
    }
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": error.problem.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
