"""The modules of the clients that follow from openapi.json: `models.py`, `reasons.py` and `contract.ts`."""

import json
import subprocess
from collections.abc import Iterable
from typing import Any

from tests.clients.generated_typescript import contract_modules
from tests.processes import BIN

_HEAD = '"""{what} Made by `make openapi` from openapi.json; do not edit."""\n\n'
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def models_module(document: dict[str, Any]) -> bytes:
    """Every schema as a TypedDict, those that it refers to before it."""
    models = _Models(document["components"]["schemas"])
    for name in models.schemas:
        models.add(name)
    body = "\n\n".join(models.classes.values())
    names = [name for name in ("Any", "Literal", "NotRequired", "TypedDict") if name in body]
    head = _HEAD.format(what="What the API takes and answers, as types.")
    return _formatted(f"{head}from typing import {', '.join(names)}\n\n\n{body}")


def reasons_module(document: dict[str, Any]) -> bytes:
    """One class per reason code."""
    codes = document["components"]["schemas"]["Problem"]["properties"]["reason_code"]["enum"]
    classes = [f'class {class_name(code)}(ApiProblem):\n    code = "{code}"\n' for code in sorted(codes)]
    head = _HEAD.format(what="One class per reason code of the API.")
    return _formatted(head + "from dpp_client.errors import ApiProblem\n\n\n" + "\n\n".join(classes))


def client_modules(openapi: bytes) -> dict[str, bytes]:
    """By their paths."""
    document = json.loads(openapi)
    folder = "clients/python/src/dpp_client"
    return {
        f"{folder}/models.py": models_module(document),
        f"{folder}/reasons.py": reasons_module(document),
        **{f"clients/typescript/{path}": body for path, body in contract_modules(document).items()},
    }


def class_name(code: str) -> str:
    """RUN_NOT_FOUND_STEALTH and run_not_found_stealth: RunNotFoundStealth."""
    return "".join(word.capitalize() for word in code.split("_"))


def _is_request(name: str) -> bool:
    """Bodies of submits, which the client writes itself, from `Order`."""
    return name == "RunRequest" or (name.endswith(("Run", "RunFlat")) and name != "Run")


class _Models:
    def __init__(self, schemas: dict[str, Any]) -> None:
        self.schemas = {name: schema for name, schema in schemas.items() if not _is_request(name)}
        self.classes: dict[str, str] = {}

    def add(self, name: str) -> None:
        if name not in self.classes:
            self._add_class(name, self.schemas[name])

    def _add_class(self, name: str, schema: dict[str, Any]) -> None:
        required = set(schema.get("required", ()))
        lines = []
        for member, inner in schema["properties"].items():
            kind = self._type(inner, name + class_name(member))
            lines.append(f"    {member}: {kind if member in required else f'NotRequired[{kind}]'}\n")
        self.classes[name] = f"class {name}(TypedDict):\n{''.join(lines)}"

    def _type(self, schema: dict[str, Any], name: str) -> str:
        if "$ref" in schema:
            referred: str = schema["$ref"].rsplit("/", 1)[1]
            self.add(referred)
            return referred
        if "const" in schema:
            return f"Literal[{json.dumps(schema['const'])}]"
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
        if "allOf" in schema:
            return self._type(schema["allOf"][0], name) if len(schema["allOf"]) == 1 else "dict[str, Any]"
        if "anyOf" in schema:
            return _union(self._type(each, f"{name}{number or ''}") for number, each in enumerate(schema["anyOf"]))
        match schema.get("type"):
            case list(kinds):
                return _union(self._type({**schema, "type": kind}, name) for kind in kinds)
            case "array":
                return f"list[{self._type(schema.get('items', {}), name + 'Item')}]"
            case "object":
                return self._object(schema, name)
            case kind:
                return _TYPES.get(str(kind), "Any")

    def _object(self, schema: dict[str, Any], name: str) -> str:
        if schema.get("properties"):
            self._add_class(name, schema)
            return name
        values = schema.get("additionalProperties")
        return f"dict[str, {self._type(values, name + 'Value') if isinstance(values, dict) else 'Any'}]"


def _union(kinds: Iterable[str]) -> str:
    found = list(dict.fromkeys(kinds))
    return "Any" if "Any" in found else " | ".join(found)


def _formatted(source: str) -> bytes:
    ruff = [str(BIN / "ruff"), "format", "--quiet", "--line-length", "120", "-"]
    return subprocess.run(ruff, input=source.encode(), capture_output=True, check=True).stdout
