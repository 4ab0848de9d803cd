"""openapi.json: fresh, valid, complete, and no change that breaks callers."""

import difflib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, get_resolver
from jsonschema import Draft202012Validator

from packs.registry import PACKS
from runs.api.openapi.document import openapi_bytes
from runs.api.problems import ANSWERS
from tests.api.breaking_changes import breaking_changes
from tests.api.breaking_changes import main as check_committed
from tests.api.caller import OPENAPI, validate
from tests.api.write_documents import write_documents
from tests.builders import QUESTION
from tests.clients.generated_modules import client_modules

_COMMITTED: dict[str, Any] = json.loads(OPENAPI.read_bytes())
_METHODS = ("get", "post", "delete")


def operations() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", methods[method])
        for path, methods in _COMMITTED["paths"].items()
        for method in _METHODS
        if method in methods
    ]


def test_the_committed_file_is_fresh() -> None:
    old, new = OPENAPI.read_text(encoding="utf-8"), openapi_bytes().decode()
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), "openapi.json", "the code", lineterm="", n=2)
    assert old == new, "openapi.json is stale: run `make openapi`.\n" + "\n".join(list(diff)[:80])


def test_nothing_breaks_callers_unless_the_profile_moves() -> None:
    assert breaking_changes(_COMMITTED, json.loads(openapi_bytes())) == []


def test_every_route_of_the_api_is_described() -> None:
    served = {
        "/" + re.sub(r"<str:(\w+)>", r"{\1}", str(entry.pattern))
        for entry in get_resolver().url_patterns
        if isinstance(entry, URLPattern)
    }
    for_people = {"/", "/llms.txt", "/guides/<path:name>", "/docs", "/docs/", "/docs/{name}"}
    of_another_process = {"/v1/runs/{run_id}/events"}
    described = set(_COMMITTED["paths"]) - of_another_process
    assert {route for route in served if route.startswith("/v1")} <= described
    assert described <= served
    assert served - described - for_people <= {route for route in served if route.startswith("/admin")}


def test_every_reference_leads_somewhere_and_every_component_is_used() -> None:
    text = json.dumps(_COMMITTED)
    wanted = set(re.findall(r'"\$ref": "#/components/(\w+/[\w-]+)"', text))
    there = {f"{kind}/{name}" for kind, members in _COMMITTED["components"].items() for name in members}
    assert wanted <= there
    assert there - wanted == {"securitySchemes/ApiKey"}


def test_every_operation_tells_its_headers_and_problems() -> None:
    for name, operation in operations():
        if name in ("GET /metrics", "GET /.well-known/jwks.json"):
            continue
        assert operation["summary"], name
        assert operation["description"], name
        for status, answer in operation["responses"].items():
            assert "X-Trace-Id" in answer["headers"], (name, status)
            if "/v1/runs" in name:
                assert "X-DPP-Budget-Remaining" in answer["headers"], (name, status)
            if int(status) >= 400 and "/readyz" not in name:
                assert list(answer["content"]) == ["application/problem+json"], (name, status)
        if operation["security"]:
            assert {"401", "429", "503"} <= set(operation["responses"]), name
            (success,) = [
                answer for status, answer in operation["responses"].items() if status in ("200", "201", "202", "204")
            ][:1]
            assert "X-RateLimit-Limit" in success["headers"], name


def test_every_problem_is_an_answer_of_some_operation() -> None:
    shown = re.findall(r'"#/components/examples/(\w+)"', json.dumps(_COMMITTED["paths"]))
    codes = {_COMMITTED["components"]["examples"][name]["value"].get("reason_code") for name in shown}
    assert codes - {None} == set(ANSWERS)


def test_examples_are_what_the_schemas_say() -> None:
    examples = _COMMITTED["components"]["examples"]
    checked = 0
    for _, operation in operations():
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (content for body in bodies for content in body.get("content", {}).values()):
            for name in content.get("examples", {}):
                validate(examples[name]["value"], content["schema"])
                checked += 1
    assert checked > 60


def test_schemas_are_json_schemas_and_the_packs_own_are_among_them() -> None:
    for schema in _COMMITTED["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for pack in PACKS.values():
        described = _COMMITTED["components"]["schemas"][f"{pack.name.capitalize()}Inputs"]
        assert described["properties"].keys() == pack.input_schema["properties"].keys()


def test_the_request_schema_accepts_both_shapes_and_nothing_else() -> None:
    request = {"$ref": "#/components/schemas/RunRequest"}
    canonical = {"pack_type": "decision", "inputs": QUESTION, "reservation": {"max_cost_usd": "0.5"}}
    validate(canonical, request)
    validate({"pack_type": "decision", "inputs": QUESTION, "max_cost_usd": "1000000000"}, request)
    changes: list[dict[str, Any]] = [
        {"reservation": {}},
        {"reservation": {"max_cost_usd": "0.0049"}},
        {"reservation": {"max_cost_usd": "1000000000.1"}},
        {"reservation": {"max_cost_usd": 1}},
        {"pack_type": "astrology"},
        {"surprise": 1},
    ]
    for change in changes:
        with pytest.raises(AssertionError):
            validate({**canonical, **change}, request)


def test_all_that_follows_is_written_and_only_when_it_changes(tmp_path: Path) -> None:
    modules = list(client_modules(OPENAPI.read_bytes()))
    assert write_documents(tmp_path) == ["openapi.json", "docs/errors.md", *modules]
    assert (tmp_path / "openapi.json").read_bytes() == openapi_bytes()
    assert write_documents(tmp_path) == []


def test_the_check_before_it_refuses_to_break_callers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    promised = json.loads(openapi_bytes())
    promised["paths"]["/v1/horoscopes"] = promised["paths"]["/v1/packs"]
    (tmp_path / "openapi.json").write_text(json.dumps(promised))
    assert check_committed(str(tmp_path / "openapi.json")) == 1
    assert "/v1/horoscopes: the path is gone" in capsys.readouterr().out


def test_the_document_says_where_and_groups_its_operations() -> None:
    assert _COMMITTED["servers"] == [{"url": "/", "description": "Where this document comes from."}]
    tags = {tag["name"] for tag in _COMMITTED["tags"]}
    names = [operation["operationId"] for _, operation in operations()]
    assert len(set(names)) == len(names) == 29
    assert {tag for _, operation in operations() for tag in operation["tags"]} == tags
