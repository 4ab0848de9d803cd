"""3,000 listeners on one gateway process: who gets what, how late, at which price. `make bench-events`.

With `--waiters` the same number of callers of `?wait=25&until=end`, who want one answer and no stream.

Starts its own PostgreSQL, Valkey and SQS/S3 server. Listeners, gateway and publisher are processes of their own, all
on this machine: the latencies contain their fight for its cores.
"""

import argparse
import asyncio
import io
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_APPLICATION = "dpp_project.asgi:application"
SERVERS = {
    "uvicorn": ("uvicorn", _APPLICATION, "--lifespan", "on", "--no-access-log", "--backlog", "4096"),
    "granian": (
        *("granian", "--interface", "asgi", _APPLICATION, "--no-ws", "--no-access-log"),
        *("--backlog", "4096", "--backpressure", "4096"),
    ),
}


class Listener(asyncio.Protocol):
    """One HTTP connection that notes when each event came."""

    def __init__(self, request: bytes, report: "Report") -> None:
        self.request = request
        self.report = report
        self.rest = b""
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        now = time.time()
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"HTTP/1.1 "):
                self.report.answers[line[9:12].decode()] = self.report.answers.get(line[9:12].decode(), 0) + 1
            elif line.startswith(b"data: "):
                self._heard(json.loads(line[6:]), now)

    def _heard(self, body: dict[str, Any], now: float) -> None:
        told_at = datetime.fromisoformat(body["at"]).timestamp()
        if body["stage"] == "queued":
            self.report.joined += 1
        elif body["stage"] == "done":
            self.report.ends_ms.append((now - told_at) * 1000)
            self._finish()
        elif "step" in body:
            self.report.steps_ms.append((now - told_at) * 1000)

    def connection_lost(self, error: Exception | None) -> None:
        self._finish()

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Report:
    def __init__(self) -> None:
        self.answers: dict[str, int] = {}
        self.joined = 0
        self.steps_ms: list[float] = []
        self.ends_ms: list[float] = []
        self.said = (0, time.monotonic())

    def say_if_stuck(self) -> None:
        joined, since = self.said
        if joined != self.joined:
            self.said = (self.joined, time.monotonic())
        elif time.monotonic() - since > 10:
            raise SystemExit(f"no listener joined for 10 s: {self.joined} have, answers {self.answers}")


async def listen(port: int, api_key: str, run_ids: list[str], at_once: int) -> None:
    """The listeners' process: connect all, say so, wait for all ends, report."""
    report = Report()
    loop = asyncio.get_running_loop()
    listeners: list[Listener] = []
    began = time.monotonic()
    for number, run_id in enumerate(run_ids):
        request = (
            f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {api_key}\r\n\r\n"
        ).encode()
        while number - report.joined >= at_once:
            report.say_if_stuck()
            await asyncio.sleep(0.01)

        def make(request: bytes = request) -> Listener:
            return Listener(request, report)

        _, listener = await loop.create_connection(make, "127.0.0.1", port)
        listeners.append(listener)
    while report.joined < len(run_ids):
        await asyncio.sleep(0.05)
    print(json.dumps({"connected_sec": round(time.monotonic() - began, 1), "answers": report.answers}), flush=True)
    await _all_ended(listeners, report)
    print(
        json.dumps(
            {
                "answers": report.answers,
                "step_events": len(report.steps_ms),
                "terminal_events": len(report.ends_ms),
                "step_latency_ms": _percentiles(report.steps_ms),
                "terminal_latency_ms": _percentiles(report.ends_ms),
            }
        ),
        flush=True,
    )


