"""A worker on a machine of its own is scraped there: its head adds up what its children count."""

import os
import re
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from runs.models import Run
from tests.admin.test_deploy import ENTRYPOINT
from tests.builders import Customer, submitted
from tests.events.processes import GatewayProcess
from tests.ports import free_port
from tests.processes import BIN, CLONE, WorkerProcess, children_of


class WorkerRole(WorkerProcess):
    """The image's role, outside of the image."""

    def command(self) -> list[str]:
        return [str(ENTRYPOINT), "worker"]

    def full_environment(self) -> dict[str, str]:
        return {**super().full_environment(), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def port() -> int:
    return free_port()


def test_what_the_children_of_a_worker_count_is_told_by_its_head(
    acme: Customer, worker: Callable[..., WorkerProcess], port: int
) -> None:
    executing = worker(WorkerRole, DPP_WORKER_METRICS_PORT=str(port))
    for _ in range(3):
        submitted(acme)
    _until(lambda: Run.objects.filter(status="COMPLETED").count() == 3, executing)
    _until(lambda: _runs_told(port) >= 3, executing)

    told = _scrape(port)

    assert _total(told, "dpp_run_seconds_count", pack_type="decision", outcome="ended") == 3
    assert _total(told, "dpp_transitions_total", actor="worker", to_status="COMPLETED") >= 3
    assert _total(told, "dpp_events_published_total", outcome="published") > 0


def test_the_counts_of_a_killed_child_are_kept_and_the_port_stays_with_the_head(
    acme: Customer, worker: Callable[..., WorkerProcess], port: int
) -> None:
    executing = worker(WorkerRole, DPP_WORKER_METRICS_PORT=str(port))
    submitted(acme)
    _until(lambda: Run.objects.filter(status="COMPLETED").count() == 1, executing)
    _until(lambda: _runs_told(port) == 1, executing)
    children = _children(executing.pid)
    assert len(children) == 4

    for child in children:
        assert not _listens(child, port)
        os.kill(child, 9)
    submitted(acme)
    _until(lambda: Run.objects.filter(status="COMPLETED").count() == 2, executing)
    _until(lambda: len(_children(executing.pid)) == 4 and not {*children} & {*_children(executing.pid)}, executing)

    assert not any(_listens(child, port) for child in _children(executing.pid))
    _until(lambda: _runs_told(port) == 2, executing)


def test_a_worker_whose_children_could_not_be_counted_refuses_to_start(
    acme: Customer, worker: Callable[..., WorkerProcess], port: int
) -> None:
    executing = worker(DPP_WORKER_METRICS_PORT=str(port))

    assert executing._program.wait(120) not in (0, None)
    assert "PROMETHEUS_MULTIPROC_DIR is not" in executing.lines()


def test_the_event_gateway_is_scraped_beside_its_streams(platform: object, port: int) -> None:
    with GatewayProcess({"DPP_EVENTS_METRICS_PORT": str(port)}):
        assert "dpp_event_listeners 0.0" in _scrape(port)


def test_prometheus_is_told_to_scrape_every_port_that_compose_opens() -> None:
    compose = yaml.safe_load((CLONE / "docker" / "compose.yml").read_text())["services"]
    jobs = yaml.safe_load((CLONE / "docs" / "monitoring" / "prometheus.yml").read_text())["scrape_configs"]

    exposed = {f"{name}:{port}" for name, service in compose.items() for port in service.get("expose", ())}

    workers = {"worker:9101", "worker-fetch:9101", "worker-ocr:9101"}
    assert exposed == {"api:9101", *workers, "maintenance:9101", "reaper:9101", "webhooks:9101", "events:9101"}
    assert {target for job in jobs for target in _targets(job)} == exposed
    assert all(f"dpp-{target.split(':')[0]}" == job["job_name"] for job in jobs for target in _targets(job))


def _targets(job: dict[str, Any]) -> list[str]:
    return [f"{name}:{each['port']}" for each in job["dns_sd_configs"] for name in each["names"]]


def _scrape(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


def _runs_told(port: int) -> float:
    """A child counts its run only after it has written that the run has ended."""
    return _total(_scrape(port), "dpp_run_seconds_count", pack_type="decision", outcome="ended")


def _total(told: str, name: str, **labels: str) -> float:
    lines = [line for line in told.splitlines() if re.match(rf"{name}(\{{|\s)", line)]
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if all(each in line for each in wanted))


def _children(pid: int) -> list[int]:
    """The pool: the processes at the end of the tree."""
    return [leaf for child in children_of(pid) for leaf in _children(child) or [child]]


def _listens(pid: int, port: int) -> bool:
    """Whether the process holds the listening socket of the port."""
    inodes = {
        fields[9]
        for fields in (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
        if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port
    }
    assert inodes, "nobody listens"
    held = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            held.add(os.readlink(entry))
        except FileNotFoundError:
            continue
    return any(f"socket:[{inode}]" in held for inode in inodes)


def _until(what: Callable[[], bool], process: WorkerProcess, *, seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while not what():
        if time.monotonic() > ends:
            raise AssertionError(process.lines()[-3000:])
        time.sleep(0.1)
