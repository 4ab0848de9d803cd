"""Read a JSON body strictly: one meaning or none. What JSON parsers disagree about is refused."""

import json
import math
from typing import Any, NoReturn

from django.http import HttpRequest

from dpp_project.profile import PROFILE
from runs.api.problems import INVALID_PARAMS, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE

_MAX_DEPTH = 64
_MAX_INTEGER = 2**53 - 1
_MAX_NUMBER_CHARS = 400
_MAX_VALUES = 1_000_000
_MAX_LENGTH_CHARS = 12


class _Refused(ValueError):
    pass


def read_object(request: HttpRequest) -> dict[str, Any]:
    """The request's body as a JSON object."""
    if request.content_type != "application/json" or request.headers.get("Content-Encoding", "identity") != "identity":
        raise UNSUPPORTED_MEDIA_TYPE.error("The body must be uncompressed application/json.")
    body = _read_bounded(request)
    try:
        value = parse(body)
    except _Refused as refused:
        raise INVALID_PARAMS.error(f"The body is not acceptable JSON: {refused}.") from None
    if not isinstance(value, dict):
        raise INVALID_PARAMS.error("The body must be a JSON object.")
    return value


def parse(body: bytes) -> Any:
    if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise _Refused("a byte order mark is not allowed")
    # A value takes three bytes on the wire and a hundred in memory. Counting separators is an upper bound, at no cost.
    if body.count(b",") + body.count(b"[") + body.count(b"{") > _MAX_VALUES:
        raise _Refused(f"it has more than {_MAX_VALUES} values")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise _Refused("it is not UTF-8") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise _Refused(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise _Refused(f"it is nested deeper than {_MAX_DEPTH} levels") from None
    _check(value)
    return value


def _read_bounded(request: HttpRequest) -> bytes:
    """At most the limit is ever held in memory, whatever Content-Length says."""
    limit = PROFILE.max_request_bytes
    too_large = PAYLOAD_TOO_LARGE.error(f"The body is larger than {limit} bytes.")
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isascii() or not length.isdigit():
        raise INVALID_PARAMS.error("The Content-Length header is not a number.")
    # int() of a very long number is slow, and Python refuses it.
    if len(length) > _MAX_LENGTH_CHARS or int(length) > limit:
        raise too_large
    body: bytes = _stream(request).read(limit + 1)
    if len(body) > limit:
        raise too_large
    # The server ends the body where the connection ended. What came until then may be a document by itself.
    if len(body) < int(length):
        raise INVALID_PARAMS.error("The body is shorter than its Content-Length.")
    return body


def _stream(request: HttpRequest) -> Any:
    """A chunked body has no length. Django reads it as empty; the server knows where it ends and says so."""
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower() and request.META.get("wsgi.input_terminated"):
        return request.META["wsgi.input"]
    return request


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Refused("an object has the same name twice")
    return result


def _integer(text: str) -> int:
    if len(text) > _MAX_NUMBER_CHARS or abs(int(text)) > _MAX_INTEGER:
        raise _Refused("an integer is beyond 2^53 - 1")
    return int(text)


def _number(text: str) -> float:
    value = float(text) if len(text) <= _MAX_NUMBER_CHARS else math.inf
    if not math.isfinite(value):
        raise _Refused("a number is out of range")
    return value


def _constant(text: str) -> NoReturn:
    raise _Refused(f"{text} is not JSON")


def _check(value: Any) -> None:
    """Depth and characters, without recursion: hostile depth is the point of it."""
    todo: list[tuple[Any, int]] = [(value, 1)]
    while todo:
        item, depth = todo.pop()
        if depth > _MAX_DEPTH:
            raise _Refused(f"it is nested deeper than {_MAX_DEPTH} levels")
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, dict):
            for name, inner in item.items():
                _check_text(name)
                todo.append((inner, depth + 1))
        elif isinstance(item, list):
            todo.extend((inner, depth + 1) for inner in item)


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise _Refused("a string contains NUL")
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise _Refused("a string contains a lone surrogate")