async def wait(port: int, api_key: str, run_ids: list[str], at_once: int) -> None:
    """The waiters' process: each asks until its run has ended, as the guides say. Reports as `listen` does."""
    report = Report()
    asking = asyncio.Semaphore(at_once)
    waiting = 0

    async def ask(run_id: str) -> None:
        nonlocal waiting
        request = (
            f"GET /v1/runs/{run_id}?wait=25&until=end HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {api_key}\r\n\r\n"
        ).encode()
        async with asking:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            # The first look at the row and the joining: a new caller is let in when this one waits.
            await asyncio.sleep(0.15)
            waiting += 1
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            body = await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
            now, status = time.time(), head[9:12]
            report.answers[status] = report.answers.get(status, 0) + 1
            run = json.loads(body)
            if status == "200" and run["status"] not in ("QUEUED", "PROCESSING"):
                report.ends_ms.append((now - datetime.fromisoformat(run["meta"]["updated_at"]).timestamp()) * 1000)
                writer.close()
                return
            if status != "200":
                await asyncio.sleep(1.5)
            writer.write(request)

    began = time.monotonic()
    tasks = [asyncio.create_task(ask(run_id)) for run_id in run_ids]
    while waiting < len(run_ids):
        await asyncio.sleep(0.05)
    print(json.dumps({"connected_sec": round(time.monotonic() - began, 1)}), flush=True)
    await asyncio.wait(tasks)
    for task in tasks:
        task.result()
    told = {"answers": report.answers, "terminal_latency_ms": _percentiles(report.ends_ms)}
    print(json.dumps({**told, "terminal_events": len(report.ends_ms)}), flush=True)


async def _all_ended(listeners: list[Listener], report: Report) -> None:
    """Or nothing has come for so long that nothing will."""
    waiting = {listener.done for listener in listeners}
    heard = -1
    while waiting and heard != len(report.steps_ms) + len(report.ends_ms):
        heard = len(report.steps_ms) + len(report.ends_ms)
        _, waiting = await asyncio.wait(waiting, timeout=30, return_when=asyncio.ALL_COMPLETED)


def _percentiles(values: list[float]) -> dict[str, float]:
    if len(values) < 2:
        return {}
    cuts = statistics.quantiles(values, n=100)
    return {
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(max(values), 1),
    }


class Gateway:
    def __init__(self, server: str, port: int) -> None:
        self.port = port
        self.log = open(".dpp-test/bench-gateway.log", "wb")  # noqa: SIM115
        self.child = subprocess.Popen(
            [sys.executable, "-m", *SERVERS[server], "--host", "127.0.0.1", "--port", str(port)],
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def wait_ready(self) -> None:
        import urllib.request

        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=1)
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the gateway did not start")

    def resident_kib(self) -> int:
        """Of the process that holds the listeners (granian puts it below a parent)."""
        found = subprocess.run(
            ["ps", "-o", "rss=", "-g", str(self.child.pid)], capture_output=True, text=True, check=True
        )
        return max(int(line) for line in found.stdout.split())

    def cpu_sec(self) -> float:
        total = 0.0
        pids = subprocess.run(
            ["ps", "-o", "pid=", "-g", str(self.child.pid)], capture_output=True, text=True, check=True
        )
        for pid in pids.stdout.split():
            values = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")
        return total

    def stop(self) -> float:
        began = time.monotonic()
        self.child.terminate()
        try:
            self.child.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        return time.monotonic() - began


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from tests.plugin import SERVICES

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")
    SERVICES.start()
    try:
        import django

        django.setup()
        return _measure(options, SERVICES.valkey.port + 1000)
    finally:
        SERVICES.stop()


