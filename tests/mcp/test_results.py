"""An agent that has nothing but the gateway gets its answer."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from mcp.shared.exceptions import MCPError

from runs.mcp.results import MAX_DATA_CHARS, accepted
from runs.models import Run
from runs.states import Status
from runs.worker import pack_services
from runs.worker.run_one import Delivery, run_one
from tests.builders import QUESTION, Customer, message
from tests.mcp.gateway import DECISION, Agent, GatewayProcess, connected, over_http
from tests.packs.fetch.zoo import Zoo, open_zoo, page
from tests.packs.fetch.zoo_web import web_of
from tests.packs.url.articles import korean
from tests.processes import CLONE

ASK = {**QUESTION, "max_cost_usd": "0.5000"}


@contextmanager
def a_worker() -> Iterator[None]:
    """Ends what is queued, in this process, a moment after it came."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            for run in Run.objects.filter(status=Status.QUEUED, finalize_stage=None):
                run_one(Delivery(message_id="in-process", body=message(run), extend=lambda: None))
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.fixture(params=["auto", "legacy"])
def agent(request: pytest.FixtureRequest, gateway: GatewayProcess, acme: Customer) -> Any:
    with connected(over_http(gateway, mode=request.param, Authorization=f"Bearer {acme.api_key}")) as ready:
        yield ready


def test_a_call_brings_the_result(agent: Agent, acme: Customer) -> None:
    with a_worker():
        result = agent.call(ASK)

    document = result.document
    assert not result.is_error
    assert result.structured == document
    run = Run.objects.get(tenant=acme.tenant)
    assert (document["run_id"], document["status"]) == (str(run.pk), "COMPLETED")
    assert document["cost"]["used_usd"] == "0.0500"
    assert document["reliability"].keys() == {"score", "required", "met"}
    assert isinstance(document["warnings"], list)
    assert document["budget_cap"] is None
    assert document["data"]["question"] == QUESTION["question"]
    assert document["poll"]["href"] == f"/v1/runs/{run.pk}"


def test_the_same_call_again_waits_on_and_is_not_charged_twice(agent: Agent, acme: Customer) -> None:
    first = agent.call({**ASK, "wait_sec": 0})
    assert first.document["status"] == "QUEUED"
    assert "same arguments" in first.texts[1]
    with a_worker():
        again = agent.call({**ASK, "wait_sec": 45})
    assert (again.document["run_id"], again.document["status"]) == (first.document["run_id"], "COMPLETED")
    assert "nothing more was charged" in again.texts[1]
    assert Run.objects.filter(tenant=acme.tenant).count() == 1


def test_a_call_waits_no_longer_than_it_says(agent: Agent) -> None:
    began = time.monotonic()
    result = agent.call({**ASK, "wait_sec": 2})
    assert 1.5 <= time.monotonic() - began < 12
    assert result.document["status"] == "QUEUED"
    assert "data" not in result.document


@pytest.fixture
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zoo]:
    """The web, as this process's packs see it."""
    with open_zoo() as ready:
        monkeypatch.setattr(pack_services, "SmartFetcher", web_of(ready, tmp_path).fetcher)
        pack_services.pack_services.cache_clear()
        yield ready
    pack_services.pack_services.cache_clear()


def test_all_packs_are_bought_by_their_tools(agent: Agent, acme: Customer, zoo: Zoo) -> None:
    zoo.site("www.law.go.kr", page(korean()))
    picture = base64.b64encode((CLONE / "docs/examples/ocr-notice.png").read_bytes()).decode()
    calls: dict[str, dict[str, Any]] = {
        "decision": ASK,
        "compliance": {"text": "국내 최고의 효과를 100% 보장합니다.", "max_cost_usd": "0.5"},
        "eval": {"text": "Sales rose by 10 % [1].", "sources": ["Sales rose by 10 %."], "max_cost_usd": "0.5"},
        "ocr": {"images": [{"kind": "base64", "data": picture}], "max_cost_usd": "0.5", "wait_sec": 45},
        "url": {"urls": ["https://www.law.go.kr/"], "max_cost_usd": "0.5", "wait_sec": 45},
    }
    with a_worker():
        documents = {name: agent.call(given, tool=f"dpp_{name}_run_submit").document for name, given in calls.items()}

    assert {name: document["status"] for name, document in documents.items()} == dict.fromkeys(calls, "COMPLETED")
    assert documents["compliance"]["data"]["findings"]
    assert documents["ocr"]["data"]["texts"]
    assert documents["eval"]["data"]["verdict"]
    assert documents["url"]["data"]["results"]
    assert Run.objects.filter(tenant=acme.tenant).count() == 5


