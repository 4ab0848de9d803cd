"""`make bench-fairness`: how long a tenant's first run takes alone, and beside another tenant's backlog.

Real servers and a real worker, started as `make up` does; the same run each time, from submit to COMPLETED, each by a
tenant of its own. Prints both, and their ratio, which must not pass two. Writes bench/results/fairness.json.
"""

import json
import statistics
import sys
import time
from pathlib import Path

from bench.embedded import embedded_stack

RESULT = Path(__file__).parent / "results" / "fairness.json"
FIRST_RUNS = 30
MOST_RATIO = 2.0


def main() -> None:
    backlog = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    with embedded_stack() as services:
        report = _measure(services.home, backlog)
    RESULT.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))
    if report["ratio"] > MOST_RATIO:
        raise SystemExit(1)


def _measure(home: Path, backlog: int) -> dict[str, float]:
    from bench.speed import servers
    from runs.models import Run
    from runs.states import Status
    from tests.builders import customer, submitted

    def first_run(name: str) -> float:
        """In milliseconds."""
        run = submitted(customer(name, budget="1.0000"))
        began = time.monotonic()
        while Run.objects.values_list("status", flat=True).get(pk=run.pk) != Status.COMPLETED:
            time.sleep(0.002)
        return (time.monotonic() - began) * 1000

    with servers.platform("worker", home):
        for number in range(8):
            first_run(f"warm-{number}")
        alone = [first_run(f"alone-{number}") for number in range(FIRST_RUNS)]
        busy = customer("busy", budget=f"{backlog}.0000")
        for _ in range(backlog):
            submitted(busy)
        waiting = Run.objects.filter(tenant=busy.tenant, status=Status.QUEUED)
        waiting_before = waiting.count()
        beside = []
        for number in range(FIRST_RUNS):
            beside.append(first_run(f"beside-{number}"))
            if not waiting.exists():
                raise SystemExit("The backlog was done before the first runs were: ask for a longer one.")
    return {
        "backlog_when_it_began": waiting_before,
        "backlog_when_it_ended": waiting.count(),
        "alone_median_ms": round(statistics.median(alone), 1),
        "beside_median_ms": round(statistics.median(beside), 1),
        "alone_p90_ms": round(statistics.quantiles(alone, n=10)[-1], 1),
        "beside_p90_ms": round(statistics.quantiles(beside, n=10)[-1], 1),
        "ratio": round(statistics.median(beside) / statistics.median(alone), 2),
    }


if __name__ == "__main__":
    main()