def _measure(options: argparse.Namespace, port: int) -> dict[str, Any]:
    from django.core.management import call_command

    from dpp_project.redis import client
    from runs.events.progress import Steps

    call_command("setup_database", verbosity=0, stdout=io.StringIO())
    _say(f"creating {options.listeners} runs")
    api_key, runs = _runs(options.listeners)
    gateway = Gateway(options.server, port)
    listeners: subprocess.Popen[str] | None = None
    try:
        gateway.wait_ready()
        empty_kib, idle_redis = gateway.resident_kib(), client().info("clients")["connected_clients"]
        listeners = subprocess.Popen(
            [sys.executable, __file__, "--listen", str(port), *(["--waiters"] if options.waiters else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert listeners.stdin
        assert listeners.stdout
        listeners.stdin.write(json.dumps({"api_key": api_key, "runs": [str(run.pk) for run in runs]}))
        listeners.stdin.close()
        _say(f"connecting {options.listeners} listeners to {options.server}")
        connected = json.loads(listeners.stdout.readline())
        _say(f"connected in {connected['connected_sec']} s; publishing {options.rate} events/s")
        full_kib, busy_redis = gateway.resident_kib(), client().info("clients")["connected_clients"]
        cpu, began = gateway.cpu_sec(), time.monotonic()
        rate = _publish_steps([Steps(run) for run in runs], options.steps, options.rate)
        cpu_share = (gateway.cpu_sec() - cpu) / (time.monotonic() - began)
        _say("ending all runs")
        ending_at = time.monotonic()
        _end(runs)
        ended_per_sec = round(len(runs) / (time.monotonic() - ending_at))
        heard = json.loads(listeners.stdout.readline())
        redis_after, end_kib = client().info("clients")["connected_clients"], gateway.resident_kib()
    finally:
        if listeners is not None:
            listeners.kill()
        stopped_sec = gateway.stop()
    return {
        "server": options.server,
        "listeners": options.listeners,
        "connected_sec": connected["connected_sec"],
        "published_per_sec": rate,
        "ended_per_sec": ended_per_sec,
        "gateway_cpu_share": round(cpu_share, 2),
        **heard,
        "rss_mib": {"empty": empty_kib // 1024, "full": full_kib // 1024, "end": end_kib // 1024},
        "kib_per_listener": round((full_kib - empty_kib) / options.listeners, 1),
        "redis_connections": {"idle": idle_redis, "full": busy_redis, "end": redis_after},
        "stopped_sec": round(stopped_sec, 1),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _runs(count: int) -> tuple[str, list[Any]]:
    from dpp_project.money import parse_usd
    from runs.access.tenants import seed
    from runs.lifecycle import transitions
    from runs.lifecycle.submit import _new_payload, _new_run
    from runs.models import Plan, Tenant
    from tests.builders import fresh_key, request

    seeded = seed("bench", budget=parse_usd(str(count)), with_key=True)
    assert seeded.api_key
    Tenant.objects.update(plan=Plan.objects.create(name="bench", poll_rate_per_min=1_000_000))
    runs = []
    for _ in range(count):
        run = _new_run(seeded.tenant, request(), key=fresh_key(), trace_id=uuid4().hex, now=datetime.now(UTC))
        transitions.create(run, _new_payload(run, request()))
        runs.append(run)
    return seeded.api_key, runs


def _publish_steps(steps: list[Any], count: int, rate: int) -> int:
    """Each run's steps in turn, at a steady rate. Returns what was reached."""
    began = time.monotonic()
    told = 0
    for number in range(count):
        for step in steps:
            step.publish("bench", (number + 1) / (count + 1), {"n": number})
            told += 1
            ahead = began + told / rate - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
    return round(told / (time.monotonic() - began))


def _end(runs: list[Any]) -> None:
    """The real edges, as fast as they go. Without Redis' part of the money: it is not what is measured."""
    from runs.lifecycle import transitions
    from runs.lifecycle.outcomes import never_started
    from runs.states import Actor, Reason

    for run in runs:
        transitions.claim_queued(run, never_started(Reason.RESERVATION_EXPIRED, "bench"), actor=Actor.SWEEPER)
        transitions.commit(run, actor=Actor.SWEEPER)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", choices=SERVERS, default="uvicorn")
    parser.add_argument("--listeners", type=int, default=3_000)
    parser.add_argument("--waiters", action="store_true", help="callers of ?wait=25&until=end instead of listeners")
    parser.add_argument("--steps", type=int, default=4, help="events of each run before its end")
    parser.add_argument("--rate", type=int, default=500, help="events published a second")
    parser.add_argument("--listen", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    # Ended from outside, it still ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.listen:
        given = json.load(sys.stdin)
        play = wait if options.waiters else listen
        asyncio.run(play(options.listen, given["api_key"], given["runs"], at_once=50))
    else:
        print(json.dumps(measure(options), indent=2))


if __name__ == "__main__":
    main()
