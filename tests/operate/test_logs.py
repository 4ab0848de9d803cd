"""Two whole runs, every process of the platform telling all it can: no line has an input, a key or a URL's query."""

import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from runs.jobs.table import JOBS
from runs.models import Run
from tests.builders import QUESTION, Customer, body, fresh_key
from tests.events.processes import GatewayProcess as EventsProcess
from tests.http import Api
from tests.mcp.gateway import GatewayProcess as McpProcess
from tests.mcp.gateway import connected, over_http
from tests.packs.fetch.zoo import Zoo, open_zoo, page, redirect
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.packs.url.articles import korean
from tests.processes import ApiProcess, WorkerProcess, ZooWorkerProcess
from tests.torture.processes import Beat, MaintenanceWorker

_INPUT = "zebra-crossing-4711"
_QUERY = "purple-umbrella-0815"
_FRAGMENT_OF_PAGE = "보조금"
_HOST = "www.law.go.kr"
_LOUD = {"DPP_LOG_LEVEL": "DEBUG"}
# So that every job makes its pass while the test looks. A pass that waited longer than its interval is left out:
# shorter than this, a busy machine would leave out every one.
_OFTEN_SEC = 5
_OFTEN = json.dumps(
    {f"{name}_interval_sec": _OFTEN_SEC for name in ("reaper", "sweeper", "reconcile", "dead_letters")}
    | {f"{name}_interval_sec": _OFTEN_SEC for name in ("retention", "audit", "resend", "purge_inputs", "scrub")}
)


@pytest.fixture
def zoo() -> Iterator[Zoo]:
    with open_zoo() as opened:
        opened.site(_HOST, page(korean()))
        opened.site("moved.go.kr", redirect(f"https://10.0.0.1/inside?token={_QUERY}"))
        yield opened


def test_no_process_logs_an_input_a_key_or_a_query(
    acme: Customer, zoo: Zoo, worker: Callable[..., WorkerProcess], tmp_path: Path
) -> None:
    with ExitStack() as running:
        api = running.enter_context(ApiProcess(_LOUD))
        events = running.enter_context(EventsProcess(_LOUD))
        mcp = running.enter_context(McpProcess({"DPP_API_URL": api.url, **_LOUD}))
        beat = Beat({**_LOUD, "DPP_PROFILE_OVERRIDES": _OFTEN})
        beat.start()
        running.callback(beat.stop)
        maintenance = worker(MaintenanceWorker, **_LOUD)
        executing = worker(ZooWorkerProcess, **_LOUD, **settings_of(web_of(zoo, tmp_path)))

        caller = Api(api.url, acme)
        decision = caller.submit(body(inputs={**QUESTION, "context": _INPUT}), key=fresh_key())
        fetching = caller.submit(_url_run(), key=fresh_key())
        assert [decision.status, fetching.status] == [202, 202], decision.text + fetching.text
        _listen(events, decision.json["run_id"], acme)
        with connected(over_http(mcp, Authorization=f"Bearer {acme.api_key}")) as agent:
            through_mcp = agent.call({**QUESTION, "context": _INPUT, "max_cost_usd": "0.5000"})
            refused = agent.call({"question": _INPUT, "options": [_INPUT], "max_cost_usd": "0.5000"})
        for accepted in (decision.json, fetching.json, through_mcp.document):
            ended = caller.wait_until_ended(f"/v1/runs/{accepted['run_id']}", executing)
            assert ended.json["status"] == "COMPLETED", ended.text
        caller.get(f"/v1/runs/{fetching.json['run_id']}?token={_QUERY}")
        _until_every_job_made_a_pass(maintenance, beat)
        logs = {process.name: process.lines() for process in (api, executing, maintenance, beat, events, mcp)}

    assert refused.is_error
    assert Run.objects.filter(status="COMPLETED").count() == 3
    assert zoo.record.requests, "nothing was fetched"
    for name, text in logs.items():
        assert text, f"{name} wrote nothing"
        _assert_keeps_secrets(name, text, acme)
    _assert_each_says_who_it_is(logs)


def _url_run() -> dict[str, object]:
    urls = [f"https://{_HOST}/act/1?token={_QUERY}", f"https://moved.go.kr/?token={_QUERY}"]
    inputs = {"urls": urls, "decision_question": f"전기차 보조금 기준은 어떻게 바뀌었나요? {_INPUT}"}
    return body(pack_type="url", inputs=inputs)


def _listen(events: EventsProcess, run_id: str, owner: Customer) -> None:
    asked = urllib.request.Request(f"{events.url}/v1/runs/{run_id}/events?token={_QUERY}", headers=owner.headers())
    with urllib.request.urlopen(asked, timeout=30) as stream:
        assert "event: done" in stream.read().decode()


def _assert_keeps_secrets(name: str, text: str, owner: Customer) -> None:
    for secret in (owner.api_key[:-1], owner.api_key[15:-6], _INPUT, _QUERY, QUESTION["question"], _FRAGMENT_OF_PAGE):
        for written in (secret, json.dumps(secret)[1:-1], secret.encode().hex()):
            at = text.find(written)
            assert at < 0, f"{name} tells {written!r}:\n{text[max(0, at - 600) : at + 200]}"


def _assert_each_says_who_it_is(logs: dict[str, str]) -> None:
    for name, service in {"api": "api", "worker": "worker", "maintenance": "maintenance", "mcp": "mcp"}.items():
        lines = [json.loads(line) for line in logs[name].splitlines() if line.startswith("{")]
        assert {line["service"] for line in lines if line["logger"].startswith("dpp.")} == {service}


def _until_every_job_made_a_pass(maintenance: WorkerProcess, beat: Beat, *, seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while missing := [name for name in JOBS if f'"job": "{name}"' not in maintenance.lines()]:
        if time.monotonic() > ends:
            tail = [line[:300] for line in maintenance.lines().splitlines() if "urllib3" not in line][-20:]
            sent = beat.lines().count("Sending due task")
            raise AssertionError(f"no pass of {missing}; beat sent {sent}; the worker last wrote:\n" + "\n".join(tail))
        time.sleep(0.2)
