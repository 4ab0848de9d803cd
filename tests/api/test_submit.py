"""POST /v1/runs, to the letter."""

import json
from typing import Any

import pytest

from budget import journal
from budget.models import EntryKind, LedgerEntry
from dpp_project.profile import PROFILE
from runs.models import Run, Tenant
from tests.api.caller import Caller, costs, problem
from tests.api.wire import Wire
from tests.builders import QUESTION, Customer, body, customer, fresh_key, json_body
from tests.processes import ApiProcess

FLAT: dict[str, Any] = {"pack_type": "decision", "inputs": QUESTION, "max_cost_usd": "0.5000"}


def test_a_submit_is_answered_with_a_receipt(acme_api: Caller) -> None:
    answer = acme_api.submit(**{"X-Trace-Id": "my-trace.1"})

    assert answer.status_code == 202
    receipt = json.loads(answer.content)
    run = Run.objects.get()
    assert receipt == {
        "run_id": str(run.pk),
        "status": "QUEUED",
        "reservation": {
            "max_cost_usd": "0.5000",
            "currency": "USD",
            "timebox_sec": 90,
            "min_reliability_score": 0.8,
        },
        "poll": {"href": f"/v1/runs/{run.pk}", "recommended_interval_ms": 1500, "max_wait_sec": 90},
        "events": {"href": f"/v1/runs/{run.pk}/events"},
        "meta": {
            "created_at": receipt["meta"]["created_at"],
            "trace_id": "my-trace.1",
            "profile_version": "PROFILE_DPP_0_4_2_2",
        },
    }
    assert receipt["meta"]["created_at"].endswith("Z")
    assert answer.headers["Location"] == receipt["poll"]["href"]
    assert answer.headers["X-Trace-Id"] == run.trace_id == "my-trace.1"
    assert costs(answer) == ("0.5000", "0.0000", "9.5000", "0")
    assert "Idempotent-Replayed" not in answer.headers


def test_both_shapes_and_all_ways_to_write_a_default_mean_the_same(acme_api: Caller) -> None:
    key = fresh_key()
    same: list[dict[str, Any]] = [
        body(),
        FLAT,
        {**FLAT, "max_cost_usd": "0.5"},
        {**FLAT, "reservation": {"max_cost_usd": "0.50"}},
        body(reservation={"max_cost_usd": "0.5000", "timebox_sec": 90, "min_reliability_score": 0.8}),
        body(options={"inline": 0}, artifacts={"include_markdown": False, "include_docx": False}),
        body(options={}, artifacts={}, meta={}, client={}),
        {**FLAT, "profile_version": "v0.4.2.2"},
        body(meta={"trace_id": "another", "profile_version": PROFILE.version}),
        body(client={"trace_id": "yet.another", "client_name": "tests", "client_version": "2"}),
        {**FLAT, "inputs": dict(reversed(QUESTION.items()))},
    ]
    answers = [acme_api.submit(json.dumps(request), key=key) for request in same]

    assert {answer.status_code for answer in answers} == {202}, [answer.content for answer in answers]
    assert len({answer.content for answer in answers}) == 1
    assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, *["true"] * (len(same) - 1)]
    assert Run.objects.count() == LedgerEntry.objects.filter(kind=EntryKind.RESERVE).count() == 1


_OTHERS = [
    body(reservation={"max_cost_usd": "0.5001"}),
    body(reservation={"max_cost_usd": "0.5000", "timebox_sec": 89}),
    body(reservation={"max_cost_usd": "0.5000", "min_reliability_score": 0.81}),
    body(options={"inline": 1}),
    body(artifacts={"include_markdown": True}),
    body(inputs={**QUESTION, "question": "Another one?"}),
    body(inputs={**QUESTION, "options": ["Beta", "Alpha"]}),
]


def test_a_key_with_another_payload_is_a_conflict(acme_api: Caller, subtests: pytest.Subtests) -> None:
    key = fresh_key()
    acme_api.submit(key=key)
    for other in _OTHERS:
        with subtests.test(other=other):
            refused = acme_api.submit(json.dumps(other), key=key)
            problem(refused, 409, "IDEMPOTENCY_CONFLICT")
            assert costs(refused) == ("0.0000", "0.0000", "9.5000", "0")
    assert Run.objects.count() == 1


def test_a_key_belongs_to_its_tenant(acme_api: Caller, rival_api: Caller) -> None:
    key = fresh_key()
    first = json.loads(acme_api.submit(key=key).content)
    second = json.loads(rival_api.submit(json_body(options={"inline": 1}), key=key).content)
    assert first["run_id"] != second["run_id"]


