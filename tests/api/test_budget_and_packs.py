"""GET /v1/budget and GET /v1/packs."""

import json
from datetime import timedelta

from django.utils import timezone
from jsonschema import Draft202012Validator

from dpp_project.prices import PRICES
from packs.registry import PACKS
from runs.states import Reason
from tests.api.caller import Caller
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, submitted
from tests.database_time import database_says


def test_the_budget_tells_what_is_free_held_and_spent(acme_api: Caller, acme: Customer) -> None:
    completed_run(acme)
    failed_run(acme, Reason.PACK_FAILED)
    cancelled = submitted(acme)
    acme_api.post(f"/v1/runs/{cancelled.pk}/cancel")
    submitted(acme)

    budget = json.loads(acme_api.get("/v1/budget").content)

    assert budget == {
        "currency": "USD",
        "balance_usd": "9.4400",
        "reserved_usd": "0.5000",
        "spent_this_month_usd": "0.0600",
        "month": f"{timezone.now():%Y-%m}",
        "balance_is_low": False,
        "plan": {
            "name": "default",
            "poll_rate_per_min": 60,
            "submit_rate_per_min": 60,
            "max_concurrent_runs": 100,
            "retention_days": 30,
            "budget_alert_usd": "1.0000",
        },
    }


def test_a_new_month_begins_at_zero(acme_api: Caller, acme: Customer) -> None:
    completed_run(acme)
    with database_says(timezone.now() + timedelta(days=32)):
        budget = json.loads(acme_api.get("/v1/budget").content)
    assert (budget["spent_this_month_usd"], budget["balance_usd"]) == ("0.0000", "9.9500")


def test_packs_come_with_schema_and_prices(acme_api: Caller) -> None:
    listed = {pack["name"]: pack for pack in json.loads(acme_api.get("/v1/packs").content)["packs"]}

    assert set(listed) == set(PACKS)
    for pack in listed.values():
        Draft202012Validator.check_schema(pack["input_schema"])
        assert pack["prices"]
        for price in pack["prices"]:
            assert price["unit_price_usd_micros"] == PRICES[price["item"]]
            assert price["unit"]
            assert price["charged"].endswith(".")
        assert {"report", "stored_mib"} <= {price["item"] for price in pack["prices"]}


def test_the_price_list_is_whole(acme_api: Caller) -> None:
    listed = json.loads(acme_api.get("/v1/packs").content)

    assert {price["item"] for pack in listed["packs"] for price in pack["prices"]} >= set(PRICES)
    assert listed["minimum_fee"] == {
        "percent_of_reservation": 2,
        "at_least_usd_micros": 5_000,
        "at_most_usd_micros": 100_000,
    }
    assert listed["free"]
