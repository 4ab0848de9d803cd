"""Django's requests, made of whatever a caller sends.

Django reads the Content-Type while it makes the request, before any middleware or handler that could answer: what it
raises there is an empty 500. It also reads the query by the charset named there, which can be no charset at all.
"""

from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest
from django.utils.http import parse_header_parameters


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


class WsgiDjango(WSGIHandler):
    request_class = WsgiRequest
