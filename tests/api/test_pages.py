"""/healthz, /readyz, /metrics, /docs and /v1/openapi.json."""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.test import Client

from tests.api.caller import documented
from tests.builders import Customer
from tests.processes import ApiProcess
from tests.services import SessionServices


def test_health_asks_nothing_and_readiness_asks_everything(api: Client) -> None:
    assert json.loads(documented(api.get("/healthz"), "get", "/healthz").content) == {"status": "ok"}
    ready = documented(api.get("/readyz"), "get", "/readyz")
    body = json.loads(ready.content)
    assert (ready.status_code, body["status"], body["down"]) == (200, "ready", [])
    assert set(body["checks"]) == {"database", "redis", "s3", "sqs", "clock", "sandbox"}
    assert set(body["checks"]["sandbox"]["missing"]) <= {"own_user"}


def test_readiness_names_what_is_down(api: Client, platform: SessionServices) -> None:
    platform.valkey.kill()
    try:
        answer = documented(api.get("/readyz"), "get", "/readyz")
    finally:
        platform.valkey.start()
        platform.valkey.wait_ready()
    assert (answer.status_code, json.loads(answer.content)["down"]) == (503, ["redis"])


def test_metrics_count_answers_by_route_not_by_path(api: Client, acme: Customer) -> None:
    before = _absent_runs_told(_metrics(api))
    for run_id in ("one", "two"):
        api.get(f"/v1/runs/{run_id}", headers=acme.headers())
    api.generic("QUIRK", "/v1/runs")
    text = _metrics(api)
    assert _absent_runs_told(text) == before + 2
    assert 'method="other"' in text
    assert "QUIRK" not in text
    assert 'run_id="' not in text


def _metrics(api: Client) -> str:
    return api.get("/metrics", headers={"Accept": "text/plain"}).content.decode()


def _absent_runs_told(metrics: str) -> float:
    counted = re.findall(
        r'dpp_requests_total\{.*method="GET".*route="v1/runs/<str:run_id>".*status="404"\} (.+)', metrics
    )
    return sum(map(float, counted))


def test_metrics_of_all_processes_are_added_up(tmp_path: Path, platform: object) -> None:
    count = "from prometheus_client import Counter; Counter('dpp_test_shared_total', 'x').inc(3)"
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", count], env=environment, check=True)
    process = ApiProcess(environment)
    try:
        process.start()
        process.wait_ready()
        with urllib.request.urlopen(f"{process.url}/metrics", timeout=30) as answer:
            text = answer.read().decode()
    finally:
        process.stop()
    assert "dpp_test_shared_total 6.0" in text
    assert "dpp_requests_total" in text


def test_the_docs_need_nothing_from_elsewhere(api: Client) -> None:
    page = api.get("/docs")
    assert page.status_code == 200
    text = page.content.decode()
    assert "//" not in text.replace("<!doctype html>", "")
    wanted = re.findall(r'(?:src|href)="(/docs/[^"]+)"', text)
    assert len(wanted) == 4
    for address in wanted:
        answer = api.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        assert (answer.status_code, bool(body)) == (200, True), address
    assert b"/v1/openapi.json" in api.get("/docs/start.js").content
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", ["swagger-ui-bundle.js.map", "..%2Fsettings.py", "nothing"])
def test_no_other_file_is_served(api: Client, name: str) -> None:
    assert api.get(f"/docs/{name}").status_code == 404


def test_the_openapi_document_is_public(api: Client) -> None:
    answer = documented(api.get("/v1/openapi.json"), "get", "/v1/openapi.json")
    assert json.loads(answer.content)["openapi"].startswith("3.1")
