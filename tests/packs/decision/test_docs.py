"""The example of docs/packs-decision.md is what the pack says today."""

import json
import re
from pathlib import Path

import pytest

from packs.decision import PACK
from tests.packs.llm.context import a_context

PAGE = Path(__file__).parents[3] / "docs" / "packs-decision.md"


def test_the_example_is_what_the_pack_answers() -> None:
    inputs, shown = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL))
    data = PACK.execute(inputs, a_context()).data
    assert shown
    for key, value in shown.items():
        assert data[key] == value, key


@pytest.mark.parametrize("page", ["README.md", "README.ko.md"])
def test_the_first_example_of_the_readme_gets_a_real_decision(page: str) -> None:
    text = (Path(__file__).parents[3] / page).read_text(encoding="utf-8")
    (body,) = re.findall(r"-d '(\{.*?\})'", text, re.DOTALL)
    request = json.loads(body)
    data = PACK.execute(request["inputs"], a_context()).data
    assert data["recommendation"]["option"] == "Beta"
    assert [row["option"] for row in data["excluded"]] == ["Alpha"]
    assert data["reliability"]["score"] >= 0.75
