"""JSON bodies. A request's is strict, and never longer than the pack it names may take. An answer's is UTF-8, without a
space too many."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer

from dpp_project.profile import PROFILE
from packs.base import MAX_BODY_BYTES
from packs.registry import PACKS
from runs.api import strict_json
from runs.api.problems import INVALID_PARAMS, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, ProblemError

_MAX_LENGTH_CHARS = 12
_OF_ANY_BODY = f"({MAX_BODY_BYTES} for most packs)"


class StrictJsonParser(BaseParser):
    """A JSON object, or a problem."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        request: HttpRequest = stream
        # Wildcards, which the framework lets pass, are no type either.
        plain = request.headers.get("Content-Encoding", "identity") == "identity"
        if not plain or request.content_type != self.media_type:
            raise UNSUPPORTED_MEDIA_TYPE.error("The body must be uncompressed application/json.")
        body = _read_bounded(request)
        try:
            value = strict_json.parse(body)
        except strict_json.NotAcceptable as reason:
            raise INVALID_PARAMS.error(f"The body is not acceptable JSON: {reason}.") from None
        except strict_json.TooLong:
            raise _too_large(MAX_BODY_BYTES, "that are not base64 data of a file") from None
        if not isinstance(value, dict):
            raise INVALID_PARAMS.error("The body must be a JSON object.")
        _refuse_too_large(len(body), value.get("pack_type"))
        return value


def _refuse_too_large(length: int, pack_type: object) -> None:
    """A body whose pack is not known is judged as the smallest: it is refused in any case."""
    pack = PACKS.get(pack_type) if isinstance(pack_type, str) else None
    limit = pack.max_body_bytes if pack else MAX_BODY_BYTES
    if length > limit:
        raise _too_large(limit, f"for the {pack.name} pack" if pack else "for a request without a known pack_type")


def _too_large(limit: int, of_what: str) -> ProblemError:
    return PAYLOAD_TOO_LARGE.error(f"The body may have at most {limit} bytes {of_what}.")


def _read_bounded(request: HttpRequest) -> bytes:
    """At most the limit is ever held in memory, whatever Content-Length says."""
    limit = PROFILE.max_request_bytes
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isascii() or not length.isdigit():
        raise INVALID_PARAMS.error("The Content-Length header is not a number.")
    # int() of a very long number is slow, and Python refuses it.
    if len(length) > _MAX_LENGTH_CHARS or int(length) > limit:
        raise _too_large(limit, _OF_ANY_BODY)
    body = request.read(limit + 1)
    if len(body) > limit:
        raise _too_large(limit, _OF_ANY_BODY)
    # The server ends the body where the connection ended. What came until then may be a document by itself.
    if len(body) < int(length):
        raise INVALID_PARAMS.error("The body is shorter than its Content-Length.")
    return body


def json_bytes(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


class CompactJsonRenderer(JSONRenderer):
    """The standard one would escape two characters more, and make text of what is no JSON."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return data if isinstance(data, bytes) else json_bytes(data)
