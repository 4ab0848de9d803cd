"""Every amount on every surface, as a paying customer sees them: they agree to the micro, whatever became of a run.

Quote, receipt, GET, headers, list, bill in the envelope, statement, budget, the key's budget, the operator's pages, and
the books, for runs of all packs that end in every way.
"""

import base64
import json
import re
import urllib.request
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from budget import journal
from dpp_client.verification import verify_envelope, verify_statement
from dpp_project.money import Micros, format_usd, parse_usd
from runs.access import api_keys
from runs.access.key_budgets import Limits
from runs.models import KeyBudget, Run
from runs.reports.invariants import audit_ledger
from tests.admin.users import logged_in, person
from tests.builders import Customer, fresh_key
from tests.examples.cases import COMPLIANCE, DECISION, EVAL, URL, ocr, open_sites
from tests.http import Answer, Api
from tests.packs.fetch.zoo import open_zoo
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.processes import ApiProcess, ZooWorkerProcess


def _picture_of_its_own() -> dict[str, Any]:
    """The picture of the example with other bytes behind it: no copy of it is left by another test."""
    body = deepcopy(ocr().body)
    image = body["inputs"]["images"][0]
    image["data"] = base64.b64encode(base64.b64decode(image["data"]) + uuid4().bytes).decode()
    return body


_OCR = _picture_of_its_own()
_GONE = "https://gone.example.go.kr/page"


def _with(body: dict[str, Any], **reservation: Any) -> dict[str, Any]:
    changed = deepcopy(body)
    changed["reservation"].update(reservation)
    return changed


_UNDECIDED = {
    "pack_type": "decision",
    "inputs": {"question": "Which of them?", "options": ["Alpha", "Beta"]},
    "reservation": {"max_cost_usd": "0.5000"},
}
_IN_VAIN = {**deepcopy(URL.body), "inputs": {"urls": [_GONE], "decision_question": "Is there a page?"}}

# What is sent, and how it must end: status, reason.
_RUNS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "decision": (DECISION.body, "COMPLETED", None),
    "undecided": (_UNDECIDED, "COMPLETED", None),
    "url": (URL.body, "COMPLETED", None),
    "url from copies": (URL.body, "COMPLETED", None),
    "url, cap reached": (_with(URL.body, max_cost_usd="0.0070"), "COMPLETED", None),
    "url, no page": (_IN_VAIN, "FAILED", "NOTHING_DELIVERED"),
    "compliance": (COMPLIANCE.body, "COMPLETED", None),
    "eval": (EVAL.body, "COMPLETED", None),
    "eval, promise not met": (
        _with(EVAL.body, min_reliability_score=1, on_unmet="refund"),
        "FAILED",
        "RELIABILITY_NOT_MET",
    ),
    "ocr": (_OCR, "COMPLETED", None),
    "ocr from a copy": (_OCR, "COMPLETED", None),
}


@pytest.fixture
def zoo_worker(acme: Customer, tmp_path: Path) -> Iterator[ZooWorkerProcess]:
    with open_zoo() as zoo:
        open_sites(zoo)
        process = ZooWorkerProcess(settings_of(web_of(zoo, tmp_path)))
        process.start()
        yield process
        process.stop()


