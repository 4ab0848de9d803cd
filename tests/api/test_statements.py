"""GET /v1/statements/{month}: anybody who has it can check it, entry by entry."""

import base64
import csv
import hashlib
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone

from budget import journal
from budget.ledger import top_up
from dpp_project.money import Micros
from runs.states import Reason
from tests.api.caller import Caller, problem
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, submitted

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


@pytest.mark.parametrize("changed", ["amount_usd_micros", "note", "created_at"])
def test_a_changed_entry_does_not_verify(acme_api: Caller, busy: Customer, changed: str) -> None:
    document = _statement(acme_api)
    entry = document["entries"][2]
    other = {
        "amount_usd_micros": entry["amount_usd_micros"] + 1,
        "note": "!",
        "created_at": "2026-01-01T00:00:00.000000Z",
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
