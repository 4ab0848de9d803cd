"""docs/packs-ocr.md shows the profiles as they are, and figures on real pages of these profiles."""

import re
from pathlib import Path

from packs.ocr.profiles import VERSION
from tests.packs.ocr.profile_table import profile_table

PAGE = (Path(__file__).parents[3] / "docs" / "packs-ocr.md").read_text(encoding="utf-8")


def between(name: str) -> str:
    match = re.search(f"<!-- {name}:begin -->\n(.*?)\n<!-- {name}:end -->", PAGE, re.DOTALL)
    assert match, f"the page has no part called {name}"
    return match[1]


def test_the_profile_table_is_fresh() -> None:
    assert between("profiles") == profile_table(), "run: python -m tests.packs.ocr.profile_table"


def test_the_figures_on_real_pages_are_of_these_profiles() -> None:
    assert f"profiles {VERSION}" in between("real"), "run: make bench-ocr REAL=folder"
    header = between("real").split("\n\n")[1].splitlines()[0]
    assert header.startswith("| pages | bare engine | P1 |")
