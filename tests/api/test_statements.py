"""GET /v1/statements/{month}: anybody who has it can check it, entry by entry."""

import base64
import csv
import hashlib
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone

from budget import journal
from budget.ledger import top_up
from dpp_client.errors import NotVerified
from dpp_client.verification import read_statement, verify_statement
from dpp_project.money import Micros
from runs.models import Run
from runs.states import Reason
from tests.api.caller import Caller, problem
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, limited_key, submitted
from tests.runs.worker.deliveries import deliver

_MONTH = f"{timezone.now():%Y-%m}"


@pytest.fixture
def busy(acme: Customer, rival: Customer) -> Customer:
    completed_run(acme)
    completed_run(rival)
    failed_run(acme, Reason.PACK_FAILED)
    top_up(acme.id, Micros(2_000_000), reference="invoice|17", note="=as agreed | 가")
    submitted(acme)
    return acme


def _statement(api: Caller, query: str = "") -> dict[str, Any]:
    answer = api.get(f"/v1/statements/{_MONTH}{query}")
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = json.loads(answer.content)
    return document


def _hash_of(tenant_id: str, entry: dict[str, Any]) -> str:
    """By the words of the documentation alone."""
    moment = datetime.strptime(entry["created_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    reference = entry["reference"]
    length = "" if reference is None else str(len(reference))
    fields = (tenant_id, entry["sequence"], entry["run_id"] or "", entry["kind"], entry["amount_usd_micros"], micros)
    text = "|".join([*map(str, fields), length, reference or "", entry["note"]])
    return hashlib.sha256(bytes.fromhex(entry["previous_hash"]) + text.encode()).hexdigest()


def _verify(document: dict[str, Any], jwks: dict[str, Any]) -> None:
    head = document["head"]
    (key,) = [key for key in jwks["keys"] if key["kid"] == document["signatures"]["key_id"]]
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key["x"] + "="))
    public.verify(base64.b64decode(document["signatures"]["ed25519"]), rfc8785.dumps(head))
    assert hashlib.sha256(rfc8785.dumps(document["entries"])).hexdigest() == head["entries_sha256"]
    before, balance = head["first_previous_hash"], head["opening_usd_micros"]
    for entry in document["entries"]:
        assert entry["previous_hash"] == before
        assert _hash_of(head["tenant_id"], entry) == entry["entry_hash"]
        before, balance = entry["entry_hash"], balance + entry["amount_usd_micros"]
        assert entry["balance_usd_micros"] == balance
    assert (before, balance) == (head["last_entry_hash"], head["closing_usd_micros"])
    assert len(document["entries"]) == head["entries"]


def test_a_statement_is_the_journal_and_verifies(acme_api: Caller, busy: Customer) -> None:
    document = _statement(acme_api)

    _verify(document, json.loads(acme_api.get("/.well-known/jwks.json").content))
    assert (document["head"]["tenant_id"], document["head"]["opening_usd_micros"]) == (busy.id, 0)
    assert document["head"]["closing_usd_micros"] == journal.journal_sum(busy.id)
    kinds = [entry["kind"] for entry in document["entries"]]
    assert kinds == ["CREDIT", "RESERVE", "SETTLE", "RESERVE", "SETTLE", "CREDIT", "RESERVE"]
    assert {entry["pack_type"] for entry in document["entries"] if entry["run_id"]} == {"decision"}


@pytest.mark.parametrize("changed", ["amount_usd_micros", "note", "created_at", "pack_type", "api_key_id", "tags"])
def test_a_changed_entry_does_not_verify(acme_api: Caller, busy: Customer, changed: str) -> None:
    document = _statement(acme_api)
    entry = document["entries"][2]
    other = {
        "amount_usd_micros": entry["amount_usd_micros"] + 1,
        "note": "!",
        "created_at": "2026-01-01T00:00:00.000000Z",
        "pack_type": "url",
        "api_key_id": "00000000-0000-0000-0000-000000000000",
        "tags": {"project": "another"},
    }
    entry[changed] = other[changed]
    with pytest.raises(AssertionError):
        _verify(document, json.loads(acme_api.get("/.well-known/jwks.json").content))


def test_a_long_month_comes_in_pages_that_are_one_chain(acme_api: Caller, busy: Customer) -> None:
    whole, pages, query = _statement(acme_api), [], "?max_entries=3"
    while True:
        page = _statement(acme_api, query)
        _verify(page, json.loads(acme_api.get("/.well-known/jwks.json").content))
        pages += page["entries"]
        if page["next_after"] is None:
            break
        query = f"?max_entries=3&after={page['next_after']}"
    assert pages == whole["entries"]


