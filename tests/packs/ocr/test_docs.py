"""docs/packs-ocr.md shows the profiles as they are, and figures for every class and profile there is."""

import re
from pathlib import Path

import pytest

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


def rows_under(title: str) -> list[list[str]]:
    table = between("accuracy").split(title)[1].split("\n\n")[1].splitlines()
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in (table[0], *table[2:])]
    assert rows[0] == ["class", "bare engine", *PROFILES]
    assert [row[0] for row in rows[1:]] == list(CLASSES), "run: make bench-ocr"
    return rows[1:]


def test_the_figures_are_of_these_profiles() -> None:
    assert f"profiles {VERSION}" in between("accuracy"), "run: make bench-ocr"


@pytest.mark.parametrize("title", ["Character error rate, blanks not counted", "With spaces and line breaks counted"])
def test_no_profile_is_worse_than_the_bare_engine_on_any_class(title: str) -> None:
    rows = rows_under(title)
    assert [name for name, bare, *ours in rows if any(_percent(rate) > _percent(bare) for rate in ours)] == []


def test_no_profile_drops_a_line_silently() -> None:
    rows = rows_under("Lines of which")
    dropped = {name: [cell for cell in ours if not cell.endswith("(0)")] for name, _, *ours in rows}
    assert {name: cells for name, cells in dropped.items() if cells} == {}


def _percent(text: str) -> float:
    return float(text.rstrip("%"))
