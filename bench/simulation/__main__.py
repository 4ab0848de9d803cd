"""`make simulate`: the platform as a discrete-event simulation: checked against measured points, then made larger.

With `--measure` the points are measured first (two minutes); without, those of bench/results/simulation.json are taken.
Writes its part of docs/capacity.md.
"""

import argparse
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench.simulation.machine import is_quiet, others_of
from bench.simulation.predictions import check, check_idle, predict
from bench.simulation.report import show, write_docs

RESULTS = Path(__file__).resolve().parent.parent / "results" / "simulation.json"
# What idle cores did, and what a run took of them: kept for as long as no measurement was undisturbed.
IDLE = RESULTS.with_name("simulation-idle.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each load of submits and polls")
    parser.add_argument("--runs", type=int, default=400, help="worked off by the worker")
    parser.add_argument(
        "--points", type=Path, help="measure into this file, or take it, and only show what comes of it"
    )
    options = parser.parse_args()
    if options.measure:
        from bench.embedded import embedded_stack

        with embedded_stack(durable=True) as services:
            from bench.simulation.calibration import measured

            points = measured(services.home, options.seconds, options.runs)
        if options.points:
            options.points.write_text(json.dumps({"points": points}))
    else:
        points = json.loads((options.points or RESULTS).read_text())["points"]
    idle = json.loads(IDLE.read_text())
    found = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "points": points,
        "others": {name: round(others_of(point), 1) for name, point in points.items()},
        "checked": [asdict(row) for row in check(points)],
        "idle": [asdict(row) for row in check_idle(idle)],
        "sizes": []
        if options.points
        else [asdict(size) for size in predict(points if is_quiet(points) else idle["points"])],
    }
    print(show(found))
    if options.points:
        return
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    write_docs(found)


if __name__ == "__main__":
    main()
