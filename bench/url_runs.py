"""What a url run costs the worker that executes it: `python -m bench.url_runs [RUNS]`, each of two documents kept warm.

The runs wait in the queue before the worker starts its first, so nobody submits or polls meanwhile. Processor time is
of all servers, so the figures hold on a busy machine too; runs a second are of this machine alone.
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.embedded import embedded_stack

TENANTS, DOCUMENTS_OF_A_RUN, FIRST_RUNS = 20, 2, 16
_TICKS_PER_SEC = os.sysconf("SC_CLK_TCK")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with embedded_stack(durable=True) as services:
        print(json.dumps(_measure(services.home, runs), indent=2))


def _measure(home: Path, runs: int) -> dict[str, Any]:
    from django.conf import settings

    from bench.load.__main__ import _warm
    from bench.load.sites import Sites
    from bench.speed import servers
    from runs.models import Run
    from tests.builders import customer
    from tests.packs.fetch.zoo import open_zoo
    from tests.packs.fetch.zoo_web import settings_of, web_of

    with open_zoo() as zoo:
        sites = Sites(zoo, settings.FETCH_HOST_SLOTS)
        web = settings_of(web_of(zoo, home))
        _warm(home, sites.hot, web)
        tenants = [customer(f"reader-{number}", budget="1000.0000") for number in range(TENANTS)]
        with servers.platform("worker-fetch", home, application="tests.zoo_worker", **web) as worker:
            # Every child of the worker has had a run before the clock starts.
            _submit(tenants, sites.hot, FIRST_RUNS)
            _wait_until_ended()
            worker.stop()
            _submit(tenants, sites.hot, runs)
            before, began = _processor_sec(worker.pids), time.monotonic()
            worker.go_on()
            _wait_until_ended()
            took, after = time.monotonic() - began, _processor_sec(worker.pids)
    completed = Run.objects.filter(status="COMPLETED").count()
    assert completed == runs + FIRST_RUNS, f"{completed} of {runs + FIRST_RUNS} runs were completed"
    each = {name: round(1000 * (after[name] - before[name]) / runs, 1) for name in sorted(after)}
    return {
        "runs": runs,
        "runs_a_second": round(runs / took, 1),
        "processor_ms_a_run": {**each, "all": round(sum(each.values()), 1)},
        "load_average": os.getloadavg()[0],
    }


def _submit(tenants: list[Any], urls: list[str], runs: int) -> None:
    from bench.load.sites import QUESTION
    from tests.builders import submitted

    for number in range(runs):
        first = number * DOCUMENTS_OF_A_RUN % len(urls)
        asked = (urls[first:] + urls)[:DOCUMENTS_OF_A_RUN]
        inputs = {"urls": asked, "decision_question": QUESTION}
        submitted(tenants[number % len(tenants)], pack_type="url", inputs=inputs, min_reliability_score=0.1)


def _wait_until_ended() -> None:
    from runs.models import Run

    while Run.objects.filter(status__in=("QUEUED", "PROCESSING")).exists():
        time.sleep(0.05)


def _processor_sec(worker: list[int]) -> Counter[str]:
    """Since the start: of the worker, of the readers it started, of the other servers."""
    from bench.processor_time import sec_by_server

    found: Counter[str] = Counter()
    for name, seconds in sec_by_server().items():
        if name != "celery":
            found[name] += seconds  # type: ignore[assignment]
    for pid in _with_descendants(worker):
        own, ended_children = _own_and_ended(pid)
        is_reader = "packs.sandbox" in _command(pid)
        found["readers" if is_reader else "worker"] += own  # type: ignore[assignment]
        found["readers"] += ended_children  # type: ignore[assignment]
    return found


def _with_descendants(pids: list[int]) -> set[int]:
    parents = {int(entry.name): _parent(int(entry.name)) for entry in Path("/proc").glob("[0-9]*")}
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 40


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _own_and_ended(pid: int) -> tuple[float, float]:
    user, system, user_of_ended, system_of_ended = (int(value) / _TICKS_PER_SEC for value in _stat(pid)[11:15])
    return user + system, user_of_ended + system_of_ended


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
