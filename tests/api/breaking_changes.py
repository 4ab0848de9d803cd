"""What in a new OpenAPI document would break a caller who wrote against the old one.

Breaking: a path, method, answer, header or field of an answer gone; a field of an answer no longer certain; an input
no longer accepted (a parameter, field or enum value gone, bounds narrowed, another type); a new required input.
Not breaking: anything added that nobody must send. A moved profile version is a new contract: nothing is compared.

`python -m tests.api.breaking_changes openapi.json` compares the committed file with the code.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROFILE_VERSION = "x-profile-version"

_METHODS = ("get", "post", "put", "patch", "delete")
# For inputs: a larger lower bound, or a smaller upper bound, refuses what was accepted.
_LOWER = ("minimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "maxLength", "maxItems", "maxProperties")
_VARIANTS = ("oneOf", "anyOf", "allOf")

Json = dict[str, Any]


def breaking_changes(old: Json, new: Json) -> list[str]:
    """One line for each, empty if there is none."""
    if old["info"].get(PROFILE_VERSION) != new["info"].get(PROFILE_VERSION):
        return []
    return list(dict.fromkeys(_paths(_Reader(old), _Reader(new))))


class _Reader:
    """A document whose references are followed."""

    def __init__(self, document: Json) -> None:
        self.document = document

    def __call__(self, value: Any) -> Any:
        while isinstance(value, dict) and "$ref" in value:
            found: Any = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value


def _paths(old: _Reader, new: _Reader) -> Iterator[str]:
    for path, methods in old.document["paths"].items():
        if path not in new.document["paths"]:
            yield f"{path}: the path is gone"
            continue
        for method in (name for name in _METHODS if name in methods):
            where = f"{method.upper()} {path}"
            if method not in new.document["paths"][path]:
                yield f"{where}: the method is gone"
            else:
                yield from _operation(old, new, methods[method], new.document["paths"][path][method], where)


def _operation(old: _Reader, new: _Reader, was: Json, now: Json, where: str) -> Iterator[str]:
    yield from _parameters(old, new, was, now, where)
    yield from _body(old, new, old(was.get("requestBody")), new(now.get("requestBody")), where)
    for status, answer in was["responses"].items():
        if status not in now["responses"]:
            yield f"{where}: answer {status} is gone"
            continue
        yield from _answer(old, new, old(answer), new(now["responses"][status]), f"{where} {status}")


def _parameters(old: _Reader, new: _Reader, was: Json, now: Json, where: str) -> Iterator[str]:
    before = {(item["in"], item["name"]): item for item in map(old, was.get("parameters", []))}
    after = {(item["in"], item["name"]): item for item in map(new, now.get("parameters", []))}
    for key, parameter in before.items():
        if key not in after:
            yield f"{where}: parameter {key[1]} is gone"
        else:
            yield from _schema(old, new, parameter["schema"], after[key]["schema"], f"{where} {key[1]}", is_input=True)
    for key, parameter in after.items():
        if parameter.get("required") and not before.get(key, {}).get("required"):
            yield f"{where}: parameter {key[1]} is now required"


def _body(old: _Reader, new: _Reader, was: Json | None, now: Json | None, where: str) -> Iterator[str]:
    if now is not None and now.get("required") and not (was or {}).get("required"):
        yield f"{where}: a body is now required"
    for media, content in (was or {}).get("content", {}).items():
        if media not in (now or {}).get("content", {}):
            yield f"{where}: a body of {media} is no longer accepted"
        else:
            assert now is not None
            yield from _schema(
                old, new, content["schema"], now["content"][media]["schema"], f"{where} body", is_input=True
            )


def _answer(old: _Reader, new: _Reader, was: Json, now: Json, where: str) -> Iterator[str]:
    for name in was.get("headers", {}):
        if name not in now.get("headers", {}):
            yield f"{where}: header {name} is gone"
    for media, content in was.get("content", {}).items():
        if media not in now.get("content", {}):
            yield f"{where}: {media} is gone"
        else:
            yield from _schema(old, new, content["schema"], now["content"][media]["schema"], where, is_input=False)


def _schema(old: _Reader, new: _Reader, was: Any, now: Any, where: str, *, is_input: bool) -> Iterator[str]:
    was, now = old(was), new(now)
    if not isinstance(was, dict) or not isinstance(now, dict):
        return
    yield from _values(was, now, where)
    if is_input:
        yield from _narrowed(was, now, where)
    yield from _required(was, now, where, is_input=is_input)
    for name, schema in was.get("properties", {}).items():
        if name not in now.get("properties", {}):
            yield f"{where}/{name}: the field is gone"
        else:
            yield from _schema(old, new, schema, now["properties"][name], f"{where}/{name}", is_input=is_input)
    if "items" in was and "items" in now:
        yield from _schema(old, new, was["items"], now["items"], f"{where}[]", is_input=is_input)
    for keyword in _VARIANTS:
        before, after = was.get(keyword, []), now.get(keyword, [])
        if len(after) < len(before):
            yield f"{where}: one of {len(before)} alternatives ({keyword}) is gone"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _schema(old, new, one, other, f"{where}({number})", is_input=is_input)


def _values(was: Json, now: Json, where: str) -> Iterator[str]:
    types = _types(was), _types(now)
    if types[0] != types[1]:
        yield f"{where}: the type was {_shown(types[0])} and is {_shown(types[1])}"
    if "enum" in now or "const" in now:
        before = was.get("enum", [was["const"]] if "const" in was else None)
        after = now.get("enum", [now.get("const")])
        if before is None:
            yield f"{where}: only some values are left"
        else:
            yield from (f"{where}: the value {value!r} is gone" for value in before if value not in after)


def _types(schema: Json) -> set[Any]:
    """A constant has the type of its value, said or not."""
    if "type" not in schema and isinstance(schema.get("const"), bool):
        return {"boolean"}
    return set(_as_list(schema.get("type")))


def _narrowed(was: Json, now: Json, where: str) -> Iterator[str]:
    for name in (*_LOWER, *_UPPER):
        before, after = was.get(name), now.get(name)
        if after is None:
            continue
        if before is None or (after > before if name in _LOWER else after < before):
            yield f"{where}: {name} was {'open' if before is None else before} and is {after}"
    if was.get("additionalProperties", True) is not False and now.get("additionalProperties", True) is False:
        yield f"{where}: unknown fields are no longer accepted"
    if "pattern" in now and now["pattern"] != was.get("pattern"):
        yield f"{where}: the pattern was {was.get('pattern', 'open')} and is {now['pattern']}"


def _required(was: Json, now: Json, where: str, *, is_input: bool) -> Iterator[str]:
    before, after = was.get("required", []), now.get("required", [])
    if is_input:
        yield from (f"{where}/{name}: the field is now required" for name in after if name not in before)
    else:
        yield from (f"{where}/{name}: the field is no longer certain" for name in before if name not in after)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _shown(types: set[Any]) -> str:
    return " or ".join(sorted(map(str, types))) or "open"


def main(committed: str) -> int:
    import django

    django.setup()
    from runs.api.openapi.document import openapi_bytes

    broken = breaking_changes(json.loads(Path(committed).read_bytes()), json.loads(openapi_bytes()))
    for line in broken:
        print(f"Breaks callers: {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
