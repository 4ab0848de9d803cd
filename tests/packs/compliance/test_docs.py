"""The documentation shows the rules, the rubric and the examples as they are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from packs.base import Pack
from packs.compliance import PACK as COMPLIANCE
from tests.packs.compliance.context import remembering_context
from tests.packs.compliance.rule_table import rule_table

PAGE = (Path(__file__).parents[3] / "docs" / "packs-compliance.md").read_text(encoding="utf-8")


def between(name: str) -> str:
    match = re.search(f"<!-- {name}:begin -->\n(.*?)\n<!-- {name}:end -->", PAGE, re.DOTALL)
    assert match, f"the page has no part called {name}"
    return match[1]


def example(name: str) -> Any:
    return json.loads(between(name).removeprefix("```json\n").removesuffix("\n```"))


def test_the_rule_table_is_fresh() -> None:
    assert between("rules") == rule_table(), "run: python -m tests.packs.compliance.rule_table"


@pytest.mark.parametrize("pack", [COMPLIANCE], ids=lambda pack: pack.name)
def test_the_worked_example_is_what_the_pack_answers(pack: Pack) -> None:
    context, _ = remembering_context()
    data = pack.execute(example(f"{pack.name}-inputs"), context).data
    if "rules_sha256" in data.get("summary", {}):
        data["summary"]["rules_sha256"] = "…"  # changes with every edit of a rule file
    data["policies_applied"] = [
        each for each in data["policies_applied"] if each["result"] == "met"
    ]  # the page is short
    assert example(f"{pack.name}-data") == data
