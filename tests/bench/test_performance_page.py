"""docs/performance.md tells what the last `make bench` found."""

import json
from pathlib import Path

from bench.speed.report import Row, Section, show

CLONE = Path(__file__).resolve().parents[2]


def test_the_page_shows_the_newest_results_and_no_empty_table() -> None:
    found = json.loads((CLONE / "bench" / "results" / "speed.json").read_text())
    sections = [
        Section(name, [Row(**row) for row in values["rows"]], values["notes"])
        for name, values in found["sections"].items()
    ]
    page = (CLONE / "docs" / "performance.md").read_text()

    assert f"Measured {found['at']} " in page
    assert show(sections) in page
    assert "|---|---|---|---|---|---|\n\n" not in page
