"""`make bench-events` in small: every listener hears every step and its end, over constant connections to Redis."""

import json
import subprocess
import sys

from tests.processes import CLONE


def test_the_bench_of_the_gateway_runs() -> None:
    command = [sys.executable, "-m", "bench.events", "--listeners", "20", "--steps", "2"]
    done = subprocess.run(command, cwd=CLONE, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    heard = json.loads(done.stdout)
    assert (heard["answers"], heard["step_events"], heard["terminal_events"]) == ({"200": 20}, 40, 20)
    assert heard["redis_connections"]["end"] == heard["redis_connections"]["full"]


def test_the_bench_of_waiters_runs() -> None:
    command = [sys.executable, "-m", "bench.events", "--waiters", "--listeners", "20", "--steps", "1"]
    done = subprocess.run(command, cwd=CLONE, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert (told["terminal_events"], set(told["answers"])) == (20, {"200"})
