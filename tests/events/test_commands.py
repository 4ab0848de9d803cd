"""manage.py watch and manage.py submit: what a person sees."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from runs.management.progress_bar import ProgressBar
from runs.management.stream_client import ReceivedEvent
from runs.models import Run
from tests.builders import QUESTION, Customer
from tests.events.processes import GatewayProcess
from tests.processes import ApiProcess, WorkerProcess
from tests.runs.worker.deliveries import deliver, probe


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def heard(progress: float, **more: Any) -> ReceivedEvent:
    return ReceivedEvent(2001, "execute", {"progress": progress, "step": "fetch", "detail": {"done": 3}, **more})


def test_in_a_terminal_one_line_moves() -> None:
    out = Terminal()
    bar = ProgressBar(out)
    for progress in (0.0, 0.5, 1.0):
        bar.show(heard(progress))
    bar.end()
    text = out.getvalue()
    assert text.count("\r\033[K") == 3
    assert text.count("\n") == 1
    assert "█" * 15 + "░" * 15 + "  50%" in text
    assert "fetch done=3" in text


def test_elsewhere_every_event_is_a_plain_line() -> None:
    out = io.StringIO()
    bar = ProgressBar(out)
    bar.show(heard(0.5))
    bar.end()
    assert out.getvalue().count("\n") == 1
    assert "\r" not in out.getvalue()
    assert " 50%  execute   fetch done=3" in out.getvalue()


def test_watch_follows_a_run_and_tells_its_cost(gateway: GatewayProcess, acme: Customer) -> None:
    run = probe(acme, "checkpoint:0.5")
    deliver(run)
    out = io.StringIO()
    options = {"api_key": acme.api_key, "events_url": gateway.url}
    call_command("watch", str(run.pk), stdout=out, from_start=True, **options)
    lines = out.getvalue().splitlines()
    assert len(lines) == 8
    assert "queued" in lines[0]
    assert lines[-1] == f"COMPLETED: cost 0.0500 USD. Result: GET /v1/runs/{run.pk}"
    out = io.StringIO()
    call_command("watch", str(run.pk), stdout=out, json=True, **options)
    assert json.loads(out.getvalue())["status"] == "COMPLETED"


def test_watch_fails_when_the_run_failed_or_is_not_ones_own(
    gateway: GatewayProcess, acme: Customer, rival: Customer
) -> None:
    run = probe(acme, "fail:no")
    deliver(run)
    with pytest.raises(CommandError, match=r"FAILED PACK_FAILED: cost 0\.0100 USD"):
        call_command("watch", str(run.pk), stdout=io.StringIO(), api_key=acme.api_key, events_url=gateway.url)
    with pytest.raises(CommandError, match="No run with this id"):
        call_command("watch", str(run.pk), stdout=io.StringIO(), api_key=rival.api_key, events_url=gateway.url)


def test_submit_and_watch_a_run_through_api_worker_and_gateway(
    gateway: GatewayProcess,
    live_api: ApiProcess,
    worker: Callable[..., WorkerProcess],
    acme: Customer,
    tmp_path: Path,
) -> None:
    worker()
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps(QUESTION), encoding="utf-8")
    out = io.StringIO()
    options = {"api_key": acme.api_key, "events_url": gateway.url, "api_url": live_api.url}
    call_command("submit", "decision", inputs=f"@{inputs}", watch=True, stdout=out, **options)
    lines = out.getvalue().splitlines()
    run = Run.objects.get()
    assert lines[0] == f"Run {run.pk}"
    assert lines[-1].startswith("COMPLETED: cost 0.0")
    stages = [line.split()[3] for line in lines[1:-1]]
    assert (stages[0], stages[-1]) == ("queued", "done")
    with pytest.raises(CommandError, match="SCHEMA_VALIDATION_FAILED"):
        call_command("submit", "decision", inputs="{}", stdout=out, **options)
    with pytest.raises(CommandError, match="--inputs cannot be read"):
        call_command("submit", "decision", inputs="@/nowhere.json", stdout=out, **options)
