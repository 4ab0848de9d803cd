"""docs/schemas describes the envelopes as they are: real ones are valid, changed ones are not."""

import json
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from dpp_project.redis import client
from runs.access import document_keys
from runs.events.event import RUNS
from tests.builders import Customer, message
from tests.cache.office import PAGE, Office
from tests.packs.fetch.zoo import open_zoo, page, redirect
from tests.packs.url.articles import korean
from tests.processes import CLONE
from tests.runs.worker.deliveries import deliver, ended, envelope, probe

NAMES = ("result-envelope", "event-envelope", "cache-envelope", "run-message")


def problems(name: str, document: Any) -> list[str]:
    schema = json.loads((CLONE / "docs" / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


@pytest.mark.parametrize("steps", [["fetch:2"], ["fail:No such page."], ["discard:STALE", "stop_with_log"]])
def test_results_and_failures_are_result_envelopes(acme: Customer, steps: list[str]) -> None:
    run = probe(acme, *steps, inputs={"artifact": True})
    deliver(run)
    document = envelope(ended(run))
    assert problems("result-envelope", document) == []
    assert problems("result-envelope", {**document, "status": "QUEUED"})
    assert problems("result-envelope", {name: part for name, part in document.items() if name != "logs"})


def test_events_and_messages_are_as_published(acme: Customer) -> None:
    run = probe(acme)
    assert problems("run-message", message(run)) == []
    assert problems("run-message", {**message(run), "more": "x"})
    deliver(run)
    data = json.loads(str(client().hget(RUNS.state_key(run.pk), "data")))
    assert problems("event-envelope", data) == []
    assert problems("event-envelope", {**data, "stage": "nowhere"})


def test_logs_of_a_url_run_are_as_published(acme: Customer) -> None:
    """Through the whole envelope: a blocked redirect, a plain http page, a page that is kept."""
    from dataclasses import replace

    from packs.url import PACK
    from tests.packs.url.desk import Desk

    with open_zoo() as zoo:
        zoo.site("www.me.go.kr", page(korean()))
        zoo.site("go.example.org", redirect("https://10.0.0.1/"))
        desk = Desk(zoo.fetcher())
        urls = ["https://www.me.go.kr/", "https://go.example.org/", "http://plain.example.org/"]
        found = PACK.execute({"urls": urls}, replace(desk.context(), tenant_id="acme"))
    run = probe(acme)
    deliver(run)
    logs = {"discard_log": list(found.discard_log), "blocked_log": list(found.blocked_log)}
    assert problems("result-envelope", {**envelope(ended(run)), "logs": logs}) == []
    assert {entry["action"] for entry in logs["blocked_log"]} == {"FETCH_REQUEST", "FETCH_REDIRECT_FOLLOW"}
    wrong = [{**entry, "gate": "access"} for entry in logs["discard_log"]]
    assert problems("result-envelope", {**envelope(ended(run)), "logs": {**logs, "discard_log": wrong}})


def test_entries_of_the_cache_are_cache_envelopes(acme: Customer) -> None:
    with open_zoo() as zoo:
        zoo.site("www.me.go.kr", page(korean()))
        office = Office(zoo)
        office.fetch("acme", f"{PAGE}/schemas")
        key = office.key(url=f"{PAGE}/schemas")
    document = json.loads(str(client().get(document_keys.entry(key))))
    assert problems("cache-envelope", document) == []
    assert problems("cache-envelope", {**document, "signatures": {}})


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_served_and_listed(api: Client, name: str) -> None:
    answer = api.get(f"/guides/schemas/{name}.json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/schema+json")
    assert json.loads(b"".join(answer))["$id"] == f"urn:dpp:schema:{name}"
    assert f"schemas/{name}.json" in (CLONE / "docs" / "schemas.md").read_text(encoding="utf-8")


def test_other_files_are_not_served(api: Client) -> None:
    for name in ("schemas/../../openapi.json", "schemas/absent.json", "monitoring/grafana-dashboard.json"):
        assert api.get(f"/guides/{name}").status_code == 404
