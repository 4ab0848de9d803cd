"""Django's requests, made of whatever a caller sends.

Django reads the Content-Type while it makes the request, before any middleware or handler that could answer: what it
raises there is an empty 500. It also reads the query by the charset named there, which can be no charset at all.
"""

from typing import TYPE_CHECKING, Any

from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest
from django.utils.http import parse_header_parameters

from runs.api.bodies import body_of

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class _AnyContentType(HttpRequest):
    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        """What cannot be read is no type, which nothing accepts. Queries and forms are UTF-8, whatever it says."""
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except ValueError:
            self.content_type, self.content_params = "", {}


class WsgiRequest(_AnyContentType, WSGIRequest):
    pass


class AsgiRequest(_AnyContentType, ASGIRequest):
    pass


class _Handler(WSGIHandler):
    request_class = WsgiRequest


class WsgiDjango:
    """Neither a caller who sends slowly nor one who reads slowly keeps a thread that others need."""

    def __init__(self) -> None:
        self._handle = _Handler()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
        body = environ["wsgi.input"] = body_of(environ)

        def start(status: str, headers: list[tuple[str, str]], *failure: Any) -> Any:
            # The server closes a connection with the rest of a body on it. Untold, the caller's next request is lost.
            return start_response(status, headers if body.is_read else [*headers, ("Connection", "close")], *failure)

        response = self._handle(environ, start)
        try:
            # In one piece, which the server takes over at once: of several it fetches each when the one before is sent.
            return [b"".join(response)]
        finally:
            response.close()
