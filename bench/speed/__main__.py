"""`make bench`: the platform beside its floor and its plain peers, on this machine, in one run.

Prints ratios with the absolute figures beside them, writes bench/results/ and docs/performance.md.
"""

import argparse
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from bench.embedded import embedded_stack
from bench.speed.report import show, write_docs

RESULTS = Path(__file__).resolve().parent.parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of every comparison; the middle one counts")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long a turn of requests lasts")
    parser.add_argument("--runs", type=int, default=400, help="runs of a turn of the pipeline")
    parser.add_argument("--grown", type=int, default=1_000_000, help="runs in the table for the growth")
    parser.add_argument("--tenants", type=int, default=100_000, help="tenants in the books for the growth of tenants")
    parser.add_argument("--only", nargs="*", default=[], help="submit poll pipeline crowd growth tenants footprint")
    options = parser.parse_args()
    # As `make up` runs: commits wait for the disk.
    with embedded_stack(durable=True) as services:
        from bench.speed.sections import SECTIONS

        wanted = options.only or list(SECTIONS)
        sections = [SECTIONS[name](services.home, options) for name in wanted]
    found = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()},
        "load_average_at_the_end": [round(value, 1) for value in os.getloadavg()],
        "sections": {section.name: section.figures() for section in sections},
    }
    print(show(sections))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "speed.json").write_text(json.dumps(found, indent=2) + "\n")
    if not options.only:
        write_docs(found, sections)


if __name__ == "__main__":
    main()
