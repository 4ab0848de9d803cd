"""A paid run, all the way: API process, real queue, real worker process, object storage, ledger."""

import hashlib
import json
import time
import urllib.request
from collections.abc import Callable

import pytest

from budget import journal
from runs.lifecycle.envelope import signature_is_valid
from tests.builders import Customer, body, fresh_key
from tests.http import Api
from tests.processes import ApiProcess, WorkerProcess


def test_a_run_goes_from_receipt_to_verified_result(
    live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    process = worker()
    api = Api(live_api.url, acme)

    accepted = api.submit(body(), key=fresh_key())
    assert accepted.status == 202, accepted.text
    href = accepted.json["poll"]["href"]
    assert accepted.headers["Location"] == href
    run = api.wait_until_ended(href, process)

    assert (run.json["status"], run.json["money_state"]) == ("COMPLETED", "SETTLED"), run.text
    cost = run.json["cost"]
    assert cost == {
        "reserved_usd": "0.5000",
        "used_usd": "0.0500",
        "minimum_fee_usd": "0.0100",
        "budget_remaining_usd": "9.9500",
    }
    assert run.headers["X-DPP-Cost-Reserved"] == cost["reserved_usd"]
    assert run.headers["X-DPP-Cost-Used"] == cost["used_usd"]
    assert run.headers["X-DPP-Budget-Remaining"] == cost["budget_remaining_usd"]
    assert journal.available(acme.id) == journal.journal_sum(acme.id) == 9_950_000

    with urllib.request.urlopen(run.json["result"]["presigned_url"], timeout=30) as answer:
        stored = answer.read()
    assert hashlib.sha256(stored).hexdigest() == run.json["result"]["sha256"]
    envelope = json.loads(stored)
    assert signature_is_valid(envelope)
    assert envelope["run_id"] == accepted.json["run_id"]
    assert envelope["cost"]["used_usd"] == "0.0500"
    assert envelope["meta"]["trace_id"] == accepted.headers["X-Trace-Id"]


@pytest.mark.usefixtures("platform")
def test_waiting_costs_nothing_and_a_worker_that_comes_later_finds_the_run(
    live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    api = Api(live_api.url, acme)
    href = api.submit(body(options={"inline": 1}), key=fresh_key()).json["poll"]["href"]
    time.sleep(0.2)
    assert api.get(href).json["status"] == "QUEUED"
    run = api.wait_until_ended(href, worker())
    assert signature_is_valid(run.json["result"]["inline"])
