"""What counts as breaking: each kind once, planted into a small document."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.api.breaking_changes import breaking_changes

Document = dict[str, Any]
Change = Callable[[Document], object]

_OLD: Document = {
    "info": {"x-profile-version": "P1"},
    "components": {
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "string"},
                    "state": {"type": "string", "enum": ["ON", "OFF"]},
                    "parts": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"size": {"type": "integer"}}},
                    },
                },
            },
            "Order": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "maxLength": 10},
                    "kind": {"enum": ["a", "b"]},
                    "note": {"type": "string"},
                },
            },
        }
    },
    "paths": {
        "/things": {
            "get": {
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}}],
                "responses": {
                    "200": {
                        "headers": {"ETag": {}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                    },
                    "404": {"content": {"application/problem+json": {"schema": {"type": "object"}}}},
                },
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {"oneOf": [{"$ref": "#/components/schemas/Order"}, {"type": "string"}]}
                        }
                    },
                },
                "responses": {"202": {}},
            },
        }
    },
}


def thing(new: Document) -> Document:
    schema: Document = new["components"]["schemas"]["Thing"]
    return schema


def order(new: Document) -> Document:
    schema: Document = new["components"]["schemas"]["Order"]
    return schema


def get(new: Document) -> Document:
    operation: Document = new["paths"]["/things"]["get"]
    return operation


def post(new: Document) -> Document:
    operation: Document = new["paths"]["/things"]["post"]
    return operation


def required_header() -> Document:
    return {"name": "X-New", "in": "header", "required": True, "schema": {"type": "string"}}


_BREAKING: dict[str, Change] = {
    "/things: the path is gone": lambda new: new["paths"].clear(),
    "GET /things: the method is gone": lambda new: new["paths"]["/things"].pop("get"),
    "GET /things: answer 404 is gone": lambda new: get(new)["responses"].pop("404"),
    "GET /things 200: header ETag is gone": lambda new: get(new)["responses"]["200"]["headers"].clear(),
    "GET /things 200: application/json is gone": lambda new: get(new)["responses"]["200"]["content"].clear(),
    "GET /things 200/state: the field is gone": lambda new: thing(new)["properties"].pop("state"),
    "GET /things 200/id: the field is no longer certain": lambda new: thing(new)["required"].clear(),
    "GET /things 200/id: the type was string and is integer": lambda new: thing(new)["properties"]["id"].update(
        type="integer"
    ),
    "GET /things 200/state: the value 'OFF' is gone": lambda new: thing(new)["properties"]["state"]["enum"].remove(
        "OFF"
    ),
    "GET /things 200/parts[]/size: the field is gone": lambda new: thing(new)["properties"]["parts"]["items"][
        "properties"
    ].clear(),
    "GET /things: parameter limit is gone": lambda new: get(new)["parameters"].clear(),
    "GET /things limit: maximum was 100 and is 50": lambda new: get(new)["parameters"][0]["schema"].update(maximum=50),
    "GET /things limit: minimum was open and is 1": lambda new: get(new)["parameters"][0]["schema"].update(minimum=1),
    "GET /things: parameter X-New is now required": lambda new: get(new)["parameters"].append(required_header()),
    "POST /things body(0)/note: the field is gone": lambda new: order(new)["properties"].pop("note"),
    "POST /things body(0)/kind: the field is now required": lambda new: order(new)["required"].append("kind"),
    "POST /things body(0)/kind: the value 'b' is gone": lambda new: order(new)["properties"]["kind"].update(enum=["a"]),
    "POST /things body(0)/note: only some values are left": lambda new: order(new)["properties"]["note"].update(
        enum=["x"]
    ),
    "POST /things body(0)/name: maxLength was 10 and is 9": lambda new: order(new)["properties"]["name"].update(
        maxLength=9
    ),
    "POST /things body(0)/name: the pattern was open and is ^a$": lambda new: order(new)["properties"]["name"].update(
        pattern="^a$"
    ),
    "POST /things body(0): unknown fields are no longer accepted": lambda new: order(new).update(
        additionalProperties=False
    ),
    "POST /things body: one of 2 alternatives (oneOf) is gone": lambda new: post(new)["requestBody"]["content"][
        "application/json"
    ]["schema"]["oneOf"].pop(),
    "POST /things: a body of application/json is no longer accepted": lambda new: post(new)["requestBody"][
        "content"
    ].clear(),
    "GET /things: a body is now required": lambda new: get(new).update(requestBody={"required": True, "content": {}}),
}

_HARMLESS: dict[str, Change] = {
    "a path": lambda new: new["paths"].update({"/more": {}}),
    "an answer": lambda new: get(new)["responses"].update({"500": {}}),
    "an answer's field": lambda new: thing(new)["properties"].update(more={"type": "string"}),
    "an answer's certain field": lambda new: thing(new)["required"].append("state"),
    "an optional input": lambda new: order(new)["properties"].update(more={"type": "string"}),
    "an input's value": lambda new: order(new)["properties"]["kind"]["enum"].append("c"),
    "an optional parameter": lambda new: get(new)["parameters"].append({**required_header(), "required": False}),
    "a wider bound": lambda new: get(new)["parameters"][0]["schema"].update(maximum=1000),
    "no bound": lambda new: order(new)["properties"]["name"].pop("maxLength"),
    "an input no longer required": lambda new: order(new)["required"].clear(),
    "words": lambda new: thing(new).update(description="Reads better now."),
}


@pytest.mark.parametrize("line", _BREAKING)
def test_this_breaks_callers(line: str) -> None:
    new = copy.deepcopy(_OLD)
    _BREAKING[line](new)
    assert line in breaking_changes(_OLD, new)


@pytest.mark.parametrize("kind", _HARMLESS)
def test_this_does_not(kind: str) -> None:
    new = copy.deepcopy(_OLD)
    _HARMLESS[kind](new)
    assert new != _OLD
    assert breaking_changes(_OLD, new) == []


def test_a_new_profile_is_a_new_contract() -> None:
    new = copy.deepcopy(_OLD)
    new["info"]["x-profile-version"] = "P2"
    new["paths"].clear()
    assert breaking_changes(_OLD, new) == []
