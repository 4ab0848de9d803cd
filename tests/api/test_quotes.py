"""POST /v1/quotes: what a run would cost, before it is paid for; and a run at the prices it was quoted."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from dpp_project.money import format_usd
from dpp_project.prices import LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN
from packs.registry import PACKS
from runs.lifecycle.quotes import quote
from runs.models import Run
from tests.api.caller import Caller, problem
from tests.builders import Customer, body, fresh_key, request

_URLS = {"urls": [f"https://www.example.com/{number}" for number in range(3)]}
_URL_RUN = body(pack_type="url", inputs=_URLS, reservation={"max_cost_usd": "0.0050"})


def _quoted(api: Caller, asked: dict[str, Any]) -> dict[str, Any]:
    answer = api.post("/v1/quotes", json.dumps(asked))
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = json.loads(answer.content)
    return document


def _with_quote(asked: dict[str, Any], quote_id: str) -> str:
    return json.dumps({**asked, "reservation": {**asked["reservation"], "quote_id": quote_id}})


def test_a_quote_tells_least_likely_and_worst_by_item_and_makes_no_run(acme_api: Caller) -> None:
    quoted = _quoted(acme_api, _URL_RUN | {"artifacts": {"include_markdown": True}})

    assert (quoted["least_usd"], quoted["likely_usd"], quoted["worst_usd"]) == ("0.0015", "0.0070", "0.0130")
    assert [(item["item"], item["least"], item["likely"], item["worst"]) for item in quoted["items"]] == [
        ("fetch", 0, 3, 3),
        ("fetch_large", 0, 0, 3),
        ("fetch_cached", 1, 0, 0),
        ("report", 1, 1, 1),
    ]
    # 0.0050 - 0.0010 for the report pays for two pages of three.
    assert quoted["left_out"] == {"fetch": 1}
    assert not Run.objects.exists()


def test_least_is_what_submit_demands(acme_api: Caller) -> None:
    asked = body(artifacts={"include_docx": True})
    least = _quoted(acme_api, asked)["least_usd"]
    below = format_usd(int(least.replace(".", "")) * 100 - 100)  # type: ignore[arg-type]

    problem(acme_api.submit(json.dumps(asked | {"reservation": {"max_cost_usd": below}})), 402, "RESERVATION_TOO_SMALL")
    assert acme_api.submit(json.dumps(asked | {"reservation": {"max_cost_usd": least}})).status_code == 202


@pytest.mark.parametrize("pack", PACKS.values(), ids=lambda pack: pack.name)
def test_every_packs_estimate_is_in_order_and_of_its_own_prices(pack: Any) -> None:
    for inputs in pack.input_schema.get("examples", [{"text": "A text."}]):
        estimate = pack.estimate(inputs)
        assert {*estimate.least, *estimate.likely, *estimate.worst} <= set(pack.prices)
        made = quote("acme", pack, request(pack_type=pack.name, inputs=inputs), now=timezone.now())
        assert 0 < made.least <= made.likely <= made.worst


def test_a_models_calls_are_bounded_in_it() -> None:
    with override_settings(LLM_BASE_URL="http://127.0.0.1:9/v1", LLM_MAX_INPUT_BYTES=10_000, LLM_MAX_OUTPUT_TOKENS=500):
        made = quote("acme", PACKS["decision"], request(), now=timezone.now())
    worst = {item.item: item.worst for item in made.items}
    assert (worst[LLM_INPUT_TOKEN], worst[LLM_OUTPUT_TOKEN]) == (40_000, 2_000)


def test_a_run_is_charged_at_the_prices_of_its_quote(acme_api: Caller) -> None:
    quoted = _quoted(acme_api, body())
    accepted = acme_api.submit(_with_quote(body(), quoted["quote_id"]))

    assert accepted.status_code == 202, accepted.content
    run = Run.objects.get(pk=json.loads(accepted.content)["run_id"])
    assert json.loads(run.payload.body or "")["prices"] == {"decision": 50_000}


def test_an_expired_quote_starts_no_run_but_shows_the_one_it_started(acme_api: Caller, acme: Customer) -> None:
    old = quote(acme.id, PACKS["decision"], request(), now=timezone.now() - timedelta(minutes=16)).quote_id
    refused = problem(acme_api.submit(_with_quote(body(), old)), 400, "INVALID_PARAMS")
    assert refused["errors"][0]["pointer"] == "/reservation/quote_id"
    assert not Run.objects.exists()

    key, fresh = fresh_key(), _quoted(acme_api, body())["quote_id"]
    first = acme_api.submit(_with_quote(body(), fresh), key=key)
    again = acme_api.submit(_with_quote(body(), fresh), key=key)
    assert first.content == again.content


@pytest.mark.parametrize("wrong", ["another tenant's", "other inputs", "changed", "nonsense", "nothing signed"])
def test_a_quote_binds_only_what_it_was_given_for(acme_api: Caller, rival_api: Caller, wrong: str) -> None:
    good = _quoted(acme_api, body())["quote_id"]
    promise, key_id, signature = good.split(".")
    cheaper = base64.urlsafe_b64decode(promise + "==").replace(b"50000", b"00001")
    quote_id = {
        "another tenant's": _quoted(rival_api, body())["quote_id"],
        "other inputs": _quoted(acme_api, body(artifacts={"include_docx": True}))["quote_id"],
        "changed": ".".join((base64.urlsafe_b64encode(cheaper).decode().rstrip("="), key_id, signature)),
        "nonsense": "a.b.c",
        "nothing signed": "가",
    }[wrong]

    refused = problem(acme_api.submit(_with_quote(body(), quote_id)), 400, "INVALID_PARAMS")

    assert refused["errors"][0]["pointer"] == "/reservation/quote_id"
    assert not Run.objects.exists()


def test_a_wrong_body_is_told_as_at_submit(acme_api: Caller) -> None:
    refused = problem(acme_api.post("/v1/quotes", json.dumps(body(inputs={}))), 400, "SCHEMA_VALIDATION_FAILED")
    assert refused["errors"]
