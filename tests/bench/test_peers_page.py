"""docs/performance.md tells what the last `make bench-peers` found, and every peer's packages are pinned."""

import json
import re
from pathlib import Path

import pytest

from bench.peers.report import show

CLONE = Path(__file__).resolve().parents[2]


def test_the_page_shows_the_newest_results_of_the_peers() -> None:
    found = json.loads((CLONE / "bench" / "results" / "peers.json").read_text())
    assert show(found) in (CLONE / "docs" / "performance.md").read_text()


@pytest.mark.parametrize("peer", ["dbos", "prefect", "procrastinate"])
def test_the_page_names_the_versions_that_are_installed(peer: str) -> None:
    locked = (CLONE / "bench" / "peers" / f"{peer}.txt").read_text()
    version = re.findall(rf"^{peer}==(\d+\.\d+)\.", locked, re.MULTILINE)
    assert len(version) == 1
    page = (CLONE / "docs" / "performance.md").read_text()
    assert re.search(rf"\[{peer}\]\([^)]*\)\s{version[0]}\b", page, re.IGNORECASE)
