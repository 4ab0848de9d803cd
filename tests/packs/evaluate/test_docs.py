"""The page of the eval pack shows the rubric and the example as they are."""

import json
from pathlib import Path
from typing import Any

from bench.packs.evaluate import rubric_table
from bench.packs.markers import read_between
from packs.evaluate import PACK
from tests.packs.compliance.context import remembering_context

PAGE = Path(__file__).parents[3] / "docs" / "packs-eval.md"
FRESH = "run: make bench-packs"


def example(name: str) -> Any:
    written = read_between(PAGE, name)
    assert written is not None
    return json.loads(written.removeprefix("```json\n").removesuffix("\n```"))


def test_the_rubric_table_is_fresh() -> None:
    assert read_between(PAGE, "rubric") == rubric_table(), FRESH


def test_the_worked_example_is_what_the_pack_answers() -> None:
    context, _ = remembering_context()
    assert example("eval-data") == PACK.execute(example("eval-inputs"), context).data, FRESH
