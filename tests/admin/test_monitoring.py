"""Alerts and dashboard ask for metrics that exist, every alert has its runbook, live metrics tell the truth."""

import json
import re
import urllib.request
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from dpp_project.metrics import LedgerAlarm
from packs.fetch import FetchBlocked, SmartFetcher
from runs.jobs import history
from runs.models import Run
from runs.reports.live_metrics import LiveCollector
from tests.admin.test_actions import disputed
from tests.builders import Customer, submitted
from tests.processes import ApiProcess

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Prometheus' own.
_BUILT_IN = {"up"}


def rules() -> list[dict[str, Any]]:
    loaded = yaml.safe_load((DOCS / "monitoring" / "alerts.yml").read_text())
    return [rule for group in loaded["groups"] for rule in group["rules"]]


def metric_names(expression: str) -> set[str]:
    """Names of ours, without the ending that a histogram adds."""
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"\b(dpp_\w+|up)\b", expression)}


def known_metrics() -> set[str]:
    registry = CollectorRegistry()
    registry.register(LiveCollector())
    families = [*REGISTRY.collect(), *registry.collect()]
    return {f"{family.name}_total" if family.type == "counter" else family.name for family in families} | _BUILT_IN


def test_alerts_and_dashboard_ask_for_metrics_that_exist(acme: Customer) -> None:
    board = json.loads((DOCS / "monitoring" / "grafana-dashboard.json").read_text())
    asked = {name for rule in rules() for name in metric_names(rule["expr"])}
    asked |= {name for panel in board["panels"] for each in panel["targets"] for name in metric_names(each["expr"])}

    # A label may be named `job` or `queue`; a metric of ours always begins with dpp_.
    assert {name for name in asked if name.startswith("dpp_")} - known_metrics() == set()
    assert len(asked) > 15


def test_every_alert_has_its_runbook_and_every_runbook_its_alert() -> None:
    sections = re.findall(r"^### (Dpp\w+)$", (DOCS / "operations.md").read_text(), re.MULTILINE)

    assert sorted(rule["alert"] for rule in rules()) == sorted(sections)
    for rule in rules():
        assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"


def test_what_an_alert_wants_the_increase_of_is_told_before_it_happens(tmp_path: Path, platform: object) -> None:
    """Prometheus sees no increase in a series that begins at 1: the first event of its kind would ring nobody."""
    watched = {name for rule in rules() for name in re.findall(r"increase\((dpp_\w+)", rule["expr"])}
    process = ApiProcess({"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)})
    try:
        process.start()
        process.wait_ready()
        with urllib.request.urlopen(f"{process.url}/metrics", timeout=5) as answer:
            page = answer.read().decode()
    finally:
        process.stop()

    told = [each for family in text_string_to_metric_families(page) for each in family.samples if each.name in watched]

    assert {each.name for each in told} == watched
    assert {each.value for each in told} == {0}
    assert {each.labels["event"] for each in told if "event" in each.labels} == set(get_args(LedgerAlarm))


def test_the_runbook_explains_every_ledger_alarm() -> None:
    section = (DOCS / "operations.md").read_text().partition("### DppLedgerAlarm\n")[2].partition("\n### ")[0]

    assert set(get_args(LedgerAlarm)) - set(re.findall(r"`(\w+)`", section)) == set()


def test_live_metrics_tell_what_the_database_holds(acme: Customer, queued_run: Run) -> None:
    submitted(acme)
    disputed(acme)
    history.record("reap", {"found": 0}, duration_ms=3)
    registry = CollectorRegistry()
    registry.register(LiveCollector())

    told = generate_latest(registry).decode()

    for line in (
        'dpp_runs_live{status="QUEUED"} 2.0',
        'dpp_runs_live{status="PROCESSING"} 1.0',
        "dpp_runs_disputed 1.0",
        "dpp_reserved_micros 1.5e+06",
        'dpp_queue_messages{queue="dead_letters"} 0.0',
        'dpp_job_late{job="reap"} 0.0',
        'dpp_job_late{job="sweep"} 1.0',
    ):
        assert line in told, told


def test_a_fetch_that_the_policy_refuses_is_counted_by_its_reason() -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("dpp_fetch_blocks_total", {"reason": "SSRF_PRIVATE_IP_BLOCKED"}) or 0

    before = counted()
    with pytest.raises(FetchBlocked):
        SmartFetcher().fetch("https://10.0.0.1/")

    assert counted() == before + 1
