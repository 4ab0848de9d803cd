"""JSON read strictly: one meaning or none. What JSON parsers disagree about is refused, and so is what costs too much.

A hostile megabyte may take neither long nor much memory: values are counted before they are made, and long base64
texts are set aside, so that what is left to be parsed is small.
"""

import json
import math
import re
import secrets
from typing import Any, NoReturn

from packs.base import MAX_BODY_BYTES
from packs.registry import PACKS

MAX_VALUES = max(pack.max_values for pack in PACKS.values())

_MAX_DEPTH = 64
_MAX_INTEGER = 2**53 - 1
_MAX_NUMBER_CHARS = 400

_SEPARATORS = (b",", b"[", b"{")
_SEPARATOR_OR_STRING = re.compile(rb'[,\[{]|"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG_BASE64 = re.compile(rb'"([A-Za-z0-9+/_-]{4096,}={0,2})"')


# How Python's parser begins its messages, and what is said instead: theirs differ from version to version.
_SYNTAX = {
    "Expecting value": "a value is missing",
    "Expecting property name": "a name in double quotes is missing",
    "Expecting ':'": "a colon is missing",
    "Expecting ','": "a comma or a closing bracket is missing",
    "Extra data": "the document is over, and something follows",
    "Unterminated string": "a string without an end begins",
    "Invalid control character": "a string contains a control character",
    "Invalid \\": "a string contains an escape that JSON does not have",
    "Illegal trailing comma": "a comma stands before a closing bracket",
}


class NotAcceptable(ValueError):
    """Why, as the end of a sentence."""


class TooLong(ValueError):
    """More than `MAX_BODY_BYTES` that are not base64."""


def parse(body: bytes) -> Any:
    if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise NotAcceptable("a byte order mark is not allowed")
    if len(body) <= MAX_BODY_BYTES:
        return _parse_short(body)
    rest, set_aside = _set_base64_aside(body)
    if len(rest) > MAX_BODY_BYTES:
        raise TooLong
    value = _parse_short(rest)
    _put_back(value, set_aside)
    if set_aside:
        raise NotAcceptable("a long base64 text stands inside another text or in the place of a name")
    return value


def _parse_short(body: bytes) -> Any:
    _refuse_many_values(body)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise NotAcceptable("it is not UTF-8") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise NotAcceptable(f"{_what_is_wrong(error.msg)} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotAcceptable(f"it is nested deeper than {_MAX_DEPTH} levels") from None
    _check(value)
    return value


def _what_is_wrong(message: str) -> str:
    return next((words for begin, words in _SYNTAX.items() if message.startswith(begin)), "it is not JSON")


def _refuse_many_values(body: bytes) -> None:
    """Every value but the first follows a comma or a bracket. Those inside texts are none: then it is looked closer."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") <= MAX_VALUES:
        return
    separators = 0
    # A text is a value or the name of one, and has a separator at one side.
    for texts, found in enumerate(_SEPARATOR_OR_STRING.finditer(body)):
        separators += found[0] in _SEPARATORS
        if separators > MAX_VALUES or texts > 3 * MAX_VALUES:
            raise NotAcceptable(f"it has more than {MAX_VALUES} values")


def _set_base64_aside(body: bytes) -> tuple[bytes, dict[str, str]]:
    """The body with a mark in the place of each long base64 text, and the texts by mark. Nobody can guess a mark."""
    prefix = secrets.token_hex(16)
    set_aside: dict[str, str] = {}
    view = memoryview(body)

    def mark(match: re.Match[bytes]) -> bytes:
        name = f"{prefix}-{len(set_aside)}"
        start, end = match.span(1)
        set_aside[name] = str(view[start:end], "ascii")
        return f'"{name}"'.encode()

    return _LONG_BASE64.sub(mark, body), set_aside


def _put_back(value: Any, set_aside: dict[str, str]) -> None:
    """What is put back is taken out of `set_aside`."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict | list):
            for key, inner in list(item.items() if isinstance(item, dict) else enumerate(item)):
                if isinstance(inner, str) and inner in set_aside:
                    item[key] = set_aside.pop(inner)
                else:
                    todo.append(inner)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise NotAcceptable("an object has the same name twice")
    return result


def _integer(text: str) -> int:
    if len(text) > _MAX_NUMBER_CHARS or abs(int(text)) > _MAX_INTEGER:
        raise NotAcceptable("an integer is beyond 2^53 - 1")
    return int(text)


def _number(text: str) -> float:
    value = float(text) if len(text) <= _MAX_NUMBER_CHARS else math.inf
    if not math.isfinite(value):
        raise NotAcceptable("a number is out of range")
    return value


def _constant(text: str) -> NoReturn:
    raise NotAcceptable(f"{text} is not JSON")


def _check(value: Any) -> None:
    """Depth and characters, without recursion: hostile depth is the point of it."""
    todo: list[tuple[Any, int]] = [(value, 1)]
    while todo:
        item, depth = todo.pop()
        if depth > _MAX_DEPTH:
            raise NotAcceptable(f"it is nested deeper than {_MAX_DEPTH} levels")
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
        raise NotAcceptable("a string contains NUL")
    if not text.isascii() and _SURROGATE.search(text):
        raise NotAcceptable("a string contains a lone surrogate")
