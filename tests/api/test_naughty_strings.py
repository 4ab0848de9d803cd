"""The public list of naughty strings in every place a caller can write to: refused as a problem, or kept as it is."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from budget.ledger import top_up
from dpp_project.money import Micros
from runs.models import Run, RunPayload
from storage import store
from tests.api.caller import Caller, problem
from tests.api.ended_runs import completed_run
from tests.api.public_cases import NAUGHTY
from tests.api.wire import WireAnswer, exchange
from tests.builders import Customer, body, fresh_key, on_plan
from tests.processes import ApiProcess

_MOST_OPTIONS = 20
_KEY = re.compile(r"[!-+\--~]{8,64}")
_TRACE_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
# Bytes that end a header or that no header may carry: the server refuses them before any of our code.
_NO_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

_SHORT = 200


def everywhere(text: str) -> dict[str, Any]:
    """In every field that takes free text, at once."""
    return body(
        inputs={
            "question": text,
            "options": [text[:_SHORT], "Beta"],
            "criteria": [text[:_SHORT]],
            "context": {text: text},
        },
        reservation={"max_cost_usd": "0.0500"},
        meta={"trace_id": text},
        client={"client_name": text, "client_version": text, "trace_id": text},
    )


_FIELDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "everywhere": everywhere,
    "pack_type": lambda text: body(pack_type=text),
    "inputs": lambda text: body(inputs=text),
    "url": lambda text: body(pack_type="url", inputs={"urls": [text]}),
    "max_cost_usd": lambda text: body(reservation={"max_cost_usd": text}),
    "timebox_sec": lambda text: body(reservation={"max_cost_usd": "0.0500", "timebox_sec": text}),
    "profile_version": lambda text: body(profile_version=text),
    "unknown field": lambda text: body(**{text: text}),
}
_QUERIES = ("status", "pack_type", "created_after", "created_before", "cursor", "limit")


@pytest.fixture(autouse=True)
def _patient(acme: Customer) -> None:
    top_up(acme.id, Micros(50_000_000), reference="for every string")
    plenty = 1_000_000
    on_plan(acme, poll_rate_per_min=plenty, submit_rate_per_min=plenty, max_concurrent_runs=plenty)


def test_the_list_is_whole() -> None:
    assert len(NAUGHTY) == 485


@pytest.mark.parametrize("field", _FIELDS)
def test_a_field_is_refused_or_kept_as_it_was_sent(acme_api: Caller, field: str) -> None:
    accepted = 0
    for text in NAUGHTY:
        asked = _FIELDS[field](text)
        answer = acme_api.submit(json.dumps(asked))
        if answer.status_code != 202:
            refused = json.loads(answer.content)
            assert answer.status_code in (400, 402, 422), (text, refused)
            problem(answer, answer.status_code, refused["reason_code"])
            continue
        stored = RunPayload.objects.get(pk=json.loads(answer.content)["run_id"]).body
        assert json.loads(stored or "")["inputs"] == asked["inputs"], text
        accepted += 1
    assert accepted > 400 or field != "everywhere"


def test_what_was_accepted_comes_back_unchanged_in_the_envelope(acme: Customer) -> None:
    names = [text for text in NAUGHTY if text.strip() and len(text) <= 200]
    for at in range(0, len(names), _MOST_OPTIONS):
        options = list(dict.fromkeys(names[at : at + _MOST_OPTIONS]))
        run = completed_run(acme, max_cost="0.0500", inputs={"question": "Which?", "options": options})
        envelope = json.loads(store.read(run.result_key or "", sha256=run.result_sha256 or ""))
        assert {row["option"] for row in envelope["data"]["scores"]} == set(options)


def get(live_api: ApiProcess, path: str, owner: Customer, **headers: str) -> WireAnswer:
    lines = {"Host": "127.0.0.1", **owner.headers(), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return exchange(live_api.url, f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())


def header_texts() -> list[str]:
    return [text for text in NAUGHTY if not _NO_HEADER.search(text)]


def test_a_trace_id_is_echoed_or_replaced(live_api: ApiProcess, acme: Customer) -> None:
    for text in header_texts():
        answer = get(live_api, "/v1/budget", acme, **{"X-Trace-Id": text})
        assert answer.status == 200, text
        echoed = answer.headers["x-trace-id"]
        assert _TRACE_ID.fullmatch(echoed)
        assert (echoed == text.strip(" \t")) == bool(_TRACE_ID.fullmatch(text.strip(" \t"))), text


def test_a_key_is_an_api_key_or_refused(live_api: ApiProcess, acme: Customer) -> None:
    for text in header_texts():
        answer = get(live_api, "/v1/budget", acme, Authorization=f"Bearer {text}")
        # So many failures from one address are limited, which is an answer of its own.
        assert answer.problem()["reason_code"] in ("AUTH_INVALID", "RATE_LIMITED"), text
        answer = get(live_api, "/v1/budget", acme, Authorization=text)
        assert answer.problem()["reason_code"] in ("AUTH_INVALID", "RATE_LIMITED"), text


def test_an_idempotency_key_is_taken_as_it_is_or_refused(live_api: ApiProcess, acme: Customer) -> None:
    document = json.dumps(body(reservation={"max_cost_usd": "0.0500"})).encode()
    runs: dict[str, str] = {}
    for text in header_texts():
        lines = {"Host": "127.0.0.1", **acme.headers(), "Content-Type": "application/json", "Idempotency-Key": text}
        lines["Content-Length"] = str(len(document))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        answer = exchange(live_api.url, f"POST /v1/runs HTTP/1.1\r\n{head}\r\n".encode() + document)
        key = text.strip(" \t")
        if not _KEY.fullmatch(key):
            assert answer.problem()["reason_code"] == "INVALID_PARAMS", text
            continue
        assert answer.status == 202, (text, answer.body)
        run_id = json.loads(answer.body)["run_id"]
        assert answer.headers.get("idempotent-replayed") == ("true" if key in runs else None)
        assert runs.setdefault(key, run_id) == run_id
    assert len(set(runs.values())) == len(runs) >= 90


def test_any_other_header_changes_nothing_or_is_refused(live_api: ApiProcess, acme: Customer, queued_run: Run) -> None:
    unread = ("X-Forwarded-For", "Cookie", "Accept-Language", "Accept-Encoding", "Origin", "Referer", "Range", "X")
    for text in header_texts():
        assert get(live_api, "/v1/budget", acme, **dict.fromkeys(unread, text)).status == 200, text
        answer = get(live_api, f"/v1/runs/{queued_run.pk}", acme, **{"If-None-Match": text})
        assert answer.status == (304 if text.strip() == "*" else 200), text
        answer = get(live_api, "/v1/budget", acme, Accept=text)
        assert answer.status == 200 or answer.problem()["reason_code"] == "NOT_ACCEPTABLE", text
        answer = get(live_api, "/v1/budget", acme, Host=text)
        # What is no name at all never becomes a request: the server itself may refuse it.
        assert answer.status in (200, 400), text
        assert answer.status == 200 or not answer.body or answer.problem()["reason_code"] == "INVALID_PARAMS", text


def test_a_path_is_no_run_or_no_route(live_api: ApiProcess, acme: Customer) -> None:
    for text in NAUGHTY:
        for path in (f"/v1/runs/{quote(text, safe='')}", f"/v1/{quote(text)}"):
            answer = get(live_api, path, acme)
            assert answer.problem()["reason_code"] in ("RUN_NOT_FOUND_STEALTH", "ROUTE_NOT_FOUND"), path


@pytest.mark.parametrize("name", _QUERIES)
def test_a_filter_is_understood_or_refused(acme_api: Caller, name: str) -> None:
    for text in NAUGHTY:
        answer = acme_api.get(f"/v1/runs?{name}={quote(text, safe='')}")
        if answer.status_code != 200:
            refused = problem(answer, 400, "INVALID_PARAMS")
            assert refused["errors"][0]["parameter"] == name


def test_a_name_of_a_filter_is_known_or_refused(acme_api: Caller) -> None:
    for text in NAUGHTY:
        # An empty name, or one that is cut at its first `=`, is a name too.
        answer = acme_api.get(f"/v1/runs?{quote(text, safe='') or '=1'}=1")
        refused = problem(answer, 400, "INVALID_PARAMS")
        assert refused["errors"][0]["parameter"] == text[:100]


def test_bytes_that_no_header_may_carry_are_refused_and_nothing_hangs(live_api: ApiProcess, acme: Customer) -> None:
    for text in NAUGHTY:
        if _NO_HEADER.search(text) and "\n" not in text:
            assert get(live_api, "/v1/budget", acme, **{"X-Trace-Id": text}).status == 400
    assert get(live_api, "/v1/budget", acme, **{"X-Trace-Id": fresh_key()}).status == 200