def test_a_run_that_failed_says_so_and_how_to_go_on(agent: Agent, zoo: Zoo) -> None:
    with a_worker():
        given = {"urls": ["https://www.korea.kr/"], "max_cost_usd": "0.5", "wait_sec": 45}
        result = agent.call(given, tool="dpp_url_run_submit")
    assert not result.is_error  # the call was carried out; it is the run that failed
    assert result.document["status"] == "FAILED"
    error = result.document["error"]
    assert (error["reason_code"], error["retry_with"]) == ("NOTHING_DELIVERED", "new_key")
    assert {"detail", "charged_usd", "next_action"} <= error.keys()
    assert "new idempotency_key" in result.texts[1]
    assert "Idempotency-Key" not in result.texts[0]


def test_a_result_and_its_reports_are_resources(agent: Agent, acme: Customer) -> None:
    with a_worker():
        result = agent.call({**ASK, "artifacts": {"include_markdown": True, "include_docx": True}})
    run_id = result.document["run_id"]
    assert result.links == [
        f"dpp://runs/{run_id}/{name}" for name in ("pack_envelope.json", "report.docx", "report.md")
    ]

    envelope, word, markdown = (agent.read(uri) for uri in result.links)

    data = json.loads(envelope)["data"]
    assert result.document["data"].items() <= data.items()
    assert set(data) == {*result.document["data"], *result.document.get("data_left_out", [])}
    assert markdown.startswith("# ")
    assert base64.b64decode(word)[:2] == b"PK"


def test_another_tenants_result_is_no_resource(agent: Agent, rival: Customer, gateway: GatewayProcess) -> None:
    with a_worker():
        uri = agent.call(ASK).links[0]
    with (
        connected(over_http(gateway, **rival.headers())) as stranger,
        pytest.raises(MCPError, match="no such resource"),
    ):
        stranger.read(uri)
    for wrong in ("dpp://runs/x/pack_envelope.json", uri.replace("pack_envelope", "other"), "https://a.example/"):
        with pytest.raises(MCPError, match="no such resource"):
            agent.read(wrong)


def test_waiting_calls_leave_room_for_others(gateway: GatewayProcess, acme: Customer) -> None:
    """More than bodies are read at a time, and more than the API holds answers."""
    answers: list[str] = []

    def call(number: int) -> None:
        with connected(over_http(gateway, **acme.headers())) as agent:
            key = f"waiting-call-{number}"
            answers.append(agent.call({**ASK, "wait_sec": 30, "idempotency_key": key}).document["status"])

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    with connected(over_http(gateway, **acme.headers())) as agent:
        assert agent.call({**ASK, "wait_sec": 0}).document["status"] == "QUEUED"
    with a_worker():
        for thread in threads:
            thread.join()
    assert answers == ["COMPLETED"] * 8


def test_large_data_is_left_to_the_resource_and_small_members_stay() -> None:
    run_id = "0b4f3a52-6c1e-4d0a-9a55-3f1f7f0f7c11"
    receipt = {"run_id": run_id, "status": "QUEUED", "poll": {"href": f"/v1/runs/{run_id}"}}
    result = {"presigned_url": "https://s3.example/x?secret", "sha256": "0" * 64, "size": 99_999, "artifacts": []}
    run = {"run_id": run_id, "status": "COMPLETED", "result": result}
    data = {"rows": ["x" * 1_000] * 100, "answer_text": "Alpha.", "scores": [1, 2]}

    told = accepted(receipt, run, {"data": data}, api_url="https://api.example", key="k" * 8, replayed=False)

    document = json.loads(told.content[0].text)  # type: ignore[union-attr]
    assert document["data"] == {"answer_text": "Alpha.", "scores": [1, 2]}
    assert document["data_left_out"] == ["rows"]
    assert len(told.content[0].text) < MAX_DATA_CHARS + 2_000  # type: ignore[union-attr]
    assert f"dpp://runs/{run_id}/pack_envelope.json" in told.content[1].text  # type: ignore[union-attr]
    assert "secret" not in told.model_dump_json()
    assert told.content[2].type == "resource_link"


def test_the_tool_is_the_only_way_to_wait(agent: Agent) -> None:
    assert DECISION in [tool.name for tool in agent.tools()]
    assert not [tool.name for tool in agent.tools() if "poll" in tool.name or "get" in tool.name]
