"""docs/packs-url.md shows reasons, tiers and prices as they are, and every field of the inputs."""

import re
from pathlib import Path

from dpp_project.profile import PROFILE
from packs.url import PACK
from packs.url.reading import MAX_PDF_PAGES, MAX_TEXT_CHARS
from tests.packs.url.tables import price_table, reason_table, tier_table

PAGE = (Path(__file__).parents[3] / "docs" / "packs-url.md").read_text(encoding="utf-8")


def between(name: str) -> str:
    match = re.search(f"<!-- {name}:begin -->\n(.*?)\n<!-- {name}:end -->", PAGE, re.DOTALL)
    assert match, f"the page has no part called {name}"
    return match[1]


def test_the_tables_are_fresh() -> None:
    shown = between("reasons"), between("tiers"), between("prices")
    assert shown == (reason_table(), tier_table(), price_table()), "run: python -m tests.packs.url.tables"


def test_every_field_of_the_inputs_is_explained() -> None:
    explained = PAGE.split("## What goes in")[1].split("## What comes out")[0]
    fields = [name for name in PACK.input_schema["properties"] if name != "gates"]
    fields += [f"gates.{name}" for name in PACK.input_schema["properties"]["gates"]["properties"]]
    assert [name for name in fields if f"`{name}`" not in explained] == []


def test_the_numbers_of_the_profile_are_told_right() -> None:
    assert f"dated before {PROFILE.fresh_since_year} are stale" in PAGE
    assert f"at most {PROFILE.quote_max_words} words" in PAGE
    assert f"1 to {PROFILE.max_urls_per_run} absolute https addresses" in PAGE
    assert f"the first {MAX_TEXT_CHARS:,} characters" in PAGE
    assert f"the first {MAX_PDF_PAGES} pages" in PAGE
