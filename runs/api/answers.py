"""What the views under /v1 share: their class, and JSON as an answer."""

import json
from typing import Any, NoReturn

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.views import APIView

from runs.api.problems import METHOD_NOT_ALLOWED


class ApiView(APIView):
    # No OPTIONS page: there is /docs for that.
    http_method_names = ["get", "head", "post"]

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None. The framework would put Allow and Vary on every answer."""
        return {}

    def http_method_not_allowed(self, request: HttpRequest | Request, *args: Any, **kwargs: Any) -> NoReturn:
        error = METHOD_NOT_ALLOWED.error("The method is not allowed for this path.")
        error.headers["Allow"] = ", ".join(self.allowed_methods)
        raise error


def json_bytes(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def json_response(body: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return bytes_response(json_bytes(body), status=status, headers=headers)


def bytes_response(body: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """JSON that is already encoded."""
    return HttpResponse(body, status=status, content_type="application/json", headers=headers or {})


def known_tags(if_none_match: str) -> set[str]:
    """Compared weakly, as RFC 9110 has it here: a cache on the way may have made a tag of ours weak."""
    return {tag.removeprefix("W/") for tag in parse_etags(if_none_match)}


def not_modified(etag: str) -> HttpResponse:
    """Of a body that is not sent neither kind nor length is told."""
    response = HttpResponse(status=304, headers={"ETag": etag})
    del response["Content-Type"]
    return response
