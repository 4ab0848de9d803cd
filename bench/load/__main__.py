"""`make load`: 3,000 agents, each its own tenant, on this one machine, in two scenarios; each ends with the audit.

`decision`: runs of the decision pack. `url`: runs of the url pack over 39 hot documents, which are warmed first, and a
cold tail, served by local sites of bounded capacity. The platform is started as `make up` does, on servers of its own,
driven with locust along the ramp of `stages.py`, drained and audited. Prints tables and writes bench/results/load.json.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.embedded import embedded_stack
from bench.load.processors import watched
from bench.load.stages import Stage, scaled

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"
SCENARIOS = ("decision", "url")
MOST_ERRORS, MOST_P95_MS = 0.01, 500
DRAIN_SEC = 900


@dataclass(frozen=True)
class Options:
    time: float
    users: float

    @property
    def stages(self) -> tuple[Stage, ...]:
        return scaled(time=self.time, users=self.users)

    @property
    def most_users(self) -> int:
        return max(stage.users for stage in self.stages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=SCENARIOS, action="append", help="both, unless one is named")
    parser.add_argument("--time", type=float, default=1.0, help="the ramp in this part of its 12.5 minutes")
    parser.add_argument("--users", type=float, default=1.0, help="with this part of its 3,000 users")
    parsed = parser.parse_args()
    options = Options(parsed.time, parsed.users)
    RESULTS.mkdir(exist_ok=True)
    reports = [_in_a_process_of_its_own(scenario, options) for scenario in parsed.scenario or SCENARIOS]
    (RESULTS / "load.json").write_text(json.dumps(reports, indent=2) + "\n")
    for report in reports:
        print(table(report))
    if not all(report["good"] for report in reports):
        raise SystemExit(1)


def _in_a_process_of_its_own(scenario: str, options: Options) -> dict[str, Any]:
    """Django knows one database in a process; each scenario has its own."""
    report = RESULTS / f"load-{scenario}.json"
    command = [
        sys.executable,
        "-m",
        "bench.load.scenario",
        scenario,
        str(report),
        str(options.time),
        str(options.users),
    ]
    subprocess.run(command, check=True)
    loaded: dict[str, Any] = json.loads(report.read_text())
    return loaded


def run_scenario(scenario: str, options: Options) -> dict[str, Any]:
    with embedded_stack(durable=True) as services:
        return _drive(services.home, scenario, options)


def _drive(home: Path, scenario: str, options: Options) -> dict[str, Any]:
    from django.conf import settings

    from bench.load.sites import QUESTION, Sites
    from bench.speed import servers
    from bench.speed.customers import BODY
    from runs.models import Run
    from runs.reports.invariants import audit_ledger
    from tests.packs.fetch.zoo import open_zoo
    from tests.packs.fetch.zoo_web import settings_of, web_of

    keys, told = home / "keys", home / "agents.json"
    keys.write_text("\n".join(_new_agents(options.most_users)))
    with ExitStack() as stack:
        zoo = stack.enter_context(open_zoo())
        sites = Sites(zoo, settings.FETCH_HOST_SLOTS)
        web = settings_of(web_of(zoo, home))
        api = stack.enter_context(servers.platform("api", home))
        for name in ("worker", "worker-fetch"):
            stack.enter_context(servers.platform(name, home, application="tests.zoo_worker", **web))
        for name in ("maintenance", "beat"):
            stack.enter_context(servers.platform(name, home))
        if scenario == "url":
            _warm(home, sites.hot, web)
        warmed = sites.figures()["downloads"]
        time.sleep(10)
        environment = {
            "LOAD_SCENARIO": scenario,
            "LOAD_TIME": str(options.time),
            "LOAD_USERS": str(options.users),
            "LOAD_KEYS": str(keys),
            "LOAD_REPORT": str(told),
            "LOAD_BODY": json.dumps(BODY),
            "LOAD_DOCUMENTS": json.dumps({"hot": sites.hot, "cold": sites.cold, "question": QUESTION}),
        }
        with watched() as processors:
            _locust(api.port, environment)
        ended_at = time.monotonic()
        while Run.objects.filter(status__in=("QUEUED", "PROCESSING")).exists():
            if time.monotonic() - ended_at > DRAIN_SEC:
                break
            time.sleep(1)
        drained_sec = round(time.monotonic() - ended_at, 1)
        audit = audit_ledger()
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "scenario": scenario,
        "users": options.most_users,
        "time": options.time,
        **_judged(json.loads(told.read_text())),
        "processors_busy": processors.of_stages(options.stages),
        "runs": Run.objects.count(),
        "completed": Run.objects.filter(status="COMPLETED").count(),
        "drained_sec": drained_sec,
        "audit_clean": audit.is_clean,
        "sites": {**sites.figures(), "warmed": warmed, "bound": settings.FETCH_HOST_SLOTS},
    }


def with_verdict(report: dict[str, Any]) -> dict[str, Any]:
    judged = [stage for stage in report["stages"] if stage["judged"]]
    good = (
        report["audit_clean"]
        and report["sites"]["most_at_once"] <= report["sites"]["bound"]
        and all(stage["good"] for stage in judged)
    )
    carried = [stage["users"] for stage in judged if stage["good"]]
    return {**report, "carried_users": max(carried, default=0), "good": good}


def _judged(told: dict[str, Any]) -> dict[str, Any]:
    for stage in told["stages"]:
        calls = stage["calls"]
        requests = sum(figures["requests"] for figures in calls.values())
        failures = sum(figures["failures"] for figures in calls.values())
        stage["errors_percent"] = round(100 * failures / requests, 3) if requests else 0.0
        stage["calls_a_second"] = round(requests / stage["seconds"], 1)
        slow = [name for name in ("POST", "GET") if name in calls and (calls[name]["p95_ms"] or 0) >= MOST_P95_MS]
        stage["good"] = failures < MOST_ERRORS * max(requests, 1) and not slow
    return told


def _warm(home: Path, urls: list[str], web: dict[str, str]) -> None:
    hot = home / "hot.txt"
    hot.write_text("\n".join(urls))
    subprocess.run([sys.executable, "-m", "bench.load.warm", str(hot)], env={**os.environ, **web}, check=True)


def _new_agents(number: int) -> list[str]:
    from budget import ledger
    from dpp_project.money import Micros
    from runs.access import api_keys
    from runs.models import Tenant

    texts = []
    for index in range(number):
        tenant = Tenant.objects.create(tenant_id=f"agent-{index}", display_name="load")
        ledger.top_up(tenant.pk, Micros(100_000_000), reference=f"load:{index}")
        texts.append(api_keys.issue(tenant, label="load")[1])
    return texts


def _locust(port: int, environment: dict[str, str]) -> None:
    command = [
        *(sys.executable, "-m", "locust", "-f", str(HERE / "agents.py"), "--headless", "--only-summary"),
        *("--host", f"http://127.0.0.1:{port}", "--stop-timeout", "60", "--loglevel", "WARNING"),
        *("--exit-code-on-error", "0"),
    ]
    subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True)


def table(report: dict[str, Any]) -> str:
    lines = [
        "",
        f"**{report['scenario']} runs, {report['users']:,} users, the ramp in {100 * report['time']:g} % of its time**",
        "",
        "| stage | calls a second | POST p50 / p95 ms | GET p50 / p95 ms | run p50 / p95 s | errors |",
        "|---|---|---|---|---|---|",
    ]
    for stage in report["stages"]:
        calls = stage["calls"]
        shown = [f"{_ms(calls, name, 'p50_ms')} / {_ms(calls, name, 'p95_ms')}" for name in ("POST", "GET")]
        run = f"{_ms(calls, 'run', 'p50_ms', 1000)} / {_ms(calls, 'run', 'p95_ms', 1000)}"
        name = f"{stage['name']}{'' if stage['good'] or not stage['judged'] else ' ✗'}"
        lines.append(
            f"| {name} | {stage['calls_a_second']} | {' | '.join(shown)} | {run} | {stage['errors_percent']} % |"
        )
    for stage, busy in zip(report["stages"], report.get("processors_busy", []), strict=False):
        lines.append(
            f"Processors busy, {stage['name']}: {', '.join(f'{name} {share}' for name, share in busy.items())}."
        )
    seen, sites = report["seen"], report["sites"]
    lines += [
        "",
        f"{report['runs']:,} runs, {report['completed']:,} COMPLETED, queue empty {report['drained_sec']} s after the "
        f"last user, audit {'clean' if report['audit_clean'] else 'NOT CLEAN'}; "
        f"carried: {report['carried_users']:,} users.",
    ]
    if report["scenario"] == "url":
        discards = ", ".join(f"{count} {name}" for name, count in seen.items() if name.startswith("discarded"))
        lines.append(
            f"Documents: {seen.get('hits', 0):,} hits, {seen.get('misses', 0):,} misses, {seen.get('degraded', 0):,} "
            f"degraded{', ' + discards if discards else ''}. Sites: {sites['warmed']} documents warmed, "
            f"{sites['downloads'] - sites['warmed']:,} downloaded by runs, {sites['refused']} requests too many, "
            f"at most {sites['most_at_once']} at once of {sites['bound']}."
        )
    return "\n".join(lines)


def _ms(calls: dict[str, Any], name: str, figure: str, divisor: int = 1) -> str:
    value = calls.get(name, {}).get(figure)
    return "–" if value is None else f"{value / divisor:.1f}" if divisor > 1 else f"{value:.0f}"


if __name__ == "__main__":
    main()
