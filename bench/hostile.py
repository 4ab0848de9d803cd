"""The worst bodies we can build, for every pack: what each costs to be read and judged, in processor time and memory.

Each body has the largest size its pack takes. It goes the way of a submit from its bytes to the hash of its payload,
or to its refusal, in this process; no server is needed. Ends with status 1 if one costs more than the limit.
"""

import io
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.static_settings")

import django

django.setup()

from django.core.handlers.wsgi import WSGIRequest  # noqa: E402

from packs.base import MAX_BODY_BYTES, Pack  # noqa: E402
from packs.registry import PACKS  # noqa: E402
from runs.api.json_bodies import StrictJsonParser  # noqa: E402
from runs.api.problems import ProblemError  # noqa: E402
from runs.api.submission import read_submission  # noqa: E402
from runs.lifecycle.quotes import quote  # noqa: E402
from runs.lifecycle.request import RunRequest  # noqa: E402

MAX_CPU_SEC = 0.5
MAX_MEMORY_BYTES = 64 * 1_048_576
_BEST_OF = 2
_TENANT, _NOW = "bench", datetime.now(UTC)


def bodies(pack: Pack) -> Iterator[tuple[str, bytes]]:
    """Shapes that are dear to some parser, validator or hash, filled to the pack's limits."""
    yield "as much as the schema allows", _request(pack, _largest(pack.input_schema))
    for char in ("x", "가", "\U0001f600", "1,"):
        yield f"accepted, with long texts of {char!r}", _request(pack, _ACCEPTED[pack.name](char))
    for name in pack.input_schema["properties"]:
        for what, item in _ITEMS.items():
            yield f"{name}: a list of {what}", _filled(pack, name, partial(_list_of, item))
            yield f"{name}: an object of {what}", _filled(pack, name, partial(_object_of, item))
        yield f"{name}: one long text", _text(pack, name, "x")
        yield f"{name}: one long text of wide characters", _text(pack, name, "\U0001f600")
        yield f"{name}: one long text of white space", _text(pack, name, " ")
        yield f"{name}: one wide character before base64", _text(pack, name, "A", start="\U0001f600")
        yield f"{name}: one escape before base64", _text(pack, name, "A", start="\U0001f600", ascii_only=True)
    for member in ("client", "meta", "reservation", "options", "artifacts", "tags", "k"):
        yield f"{member}: many members", _frame(pack, {member: {f"k{k}": "v" for k in range(pack.max_values - 50)}})
        yield f"{member}: one long text", _frame(pack, {member: "x" * (MAX_BODY_BYTES - 200)})
    yield "unknown members beside inputs", _frame(pack, {f"k{k}": 1 for k in range(pack.max_values - 50)})
    for name in ("quote_id", "max_cost_usd", "profile_version"):
        yield f"{name}: one long text", _frame(pack, {name: "9." * (MAX_BODY_BYTES // 2 - 200)})
    if pack.name == "ocr":
        yield "one file", _request(pack, {"images": [_file(pack.max_body_bytes - 1_000)]})
        yield "ten files", _request(pack, {"images": [_file(pack.max_body_bytes // 10 - 1_000)] * 10})
    yield "unknown members", _filled(pack, None, lambda n: {f"k{k}": 1 for k in range(n)})
    yield "brackets", _padded(pack, b"[" * pack.max_body_bytes)
    yield "deep objects", _padded(pack, b'{"a":' * pack.max_body_bytes)
    yield "numbers without end", _padded(pack, b"1," * pack.max_body_bytes)
    yield "one number", _padded(pack, b"9" * pack.max_body_bytes)
    yield "escaped quotes", _padded(pack, b'\\"' * pack.max_body_bytes, text=True)
    yield "separators inside a text", _padded(pack, b",[{" * pack.max_body_bytes, text=True)
    yield "quotes", _padded(pack, b'"",' * pack.max_body_bytes)
    yield "base64 of the least length that is set aside", _padded(pack, (b'"' + b"A" * 4096 + b'",') * 4096)


_ITEMS: dict[str, Callable[[int], Any]] = {
    "numbers": lambda k: 1,
    "empty objects": lambda k: {},
    "objects": lambda k: {"name": k},
    "lists": lambda k: [k],
    "texts": lambda k: f"https://a.example/{k}",
    "addresses with wide names": lambda k: f"https://{_WIDE_LABEL}{k}.example/",
    "files": lambda k: {"kind": "base64", "data": "QUJD", "name": f"{k}.png"},
}
_WIDE_LABEL = "도메인" * 6

# Inputs that are accepted, with texts as long as schema and body allow. Three bytes a character at the most.
_ACCEPTED: dict[str, Callable[[str], Any]] = {
    "decision": lambda char: {
        "question": _long(char, 4_000),
        "options": [
            {
                "name": f"{k}",
                "attributes": {f"a{n}": _long(char, 200) for n in range(50)},
                "description": _long(char, 800),
            }
            for k in range(20)
        ],
        "criteria": [f"a{k}" for k in range(20)],
    },
    "url": lambda char: {
        "urls": [f"https://a{k}.example/{'x' * 4_000}" for k in range(30)],
        "decision_question": _long(char, 4_000),
    },
    "compliance": lambda char: {"text": _long(char, 200_000)},
    "eval": lambda char: {
        "text": _long(char, 100_000),
        "sources": [{"id": f"s{k}", "text": _long(char, 9_000)} for k in range(20)],
    },
    "ocr": lambda char: {"images": [{**_file(1_000), "name": f"{k}.png"} for k in range(50)]},
}


def _long(char: str, length: int) -> str:
    return (char * length)[:length]


def _list_of(item: Callable[[int], Any], number: int) -> list[Any]:
    return [item(k) for k in range(number)]


def _object_of(item: Callable[[int], Any], number: int) -> dict[str, Any]:
    return {f"k{k}": item(k) for k in range(number)}


def _largest(schema: Any) -> Any:
    """A value with all that the schema allows, its longest texts aside."""
    if "anyOf" in schema and "type" not in schema:
        return _largest(schema["anyOf"][-1])
    match schema.get("type"):
        case "object":
            return {name: _largest(inner) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [_largest(schema["items"])] * schema.get("maxItems", 10)
        case "string":
            return schema["enum"][0] if "enum" in schema else "https://a.example/"
        case "integer" | "number":
            return schema.get("minimum", 1)
    return schema.get("const", True)


def _file(size: int) -> dict[str, str]:
    return {"kind": "base64", "data": "A" * (size // 4 * 4), "name": "a.png"}


def _filled(pack: Pack, name: str | None, make: Callable[[int], Any]) -> bytes:
    """As many as the pack takes values; more would be refused unread."""
    a_hundred = _request(pack, make(100))
    separators = sum(a_hundred.count(char) for char in (b",", b"[", b"{"))
    value = make(100 * (pack.max_values - 50) // separators)
    return _request(pack, value if name is None else {name: value})


def _text(pack: Pack, name: str, char: str, *, start: str = "", ascii_only: bool = False) -> bytes:
    empty = len(_request(pack, {name: start}, ascii_only=ascii_only))
    room = (pack.max_body_bytes - empty) // len(char.encode())
    return _request(pack, {name: start + char * room}, ascii_only=ascii_only)


def _request(pack: Pack, inputs: Any, *, ascii_only: bool = False) -> bytes:
    body = {"pack_type": pack.name, "max_cost_usd": "1", "inputs": inputs}
    return json.dumps(body, ensure_ascii=ascii_only, separators=(",", ":")).encode()


def _frame(pack: Pack, members: dict[str, Any]) -> bytes:
    body = {"pack_type": pack.name, "max_cost_usd": "1", "inputs": {}, **members}
    return json.dumps(body, separators=(",", ":")).encode()


def _padded(pack: Pack, filling: bytes, *, text: bool = False) -> bytes:
    head = f'{{"pack_type":"{pack.name}","inputs":'.encode() + (b'"' if text else b"")
    return (head + filling)[: pack.max_body_bytes]


def cost(body: bytes) -> tuple[str, float, int]:
    """What it is answered with, seconds of processor time (the least of some tries), bytes at the most."""
    answer, seconds, peak = _cost(submitted, body)
    if answer.startswith("202"):
        # The same body can be asked for a quote, for nothing.
        _, seconds_of_quote, peak_of_quote = _cost(quoted, body)
        seconds, peak = max(seconds, seconds_of_quote), max(peak, peak_of_quote)
    return answer, seconds, peak


def _cost(way: "Callable[[bytes], str]", body: bytes) -> tuple[str, float, int]:
    seconds = min(processor_sec(way, body) for _ in range(_BEST_OF))
    tracemalloc.start()
    try:
        answer = way(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return answer, seconds, peak


def processor_sec(way: "Callable[[bytes], str]", body: bytes) -> float:
    began = time.process_time()
    way(body)
    return time.process_time() - began


def submitted(body: bytes) -> str:
    try:
        return f"202 {_read(body).payload_hash[:8]}"
    except ProblemError as error:
        return f"{error.problem.status} {error.problem.reason_code}"


def quoted(body: bytes) -> str:
    asked = _read(body)
    return quote(_TENANT, PACKS[asked.pack_type], asked, now=_NOW).quote_id


def _read(body: bytes) -> RunRequest:
    request = WSGIRequest(
        {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/v1/runs",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
    )
    return read_submission(StrictJsonParser().parse(request), trace_header=None, tenant_id=_TENANT, now=_NOW).request


def main() -> int:
    worst = 0
    for pack in PACKS.values():
        costs = [(name, *cost(body)) for name, body in bodies(pack)]
        slowest, largest = max(costs, key=lambda entry: entry[2]), max(costs, key=lambda entry: entry[3])
        print(f"{pack.name}: {len(costs)} bodies of up to {pack.max_body_bytes:,} bytes")
        print(f"  slowest  {slowest[2]:.3f} s    {slowest[0]} ({slowest[1]})")
        print(f"  largest  {largest[3] / 1_048_576:.1f} MiB  {largest[0]} ({largest[1]})")
        assert any(answer.startswith("202") for _, answer, _, _ in costs), "the dearest may be what is accepted"
        worst += sum(seconds > MAX_CPU_SEC or peak > MAX_MEMORY_BYTES for _, _, seconds, peak in costs)
    print(f"{worst} cost more than {MAX_CPU_SEC} s or {MAX_MEMORY_BYTES // 1_048_576} MiB.")
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
