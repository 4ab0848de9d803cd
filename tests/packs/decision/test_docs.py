"""The example of docs/packs-decision.md is what the pack says today."""

import json
import re
from pathlib import Path

from packs.decision import PACK
from tests.packs.llm.context import a_context

PAGE = Path(__file__).parents[3] / "docs" / "packs-decision.md"


def test_the_example_is_what_the_pack_answers() -> None:
    inputs, shown = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL))
    data = PACK.execute(inputs, a_context()).data
    assert shown
    for key, value in shown.items():
        assert data[key] == value, key
