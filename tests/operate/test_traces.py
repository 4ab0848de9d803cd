"""One run, one trace: from the API's process over the message to the worker's. Nothing of it says what was asked."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from dpp_project.env import BadEnvironment
from dpp_project.tracing import is_configured
from runs.models import Run
from tests.builders import QUESTION, Customer, body, fresh_key, submitted
from tests.http import Api
from tests.operate.collector import Collector
from tests.processes import CLONE, ApiProcess, WorkerProcess
from tests.services import SessionServices

_SECRET_INPUT = "zebra-crossing-4711"
_SECRET_QUERY = "purple-umbrella-0815"
_SOON = {"OTEL_BSP_SCHEDULE_DELAY": "200"}


def test_the_spans_of_a_run_arrive_as_one_trace_and_tell_no_secrets(
    acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    with Collector() as collector, ApiProcess({"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **_SOON}) as serving:
        executing = worker(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, **_SOON)
        api = Api(serving.url, acme)
        asked = body(inputs={**QUESTION, "context": _SECRET_INPUT}, meta={"trace_id": "the-callers-own-id"})
        accepted = api.submit(asked, key=fresh_key())
        assert accepted.status == 202, accepted.text
        run_id = accepted.json["run_id"]
        api.wait_until_ended(f"/v1/runs/{run_id}", executing)
        api.get(f"/v1/runs/{run_id}?token={_SECRET_QUERY}")
        api.get(f"/v1/{_SECRET_INPUT}?token={_SECRET_QUERY}")
        api.submit(body(surprise=_SECRET_INPUT), key=fresh_key())
        collector.wait_for(
            lambda spans: (
                {"finalize", "execute run", "send run"} <= {span.name for span in spans}
                and sum(span.name.startswith("POST") for span in spans) == 2
            )
        )

        spans = {span.id: span for span in collector.spans}
        received = b"".join(collector.bodies)

    (submit,) = [span for span in spans.values() if span.attributes.get("dpp.status_code") == 202]
    of_the_run = [span for span in spans.values() if span.trace == submit.trace]
    told = {(span.service, span.name, spans[span.parent].name if span.parent else None) for span in of_the_run}
    assert told == {
        ("dpp-api", "POST v1/runs", None),
        ("dpp-api", "send run", "POST v1/runs"),
        ("dpp-worker", "execute run", "send run"),
        ("dpp-worker", "pack", "execute run"),
        *(("dpp-worker", f"stage {stage}", "pack") for stage in ("preflight", "weigh", "review", "store")),
        ("dpp-worker", "finalize", "execute run"),
    }
    assert {span.attributes["dpp.trace_id"] for span in of_the_run if "dpp.trace_id" in span.attributes} == {
        "the-callers-own-id"
    }
    (pack,) = [span for span in of_the_run if span.name == "pack"]
    assert pack.attributes["dpp.run_id"] == run_id
    assert pack.attributes["dpp.outcome"] == "COMPLETED"

    for secret in (_SECRET_INPUT, _SECRET_QUERY, QUESTION["question"], acme.api_key, acme.api_key[15:-6], "Bearer"):
        assert secret.encode() not in received


def test_a_worker_that_is_told_to_stop_sends_its_last_spans(
    acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    with Collector() as collector:
        executing = worker(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_BSP_SCHEDULE_DELAY="60000")
        run = submitted(acme)
        ends = time.monotonic() + 120
        while Run.objects.get(pk=run.pk).status != "COMPLETED":
            assert time.monotonic() < ends, executing.lines()
            time.sleep(0.1)
        assert collector.spans == []

        os.kill(executing.pid, signal.SIGTERM)

        collector.wait_for(lambda spans: {"finalize", "execute run"} <= {span.name for span in spans})


def test_a_collector_that_is_away_costs_no_run(acme: Customer, worker: Callable[..., WorkerProcess]) -> None:
    away = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", **_SOON}
    with ApiProcess(away) as serving:
        executing = worker(**away)
        api = Api(serving.url, acme)
        accepted = api.submit(body(), key=fresh_key())

        ended = api.wait_until_ended(accepted.json["poll"]["href"], executing)

    assert ended.json["status"] == "COMPLETED"


@pytest.mark.parametrize("module", ["dpp_project.wsgi", "runs.tasks"])
def test_without_an_endpoint_nothing_that_makes_spans_is_imported(platform: SessionServices, module: str) -> None:
    code = (
        "import django, sys; django.setup()\n"
        f"import {module}\n"
        "from dpp_project import tracing\n"
        "with tracing.span('x', run_id=1) as span: span.note(a=1)\n"
        "assert tracing.span('x') is tracing.span('y')\n"
        "assert not tracing.ON and tracing.traceparent() is None\n"
        # The Redis client imports the SDK's metrics by itself where it finds them: 3 MiB, and nothing a call.
        "parts = ('opentelemetry.sdk.trace', 'opentelemetry.exporter', 'opentelemetry.proto', 'google.protobuf')\n"
        "print([name for name in sys.modules if name.startswith(parts)])\n"
    )
    environment = {**platform.environment(), "DJANGO_SETTINGS_MODULE": "dpp_project.settings"}

    result = subprocess.run(
        [sys.executable, "-c", code], cwd=CLONE, env=environment, capture_output=True, text=True, check=True
    )

    assert result.stdout == "[]\n"


def test_an_endpoint_is_used_unless_it_is_switched_off() -> None:
    given = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
    assert not is_configured({})
    assert is_configured(given)
    assert is_configured({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"})
    assert not is_configured({**given, "OTEL_SDK_DISABLED": "true"})


@pytest.mark.parametrize(
    ("name", "value"),
    [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")],
)
def test_what_cannot_be_spoken_to_is_refused_at_start(name: str, value: str) -> None:
    with pytest.raises(BadEnvironment, match=name):
        is_configured({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", name: value})