def test_every_surface_tells_the_same_amounts(
    live_api: ApiProcess, acme: Customer, zoo_worker: ZooWorkerProcess
) -> None:
    key, text = api_keys.issue(acme.tenant, limits=Limits(Micros(5_000_000)))
    api = Api(live_api.url, Customer(acme.tenant, text))
    jwks = api.get("/.well-known/jwks.json").json
    charged: dict[str, int] = {}

    queued = _submitted(api, _UNDECIDED)
    cancelled = api.cancel(queued["run_id"])
    if cancelled.json["status"] == "FAILED":  # otherwise a worker was faster, and it costs the minimum fee
        charged[queued["run_id"]] = 0
    ended = api.wait_until_ended(queued["poll"]["href"], zoo_worker)
    charged[queued["run_id"]] = _agreed(api, queued, ended, jwks)

    of: dict[str, int] = {}
    for name, (body, status, reason) in _RUNS.items():
        quoted = _post(api, "/v1/quotes", body)
        receipt = _submitted(api, body)
        ended = api.wait_until_ended(receipt["poll"]["href"], zoo_worker)
        assert (ended.json["status"], ended.json.get("error", {}).get("reason_code")) == (status, reason), ended.text
        of[name] = charged[receipt["run_id"]] = _agreed(api, receipt, ended, jwks)
        if status == "COMPLETED":
            assert of[name] <= parse_usd(quoted["worst_usd"]), name
    assert of["url from copies"] < of["url"]
    assert of["ocr from a copy"] < of["ocr"]
    for name in ("undecided", "url, no page", "eval, promise not met"):
        reserved = parse_usd(_RUNS[name][0]["reservation"]["max_cost_usd"])
        assert of[name] == max(5_000, reserved * 2 // 100), name

    _books_agree(api, acme, key.budget_id, charged, jwks)


def _submitted(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    accepted = api.submit(body, key=fresh_key())
    assert accepted.status == 202, accepted.text
    reserved = format_usd(parse_usd(body["reservation"]["max_cost_usd"]))
    assert accepted.json["reservation"]["max_cost_usd"] == reserved
    assert (accepted.headers["X-DPP-Cost-Reserved"], accepted.headers["X-DPP-Cost-Used"]) == (reserved, "0.0000")
    document: dict[str, Any] = accepted.json
    return document


def _post(api: Api, path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = api.owner.headers(**{"Content-Type": "application/json"})
    answer = api._send("POST", path, json.dumps(body), headers)
    assert answer.status == 200, answer.text
    document: dict[str, Any] = answer.json
    return document


def _agreed(api: Api, receipt: dict[str, Any], ended: Answer, jwks: dict[str, Any]) -> int:
    """What the run cost, in micros, once all that tells of it has been held against its row."""
    run = Run.objects.get(pk=receipt["run_id"])
    cost = run.actual_cost_usd_micros
    assert cost is not None
    reserved, used = format_usd(Micros(run.reservation_max_cost_usd_micros)), format_usd(Micros(cost))
    remaining = format_usd(journal.available(run.tenant_id))
    shown = ended.json["cost"]
    assert (shown["reserved_usd"], shown["used_usd"], shown["budget_remaining_usd"]) == (reserved, used, remaining)
    told = [ended.headers[f"X-DPP-{name}"] for name in ("Cost-Reserved", "Cost-Used", "Budget-Remaining")]
    assert told == [reserved, used, remaining]
    listed = next(one for one in api.get("/v1/runs?limit=100").json["runs"] if one["run_id"] == receipt["run_id"])
    assert (listed["cost"]["reserved_usd"], listed["cost"]["used_usd"]) == (reserved, used)
    if run.status == "FAILED":
        assert ended.json["error"]["problem"]["charged_usd"] == used
    if "result" in ended.json:
        with urllib.request.urlopen(ended.json["result"]["presigned_url"], timeout=10) as answer:
            envelope = verify_envelope(answer.read(), jwks)
        bill = envelope["cost"]
        assert (bill["reserved_usd"], bill["used_usd"]) == (reserved, used)
        assert (envelope["meta"]["cost_usd_reserved"], envelope["meta"]["cost_usd_actual"]) == (reserved, used)
        assert sum(item["cost_usd_micros"] for item in bill["items"]) == cost
        for item in bill["items"]:
            assert item["cost_usd_micros"] or not item["quantity"] or item.get("reason"), "what is free says why"
    return cost


def _books_agree(api: Api, acme: Customer, budget_id: Any, charged: dict[str, int], jwks: dict[str, Any]) -> None:
    spent = sum(charged.values())
    balance = 10_000_000 - spent
    assert journal.available(acme.id) == journal.journal_sum(acme.id) == balance
    budget = api.get("/v1/budget").json
    assert (budget["balance_usd"], budget["reserved_usd"]) == (format_usd(Micros(balance)), "0.0000")
    assert budget["spent_this_month_usd"] == format_usd(Micros(spent))
    assert budget["key"]["spent_usd"] == format_usd(Micros(spent))
    row = KeyBudget.objects.get(pk=budget_id)
    assert (row.spent_usd_micros, row.held_usd_micros) == (spent, 0)

    statement = api.get(f"/v1/statements/{budget['month']}").json
    assert verify_statement(statement, jwks)["closing_usd_micros"] == balance
    by_run: dict[str, int] = {}
    for entry in statement["entries"]:
        if entry["run_id"]:
            by_run[entry["run_id"]] = by_run.get(entry["run_id"], 0) - entry["amount_usd_micros"]
    assert by_run == charged

    operator = logged_in(person("vera", "viewer"))
    page = operator.get(f"/admin/runs/tenant/{acme.id}/change/").content.decode()
    table = page[page.index('id="money"') : page.index('id="drift"')]
    assert set(re.findall(r"([0-9.]+) USD", table)) == {format_usd(Micros(balance)), "0.0000"}
    for run_id, cost in charged.items():
        story = operator.get(f"/admin/runs/run/{run_id}/change/").content.decode()
        assert f"{format_usd(Micros(cost))} USD" in story
    assert audit_ledger().is_clean
