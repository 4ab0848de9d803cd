"""Call the API in this process as a customer. Every answer is held against openapi.json."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.http import HttpResponse
from django.test import Client
from jsonschema import Draft202012Validator

from dpp_project.profile import PROFILE
from tests.builders import Customer, fresh_key, json_body

OPENAPI = Path(__file__).resolve().parents[2] / "openapi.json"

_JSON = "application/json"
_COSTS = ("X-DPP-Cost-Reserved", "X-DPP-Cost-Used", "X-DPP-Budget-Remaining", "X-DPP-Tokens-Consumed")


@dataclass
class Caller:
    client: Client
    owner: Customer
    more: dict[str, str] = field(default_factory=dict)
    """Headers of every call."""

    def submit(self, body: str | None = None, *, key: str | None = None, **headers: str) -> HttpResponse:
        return self.post(
            "/v1/runs", json_body() if body is None else body, **{"Idempotency-Key": key or fresh_key(), **headers}
        )

    def post(
        self, path: str, body: str | bytes = "", *, mime: str = "application/json", **headers: str
    ) -> HttpResponse:
        return documented(self.client.post(path, body, content_type=mime, headers=self._headers(headers)), "post", path)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return documented(self.client.delete(path, headers=self._headers(headers)), "delete", path)

    def get(self, path: str, **headers: str) -> HttpResponse:
        return documented(self.client.get(path, headers=self._headers(headers)), "get", path)

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        return {**self.owner.headers(), **self.more, **headers}


def documented(response: Any, method: str, path: str) -> HttpResponse:
    """The answer, after a look whether openapi.json allows it: status, media type, headers, body."""
    operation = _operation(method, path.partition("?")[0])
    if operation is None:
        return response  # type: ignore[no-any-return]
    answers = operation["responses"]
    assert str(response.status_code) in answers, f"{response.status_code} is not documented: {response.content!r}"
    answer = answers[str(response.status_code)]
    for name, header in answer.get("headers", {}).items():
        if _resolved(header).get("required"):
            assert name in response.headers, f"{method} {path} {response.status_code}: {name} is missing"
    if answer.get("content"):
        media = response.headers["Content-Type"].partition(";")[0]
        assert media in answer["content"], f"{media} is not documented for {response.status_code}"
        body = json.loads(response.content) if media.endswith("json") else response.content.decode()
        validate(body, answer["content"][media]["schema"])
    return response  # type: ignore[no-any-return]


def problem(response: Any, status: int, reason_code: str) -> dict[str, Any]:
    """The problem in the answer, after a look at what every problem must have."""
    assert response.status_code == status, response.content.decode()
    assert response.headers["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = json.loads(response.content)
    assert body["reason_code"] == reason_code, body
    validate(body, {"$ref": "#/components/schemas/Problem"})
    assert body["status"] == status
    assert body["trace_id"] == response.headers["X-Trace-Id"]
    assert {name: body[name] for name in body["extensions"]} == body["extensions"]
    if body["retry_after_sec"] is not None:
        expected = PROFILE.rate_limited_retry_after_sec if status == 429 else body["retry_after_sec"]
        assert response.headers["Retry-After"] == str(expected)
    return body


def costs(response: Any) -> tuple[str, str, str, str]:
    """Reserved, used, remaining, tokens."""
    reserved, used, remaining, tokens = (response.headers[name] for name in _COSTS)
    return reserved, used, remaining, tokens


def validate(value: Any, schema: dict[str, Any]) -> None:
    errors = list(_validator(schema).iter_errors(value))
    assert not errors, "\n".join(f"{error.json_path}: {error.message[:300]}" for error in errors)


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": _CLOSED})


def _operation(method: str, path: str) -> Any:
    for template, methods in _DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
            return methods.get(method)
    return None


def _resolved(value: dict[str, Any]) -> dict[str, Any]:
    return _DOCUMENT["components"]["headers"][value["$ref"].rsplit("/", 1)[1]] if "$ref" in value else value


def _closed(schema: Any) -> Any:
    """As it is, but no field that is not written down: an undocumented one must fail a test."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    return {"additionalProperties": False, **closed} if "properties" in schema and "type" in schema else closed


_DOCUMENT: dict[str, Any] = json.loads(OPENAPI.read_bytes())
_CLOSED = {"schemas": _closed(_DOCUMENT["components"]["schemas"])}