def test_other_shapes_say_the_same(acme_api: Caller, busy: Customer) -> None:
    whole = _statement(acme_api)
    lines = [json.loads(line) for line in acme_api.get(f"/v1/statements/{_MONTH}?shape=jsonl").content.splitlines()]
    assert lines[0]["head"] == whole["head"]
    assert lines[1:] == whole["entries"]

    answer = acme_api.get(f"/v1/statements/{_MONTH}?shape=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["entry_hash"] for row in rows] == [entry["entry_hash"] for entry in whole["entries"]]
    assert rows[5]["note"] == "'=as agreed | 가"


def test_an_empty_month_is_an_empty_statement(acme_api: Caller, busy: Customer) -> None:
    answer = acme_api.get("/v1/statements/2020-12")
    document = json.loads(answer.content)
    assert (document["entries"], document["head"]["closing_usd_micros"], document["next_after"]) == ([], 0, None)


@pytest.mark.parametrize("month", ["2026", "2026-13", "november", "2026-00", "0415-04", "9999-12", "2026-1"])
def test_what_is_no_month_is_no_statement(acme_api: Caller, month: str) -> None:
    problem(acme_api.get(f"/v1/statements/{month}"), 404, "ROUTE_NOT_FOUND")


def test_a_wrong_shape_is_refused(acme_api: Caller) -> None:
    refused = problem(acme_api.get(f"/v1/statements/{_MONTH}?shape=pdf"), 400, "INVALID_PARAMS")
    assert refused["errors"][0]["parameter"] == "shape"


def test_entries_tell_key_and_tags_and_are_found_by_them(acme: Customer, acme_api: Caller) -> None:
    """What a project or a key has cost, in one call; each balance is the one of the whole journal."""
    key = limited_key(acme, total="5.0000")
    paid = submitted(acme, tags={"project": "apollo", "step": "=1"})
    deliver(paid)
    submitted(acme, tags={"project": "gemini"})
    mine = submitted(acme, api_key=key, tags={"project": "apollo"})
    whole = _statement(acme_api)
    balance_of = {entry["sequence"]: entry["balance_usd_micros"] for entry in whole["entries"]}
    jwks = json.loads(acme_api.get("/.well-known/jwks.json").content)
    assert whole["head"]["plan"] == "default"

    by_tag = _statement(acme_api, "?tag=project:apollo")
    by_key = _statement(acme_api, f"?api_key_id={key.pk}")

    assert [(entry["run_id"], entry["kind"]) for entry in by_tag["entries"]] == [
        (str(paid.pk), "RESERVE"),
        (str(paid.pk), "SETTLE"),
        (str(mine.pk), "RESERVE"),
    ]
    assert by_tag["entries"][0]["tags"] == {"project": "apollo", "step": "=1"}
    assert [entry["run_id"] for entry in by_key["entries"]] == [str(mine.pk)]
    assert by_key["entries"][0]["api_key_id"] == str(key.pk)
    cost = Run.objects.get(pk=paid.pk).actual_cost_usd_micros
    assert by_tag["head"]["listed_usd_micros"] == -(cost or 0) - 500_000
    for found in (by_tag, by_key):
        assert {
            entry["sequence"]: entry["balance_usd_micros"] for entry in found["entries"]
        }.items() <= balance_of.items()
        assert verify_statement(found, jwks)["tenant_id"] == acme.id
    assert _statement(acme_api, f"?tag=project:apollo&api_key_id={key.pk}")["head"]["entries"] == 1
    assert _statement(acme_api, "?tag=project:none")["entries"] == []
    first = _statement(acme_api, "?tag=project:apollo&max_entries=2")
    rest = _statement(acme_api, f"?tag=project:apollo&after={first['next_after']}")
    assert first["entries"] + rest["entries"] == by_tag["entries"]
    csv_text = acme_api.get(f"/v1/statements/{_MONTH}?shape=csv&tag=step:%3D1").content.decode()
    assert [json.loads(row["tags"])["step"] for row in csv.DictReader(io.StringIO(csv_text))] == ["=1", "=1"]


@pytest.mark.parametrize("query", ["?tag=apollo", "?tag=a:b&tag=c:d", "?api_key_id=mine"])
def test_a_filter_that_means_nothing_is_refused(acme_api: Caller, query: str) -> None:
    problem(acme_api.get(f"/v1/statements/{_MONTH}{query}"), 400, "INVALID_PARAMS")


def test_the_client_verifies_what_the_service_says_and_nothing_else(acme_api: Caller, busy: Customer) -> None:
    document, jwks = _statement(acme_api), json.loads(acme_api.get("/.well-known/jwks.json").content)
    lines = acme_api.get(f"/v1/statements/{_MONTH}?shape=jsonl").content
    assert verify_statement(document, jwks) == document["head"]
    assert verify_statement(read_statement(lines), jwks) == document["head"]
    assert verify_statement(read_statement(json.dumps(document, indent=1).encode()), jwks) == document["head"]

    def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        other: dict[str, Any] = json.loads(json.dumps(document))
        change(other)
        return other

    def without_the_last(other: dict[str, Any]) -> None:
        other["entries"].pop()
        other["head"]["entries_sha256"] = hashlib.sha256(rfc8785.dumps(other["entries"])).hexdigest()

    wrong = [
        changed(lambda other: other["entries"].pop()),
        changed(lambda other: other["entries"].pop(2)),
        changed(lambda other: other["entries"][1].update(amount_usd_micros=-1)),
        changed(lambda other: other["entries"][1].update(tags={"a": "b"})),
        changed(lambda other: other["head"].update(closing_usd_micros=0)),
        changed(without_the_last),
        changed(lambda other: other["signatures"].update(key_id="unknown")),
        changed(lambda other: other.pop("head")),
        {},
    ]
    for other in wrong:
        with pytest.raises(NotVerified):
            verify_statement(other, jwks)
