"""GET /v1/statements/{month}: the journal of a month, as JSON, JSON Lines or CSV."""

import csv
import io
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from dpp_project import signing
from dpp_project.canonical import canonical_bytes, sha256_hex
from runs.access import plans
from runs.api.api_view import ApiView, tenant_of
from runs.api.json_bodies import json_bytes
from runs.api.openapi import operations
from runs.api.problems import ROUTE_NOT_FOUND
from runs.api.serializers.query import statement_parameters
from runs.api.serializers.statement import ENTRY_FIELDS, STATEMENT
from runs.reports.statement import Filter, Statement, first_moment, statement

_MEDIA = {"json": "application/json", "jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8"}


class StatementView(ApiView):
    @operations.GET_STATEMENT
    def get(self, request: Request, month: str) -> HttpResponse:
        asked = statement_parameters(request._request.GET)
        try:
            begins = first_moment(month)
        except ValueError:
            raise ROUTE_NOT_FOUND.error("A statement is named by its month, such as 2026-11.") from None
        tenant, only = tenant_of(request), Filter(asked.get("tag"), asked.get("api_key_id"))
        found = statement(tenant.pk, begins, after=asked["after"], limit=asked["max_entries"], only=only)
        document = _document(found, only, plan=plans.terms_of(tenant).name)
        body = {"json": json_bytes, "jsonl": _json_lines, "csv": _csv}[asked["shape"]](document)
        return HttpResponse(body, content_type=_MEDIA[asked["shape"]])


def _document(found: Statement, only: Filter, *, plan: str) -> dict[str, Any]:
    entries = [vars(entry) for entry in found.entries]
    last_hash = found.entries[-1].entry_hash if found.entries else ""
    values = {
        "head": {
            **vars(found),
            "closing": found.closing,
            "listed": found.listed,
            "plan": plan,
            "tag": ":".join(only.tag) if only.tag else None,
            "api_key_id": only.key_id,
            "entries_sha256": "",
            "count": len(entries),
            "first_previous_hash": found.entries[0].previous_hash if found.entries else "",
            "last_entry_hash": last_hash,
        },
        "signatures": {"ed25519": "", "key_id": ""},
        "entries": entries,
        "next_after": found.next_after,
    }
    document = STATEMENT.to_representation(values)
    document["head"]["entries_sha256"] = sha256_hex(canonical_bytes(document["entries"]))
    document["signatures"] = vars(signing.sign(canonical_bytes(document["head"])))
    return document


def _json_lines(document: dict[str, Any]) -> bytes:
    head = {name: value for name, value in document.items() if name != "entries"}
    return b"".join(json_bytes(line) + b"\n" for line in (head, *document["entries"]))


def _csv(document: dict[str, Any]) -> bytes:
    text = io.StringIO()
    rows = csv.DictWriter(text, ENTRY_FIELDS, lineterminator="\r\n")
    rows.writeheader()
    rows.writerows({name: _cell(value) for name, value in entry.items()} for entry in document["entries"])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """Tags as JSON. A text that a spreadsheet would take for a formula gets a mark that it takes for a text."""
    if isinstance(value, dict):
        return json_bytes(value).decode()
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
