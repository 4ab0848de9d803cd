"""docs/packs-ocr.md shows the profiles as they are, and figures for every class and profile there is."""

import re
from pathlib import Path

from packs.ocr.profiles import PROFILES, VERSION
from packs.ocr.table import profile_table
from tests.packs.ocr.corpus import CLASSES

PAGE = (Path(__file__).parents[3] / "docs" / "packs-ocr.md").read_text(encoding="utf-8")


def between(name: str) -> str:
    match = re.search(f"<!-- {name}:begin -->\n(.*?)\n<!-- {name}:end -->", PAGE, re.DOTALL)
    assert match, f"the page has no part called {name}"
    return match[1]


def test_the_profile_table_is_fresh() -> None:
    assert between("profiles") == profile_table(), "run: python -m packs.ocr.table"


def test_the_figures_are_of_these_profiles_and_no_class_is_worse_than_the_bare_engine() -> None:
    figures = between("accuracy")
    assert f"profiles {VERSION}" in figures, "run: make bench-ocr"
    first = figures.split("Character error rate")[1].split("\n\n")[1].splitlines()
    header = [cell.strip() for cell in first[0].strip("|").split("|")]
    assert header == ["class", "bare engine", *PROFILES]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in first[2:]]
    assert [row[0] for row in rows] == list(CLASSES), "run: make bench-ocr"
    for name, bare, *ours in rows:
        for profile, rate in zip(PROFILES, ours, strict=True):
            assert float(rate.rstrip("%")) <= float(bare.rstrip("%")), f"{profile} on {name}"