def test_the_trace_id_is_the_header_else_meta_else_client_else_new(acme_api: Caller) -> None:
    both = json_body(meta={"trace_id": "from-meta"}, client={"trace_id": "from-client"})
    assert acme_api.submit(both, **{"X-Trace-Id": "from-header"}).headers["X-Trace-Id"] == "from-header"
    assert acme_api.submit(both).headers["X-Trace-Id"] == "from-meta"
    assert acme_api.submit(both, **{"X-Trace-Id": "bad id\t"}).headers["X-Trace-Id"] == "from-meta"
    client = json_body(meta={"trace_id": "§"}, client={"trace_id": "from-client"})
    assert acme_api.submit(client).headers["X-Trace-Id"] == "from-client"
    assert len(acme_api.submit(**{"X-Trace-Id": "x" * 129}).headers["X-Trace-Id"]) == 32


def test_a_key_is_8_to_64_visible_ascii_characters(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for key in ("", "seven77", "k" * 65, "with space", "täglich-1", "tab\tinside"):
        with subtests.test(refused=key):
            problem(acme_api.submit(**{"Idempotency-Key": key}), 400, "INVALID_PARAMS")
    assert not Run.objects.exists()
    for key in ("k" * 8, "!" * 64, 'a"b\\c{}~'):
        with subtests.test(taken=key):
            assert acme_api.submit(key=key).status_code == 202


_WRONG: list[tuple[dict[str, Any], str]] = [
    ({"surprise": 1}, "/surprise"),
    ({"reservation": {"max_cost_usd": "0.5", "a/b~c": 1}}, "/reservation/a~1b~0c"),
    ({"pack_type": "astrology"}, "/pack_type"),
    ({"pack_type": 7}, "/pack_type"),
    ({"inputs": []}, "/inputs"),
    ({"inputs": None}, "/inputs"),
    ({"reservation": None}, "/reservation"),
    ({"reservation": {}}, "/reservation/max_cost_usd"),
    ({"reservation": {"max_cost_usd": "0.0049"}}, "/reservation/max_cost_usd"),
    ({"reservation": {"max_cost_usd": "1000000000.0001"}}, "/reservation/max_cost_usd"),
    ({"max_cost_usd": "0.6"}, "/max_cost_usd"),
    ({"timebox_sec": 0}, "/timebox_sec"),
    ({"timebox_sec": 91}, "/timebox_sec"),
    ({"timebox_sec": 30.5}, "/timebox_sec"),
    ({"timebox_sec": True}, "/timebox_sec"),
    ({"timebox_sec": "30"}, "/timebox_sec"),
    ({"min_reliability_score": 1.1}, "/min_reliability_score"),
    ({"min_reliability_score": -0.1}, "/min_reliability_score"),
    ({"min_reliability_score": "1"}, "/min_reliability_score"),
    ({"options": {"inline": 2}}, "/options/inline"),
    ({"options": {"inline": True}}, "/options/inline"),
    ({"artifacts": {"include_docx": 1}}, "/artifacts/include_docx"),
    ({"profile_version": "v9"}, "/profile_version"),
    ({"meta": {"profile_version": None}}, "/meta/profile_version"),
    ({"meta": {"trace_id": 5}}, "/meta/trace_id"),
    ({"client": {"client_name": ["x"]}}, "/client/client_name"),
    ({"client": "curl"}, "/client"),
]


def test_what_is_wrong_is_named_by_a_pointer(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for change, pointer in _WRONG:
        with subtests.test(pointer, change=change):
            refused = problem(acme_api.submit(json_body(**change)), 400, "INVALID_PARAMS")
            assert [entry["pointer"] for entry in refused["errors"]] == [pointer]
    assert journal.available("acme") == 10_000_000


def test_an_amount_that_is_no_decimal_string_is_422(acme_api: Caller, subtests: pytest.Subtests) -> None:
    amounts: list[Any] = ["0.50000", "1e3", "-1", "+1", "", ".5", "1.", "NaN", "Infinity", " 1", "１"]
    for amount in [*amounts, 1, 0.5, None, True, {}]:
        with subtests.test(amount=amount):
            refused = acme_api.submit(json_body(reservation={"max_cost_usd": amount}))
            body = problem(refused, 422, "INVALID_MONEY_SCALE")
            assert body["errors"][0]["pointer"] == "/reservation/max_cost_usd"


def test_inputs_that_do_not_fit_are_refused_before_any_money_moves(acme_api: Caller) -> None:
    inputs = {"question": "", "options": ["only one"], "mode": "loud", "extra": 1}

    refused = problem(acme_api.submit(json_body(inputs=inputs)), 400, "SCHEMA_VALIDATION_FAILED")

    assert {"/inputs/options", "/inputs/question", "/inputs/mode"} <= {e["pointer"] for e in refused["errors"]}
    assert not LedgerEntry.objects.filter(kind=EntryKind.RESERVE).exists()


def test_a_drained_budget_is_402_with_both_amounts(acme_api: Caller) -> None:
    refused = acme_api.submit(json_body(reservation={"max_cost_usd": "10.0001"}))

    body = problem(refused, 402, "BUDGET_DRAINED")
    assert body["type"].endswith("/budget-exceeded")
    assert (body["balance_remaining"], body["reservation_required"]) == ("10.0000", "10.0001")
    assert costs(refused) == ("0.0000", "0.0000", "10.0000", "0")


def test_a_refused_request_is_not_remembered_as_the_keys_answer(acme_api: Caller) -> None:
    key = fresh_key()
    problem(acme_api.submit(json_body(reservation={"max_cost_usd": "11"}), key=key), 402, "BUDGET_DRAINED")
    problem(acme_api.submit(json_body(timebox_sec=0), key=key), 400, "INVALID_PARAMS")
    accepted = acme_api.submit(key=key)
    assert accepted.status_code == 202
    assert "Idempotent-Replayed" not in accepted.headers


def test_a_replay_is_answered_when_the_money_is_gone(acme_api: Caller) -> None:
    key = fresh_key()
    first = acme_api.submit(json_body(reservation={"max_cost_usd": "10"}), key=key)
    problem(acme_api.submit(), 402, "BUDGET_DRAINED")

    again = acme_api.submit(json_body(reservation={"max_cost_usd": "10"}), key=key)

    assert (again.status_code, again.content) == (202, first.content)
    assert costs(again) == ("10.0000", "0.0000", "0.0000", "0")


def test_a_suspended_tenant_may_read_and_cancel_but_not_submit(acme_api: Caller) -> None:
    href = json.loads(acme_api.submit().content)["poll"]["href"]
    suspended = customer("acme", budget="10.0000")  # a second key: the first one's tenant is cached for a moment
    Tenant.objects.filter(pk="acme").update(status=Tenant.Status.SUSPENDED)
    acme_api.owner = suspended

    problem(acme_api.submit(), 403, "TENANT_SUSPENDED")
    assert acme_api.get(href).status_code == 200
    assert acme_api.post(f"{href}/cancel").status_code == 202


_OTHER_MEDIA: list[tuple[str, dict[str, str]]] = [
    ("text/plain", {}),
    ("application/x-www-form-urlencoded", {}),
    ("multipart/form-data; boundary=x", {}),
    ("application/jsonx", {}),
    ("application/json", {"Content-Encoding": "gzip"}),
]


def test_anything_but_plain_json_is_415(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for mime, headers in _OTHER_MEDIA:
        with subtests.test(mime, headers=headers):
            refused = acme_api.post("/v1/runs", json_body(), mime=mime, **{"Idempotency-Key": fresh_key(), **headers})
            problem(refused, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_charset_parameter_is_fine(acme_api: Caller) -> None:
    answer = acme_api.post(
        "/v1/runs", json_body(), mime="application/json; charset=utf-8", **{"Idempotency-Key": fresh_key()}
    )
    assert answer.status_code == 202


def test_a_body_beyond_the_limit_is_413(acme_api: Caller) -> None:
    huge = json_body(inputs={"question": "x" * PROFILE.max_request_bytes})
    problem(acme_api.submit(huge), 413, "PAYLOAD_TOO_LARGE")


def test_unknown_fields_are_stored_nowhere(acme_api: Caller) -> None:
    problem(acme_api.submit(json_body(secret_note="remember me")), 400, "INVALID_PARAMS")
    assert not Run.objects.exists()


def test_the_clients_name_and_version_are_kept_with_the_run(acme_api: Caller) -> None:
    client = {"client_name": "agent-kit " + "x" * 200, "client_version": "1.2.3"}
    assert acme_api.submit(json_body(client=client)).status_code == 202
    run = Run.objects.get()
    assert (run.client_name, run.client_version) == (client["client_name"][:100], "1.2.3")


def test_two_idempotency_keys_are_400(live_api: ApiProcess, acme: Customer) -> None:
    for second in ("second-key-0001", "first-key-0001", "short", ""):
        wire = Wire(live_api.url)
        body = json_body()
        wire.send(
            "\r\n".join(
                (
                    *("POST /v1/runs HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"),
                    *(f"Authorization: Bearer {acme.api_key}", f"Content-Length: {len(body)}"),
                    *("Idempotency-Key: first-key-0001", f"Idempotency-Key: {second}", "", body),
                )
            ).encode()
        )
        answer = wire.whole_answer()
        wire.close()
        assert answer.status == 400
        assert answer.problem()["reason_code"] == "INVALID_PARAMS"
    assert not Run.objects.exists()
