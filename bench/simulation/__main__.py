"""`make simulate`: the platform as a discrete-event simulation: checked against measured points, then made larger.

With `--measure` the points are measured first (two minutes); without, those of bench/results/simulation.json are taken.
Writes its part of docs/capacity.md.
"""

import argparse
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench.simulation.predictions import check, predict
from bench.simulation.report import show, write_docs

RESULTS = Path(__file__).resolve().parent.parent / "results" / "simulation.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--runs", type=int, default=240)
    options = parser.parse_args()
    if options.measure:
        from bench.embedded import embedded_stack

        with embedded_stack(durable=True) as services:
            from bench.simulation.calibration import measured

            points = measured(services.home, options.seconds, options.runs)
    else:
        points = json.loads(RESULTS.read_text())["points"]
    found = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "points": points,
        "checked": [asdict(row) for row in check(points)],
        "sizes": [asdict(size) for size in predict(points)],
    }
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(show(found))
    write_docs(found)


if __name__ == "__main__":
    main()
