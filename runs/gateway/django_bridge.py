"""From asyncio into Django: a request goes through the whole of Django in a thread, as on the REST side.

The same middleware, authentication, limits and problems, so that a refused listener gets the same bytes as a refused
reader of the run.
"""

import io
from importlib import import_module
from typing import Any

from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http import HttpResponse

from dpp_project.dependency import begin_request
from runs.api.http_request import AsgiRequest

_URLS = "runs.gateway.urls"


class DjangoBridge(BaseHandler):
    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()
        # Now, not at the first request: a gateway that cannot serve must not start.
        import_module(_URLS)

    def respond(self, scope: dict[str, Any], is_full: bool, has_waited: bool = False) -> HttpResponse:
        """The answer to a request without a body, its database connection given back. Runs in a thread."""
        begin_request()
        request_started.send(sender=type(self), scope=scope)
        # Anybody can send bytes that are no text; Django expects some.
        scope["query_string"] = scope["query_string"].decode("utf-8", "replace").encode()
        request = AsgiRequest(scope, io.BytesIO())
        request.urlconf = _URLS
        request.gateway_is_full = is_full  # type: ignore[attr-defined]
        request.gateway_has_waited = has_waited  # type: ignore[attr-defined]
        response = self.get_response(request)
        assert isinstance(response, HttpResponse)
        response.close()
        return response
