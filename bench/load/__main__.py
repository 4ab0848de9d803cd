"""`make load`: 3,000 agents at once, each its own tenant, on this one machine; ends with the audit.

Starts the platform as `make up` does (API, worker, maintenance worker, beat) on servers of its own, drives it with
locust, waits until the queue is empty, audits, prints a table and writes bench/results/load.json.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.embedded import embedded_stack

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=3_000)
    parser.add_argument("--ramp", type=float, default=50, help="users that come a second")
    parser.add_argument("--hold", type=int, default=90, help="seconds with all of them")
    parser.add_argument("--period", type=float, default=150, help="seconds from one run of a user to its next")
    options = parser.parse_args()
    with embedded_stack(durable=True) as services:
        report = _drive(services.home, options)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "load.json").write_text(json.dumps(report, indent=2) + "\n")
    print(_table(report))
    if not report["good"]:
        raise SystemExit(1)


def _drive(home: Path, options: argparse.Namespace) -> dict[str, Any]:
    from bench.speed import servers
    from bench.speed.customers import BODY
    from runs.models import Run
    from runs.reports.invariants import audit_ledger

    keys = home / "keys"
    keys.write_text("\n".join(_new_agents(options.users)))
    with ExitStack() as stack:
        api = stack.enter_context(servers.platform("api", home))
        for name in ("worker", "maintenance", "beat"):
            stack.enter_context(servers.platform(name, home))
        time.sleep(10)
        environment = {
            "LOAD_KEYS": str(keys),
            "LOAD_PERIOD_SEC": str(options.period),
            "LOAD_BODY": json.dumps(BODY),
        }
        stats = _locust(api.port, environment, options)
        ended_at = time.monotonic()
        while Run.objects.filter(status__in=("QUEUED", "PROCESSING")).exists():
            assert time.monotonic() - ended_at < 600, "the queue does not drain"
            time.sleep(0.5)
        drained_sec = round(time.monotonic() - ended_at, 1)
        audit = audit_ledger()
    runs = Run.objects.count()
    completed = Run.objects.filter(status="COMPLETED").count()
    failures = sum(figures["failures"] for figures in stats.values())
    requests = sum(figures["requests"] for figures in stats.values())
    good = (
        audit.is_clean
        and failures <= requests // 1_000
        and all(stats[name]["p95_ms"] < 500 for name in ("GET", "POST"))
        and runs == completed
    )
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "users": options.users,
        "period_sec": options.period,
        "calls": stats,
        "success_percent": round(100 * (1 - failures / requests), 4),
        "runs": runs,
        "completed": completed,
        "drained_sec": drained_sec,
        "audit_clean": audit.is_clean,
        "good": good,
    }


def _new_agents(number: int) -> list[str]:
    from budget import ledger
    from dpp_project.money import Micros
    from runs.access import api_keys
    from runs.models import Tenant

    texts = []
    for index in range(number):
        tenant = Tenant.objects.create(tenant_id=f"agent-{index}", display_name="load")
        ledger.top_up(tenant.pk, Micros(10_000_000), reference=f"load:{index}")
        texts.append(api_keys.issue(tenant, label="load")[1])
    return texts


def _locust(port: int, environment: dict[str, str], options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    seconds = int(options.users / options.ramp) + options.hold
    print(f"{options.users} users, {options.ramp:.0f} a second, then {options.hold} s; {seconds} s in all", flush=True)
    command = [
        *(sys.executable, "-m", "locust", "-f", str(HERE / "agents.py"), "--headless", "--json"),
        *("--host", f"http://127.0.0.1:{port}", "--users", str(options.users), "--spawn-rate", str(options.ramp)),
        *("--run-time", f"{seconds}s", "--stop-timeout", "60", "--loglevel", "WARNING", "--exit-code-on-error", "0"),
    ]
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=False)
    return {entry["name"]: _figures(entry) for entry in json.loads(done.stdout[done.stdout.index("[") :])}


def _figures(entry: dict[str, Any]) -> dict[str, Any]:
    times = sorted((float(time), count) for time, count in entry["response_times"].items())
    return {
        "requests": entry["num_requests"],
        "failures": entry["num_failures"],
        **{f"p{percent}_ms": _percentile(times, entry["num_requests"], percent) for percent in (50, 95, 99)},
        "max_ms": round(entry["max_response_time"], 1),
    }


def _percentile(times: list[tuple[float, int]], total: int, percent: int) -> float:
    seen = 0
    for time_ms, count in times:
        seen += count
        if seen * 100 >= total * percent:
            return time_ms
    return 0.0


def _table(report: dict[str, Any]) -> str:
    lines = ["", "| call | requests | failures | p50 ms | p95 ms | p99 ms | max ms |", "|---|---|---|---|---|---|---|"]
    for name, figures in report["calls"].items():
        lines.append(f"| {name} | " + " | ".join(str(value) for value in figures.values()) + " |")
    lines += [
        "",
        f"{report['users']} users, {report['runs']} runs, {report['completed']} COMPLETED, "
        f"success {report['success_percent']} %, queue empty {report['drained_sec']} s after the last user, "
        f"audit {'clean' if report['audit_clean'] else 'NOT CLEAN'}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
