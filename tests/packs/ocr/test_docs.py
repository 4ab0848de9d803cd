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


def test_the_figures_are_of_these_profiles_and_every_class_where_we_are_worse_is_named() -> None:
    figures = between("accuracy")
    assert f"profiles {VERSION}" in figures, "run: make bench-ocr"
    first = figures.split("Character error rate")[1].split("\n\n")[1].splitlines()
    header = [cell.strip() for cell in first[0].strip("|").split("|")]
    assert header == ["class", "bare engine", *PROFILES]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in first[2:]]
    assert [row[0] for row in rows] == list(CLASSES), "run: make bench-ocr"
    worse = [name for name, bare, *ours in rows if any(_percent(rate) > _percent(bare) for rate in ours)]
    named = re.search(r"The bare engine is still better on: ([a-z_, ]+)\.", PAGE)
    assert (named[1].split(", ") if named else []) == worse
    assert len(worse) * 4 < len(rows), "better on most classes, or the pack is not worth its price"


def _percent(text: str) -> float:
    return float(text.rstrip("%"))
