"""The module of the TypeScript client that follows from openapi.json: types, and the table of calls.

Its source and what it compiles to are both written here, so that a change of the API needs no compiler.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

Schema = dict[str, Any]

_HEAD = "// The API's contract. Made by `make openapi` from openapi.json; do not edit.\n"
_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_METHODS = ("get", "post", "put", "patch", "delete")
_SHAPES = {"$ref", "type", "properties", "const", "enum"}
_BY_THE_CLIENT = frozenset({"Authorization"})


def contract_modules(document: Schema) -> dict[str, bytes]:
    """By their paths within the package."""
    schemas: Schema = document["components"]["schemas"]
    types = [_HEAD, *(_declaration(name, schema) for name, schema in schemas.items())]
    types += ['export type ReasonCode = Problem["reason_code"];\n', _pack_inputs(schemas), _operation_types(document)]
    table = {name: (method.upper(), path) for name, method, path, _ in _operations(document)}
    places = "".join(
        f"  {name}: {{ method: {_text(method)}, path: {_text(path)} }},\n" for name, (method, path) in table.items()
    )
    literals = "".join(
        f"  readonly {name}: {{ readonly method: {_text(method)}; readonly path: {_text(path)} }};\n"
        for name, (method, path) in table.items()
    )
    return {
        "src/contract.ts": _joined(*types, f"export const OPERATIONS = {{\n{places}}} as const;\n"),
        "dist/contract.d.ts": _joined(*types, f"export declare const OPERATIONS: {{\n{literals}}};\n"),
        "dist/contract.js": _joined(_HEAD, f"export const OPERATIONS = {{\n{places}}};\n"),
    }


def _declaration(name: str, schema: Schema) -> str:
    return f"{_comment(schema)}export type {name} = {_type(schema)};\n"


def _type(schema: Schema, depth: int = 0) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if choices := _choices(schema):
        return _union(_type(each, depth) for each in choices)
    if "allOf" in schema and "properties" not in schema:
        return " & ".join(_type(each, depth) for each in schema["allOf"])
    match schema.get("type"):
        case list(kinds):
            return _union(_type({**schema, "type": kind}, depth) for kind in kinds)
        case "array":
            return f"Array<{_type(schema.get('items', {}), depth)}>"
        case "object":
            return _object(schema, depth)
        case kind:
            return _TYPES.get(str(kind), "unknown")


def _choices(schema: Schema) -> list[Schema]:
    """The shapes of which a value has one. Alternatives that only say what must be given are no shapes."""
    for name in ("oneOf", "anyOf") if "properties" not in schema else ():
        shapes = [
            each for each in schema.get(name, ()) if each.keys() & {"$ref", "type", "properties", "const", "enum"}
        ]
        if shapes:
            return shapes
    return list(_conditional_shapes(schema))


def _conditional_shapes(schema: Schema) -> Iterator[Schema]:
    """Of `if`, `then` and `else`, also inside `allOf`: the shapes in their branches."""
    for rule in (schema, *schema.get("allOf", ())):
        for branch in ("then", "else") if "if" in rule else ():
            shape = rule.get(branch, {})
            inner = list(_conditional_shapes(shape))
            if inner:
                yield from inner
            elif "properties" in shape and shape.get("type") == "object":
                needed = [*shape.get("required", ()), *(rule["if"].get("required", ()) if branch == "then" else ())]
                yield {**shape, "required": needed}
            elif shape.get("type") in _TYPES:
                yield shape
        if rule.get("if", {}).get("type") in _TYPES and "then" not in rule:
            yield rule["if"]


def _object(schema: Schema, depth: int) -> str:
    properties: Schema = schema.get("properties", {})
    if not properties:
        values = schema.get("additionalProperties")
        return f"Record<string, {_type(values, depth) if isinstance(values, dict) and values else 'unknown'}>"
    required, pad = set(schema.get("required", ())), "  " * (depth + 1)
    lines = [
        f"{_comment(inner, pad)}{pad}{_name(name)}{'' if name in required else '?'}: {_type(inner, depth + 1)};\n"
        for name, inner in properties.items()
    ]
    return f"{{\n{''.join(lines)}{'  ' * depth}}}"


def _pack_inputs(schemas: Schema) -> str:
    """What each pack takes, by its name."""
    found = {}
    for each in schemas["RunRequest"]["oneOf"]:
        properties = schemas[each["$ref"].rsplit("/", 1)[1]]["properties"]
        found[properties["pack_type"]["const"]] = _type(properties["inputs"])
    lines = "".join(f"  {_name(pack)}: {inputs};\n" for pack, inputs in found.items())
    return f"/** What each pack takes. */\nexport interface PackInputs {{\n{lines}}}\n"


def _operations(document: Schema) -> Iterator[tuple[str, str, str, Schema]]:
    """Name, method, path and declaration of every call that answers JSON."""
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods and _answer(methods[method]) is not None:
                yield methods[method]["operationId"], method, path, methods[method]


def _operation_types(document: Schema) -> str:
    lines = []
    for name, _, _, operation in _operations(document):
        parameters = [_resolved(each, document) for each in operation.get("parameters", ())]
        lines.append(
            f"  {name}: {{\n"
            f"    path: {_parameters(parameters, 'path')};\n"
            f"    query: {_parameters(parameters, 'query')};\n"
            f"    headers: {_parameters(parameters, 'header')};\n"
            f"    body: {_body(operation)};\n"
            f"    answer: {_answer(operation)};\n  }};\n"
        )
    return f"/** Every call by its name in openapi.json. */\nexport interface Operations {{\n{''.join(lines)}}}\n"


def _answer(operation: Schema) -> str | None:
    """Of the success; None if it is no JSON, as with a stream."""
    code, response = next(each for each in sorted(operation["responses"].items()) if each[0].startswith("2"))
    if code == "204":
        return "undefined"
    for media, content in response.get("content", {}).items():
        if media.partition("+")[2] == "json" or media == "application/json":
            return _type(content.get("schema", {}), 2)
    return None


def _body(operation: Schema) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return _type(content["schema"], 2) if content else "undefined"


def _parameters(parameters: list[Schema], place: str) -> str:
    found = [each for each in parameters if each["in"] == place and each["name"] not in _BY_THE_CLIENT]
    if not found:
        return "{}"
    members = (
        f"{_name(each['name'])}{'' if each.get('required') else '?'}: {_type(each.get('schema', {}))}" for each in found
    )
    return f"{{ {'; '.join(members)} }}"


def _resolved(parameter: Schema, document: Schema) -> Schema:
    if "$ref" in parameter:
        return dict(document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]])
    return parameter


def _name(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _comment(schema: Schema, pad: str = "") -> str:
    text = " ".join(schema.get("description", "").split()).replace("*/", "* /")
    return f"{pad}/** {text} */\n" if text else ""


def _union(kinds: Iterable[str]) -> str:
    found = list(dict.fromkeys(kinds))
    return "unknown" if "unknown" in found else " | ".join(found)


def _text(value: str) -> str:
    return json.dumps(value)


def _joined(*parts: str) -> bytes:
    return "\n".join(parts).encode()
