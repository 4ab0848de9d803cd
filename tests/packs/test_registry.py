"""A pack is added by one module and one line; here by the environment, in a process of its own."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from packs.base import Pack
from packs.registry import PACKS, load_packs
from packs.schema import input_errors
from runs.lifecycle.fetch_policy import url_refusal
from tests.probe_pack import PACK as PROBE


def test_a_pack_is_added_by_naming_it() -> None:
    packs = load_packs({"DPP_EXTRA_PACKS": "tests.probe_pack:PACK"})
    assert packs["probe"] is PROBE
    assert set(packs) == {*PACKS, "probe"}


@pytest.mark.parametrize(
    ("named", "complaint"),
    [("tests.probe_pack:NOTHING", "is not a Pack"), ("tests.probe_pack:PACK,tests.probe_pack:PACK", "already a pack")],
)
def test_nonsense_is_refused_at_start(named: str, complaint: str) -> None:
    with pytest.raises(SystemExit, match=complaint):
        load_packs({"DPP_EXTRA_PACKS": named})


@pytest.mark.parametrize("name", sorted(PACKS))
def test_every_schema_is_valid_and_closed(name: str) -> None:
    errors = input_errors(PACKS[name], {"no_such_field": 1}, url_refusal)
    assert errors, "an unknown field must be refused"
    assert all(error.pointer.startswith("/inputs") for error in errors)


def test_every_pack_has_the_same_files() -> None:
    folder_of = {name: Path("packs") / ("evaluate" if name == "eval" else name) for name in PACKS}
    wanted = {"__init__.py", "pack.py", "schema.py", "execute.py", "result.py"}
    root = Path(__file__).parents[2]
    missing = {name: wanted - {file.name for file in (root / folder).iterdir()} for name, folder in folder_of.items()}
    assert {name: files for name, files in missing.items() if files} == {}


def test_the_pack_that_the_docs_show_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "packs.md").read_text(encoding="utf-8")
    module: dict[str, Any] = {}
    exec(textwrap.dedent(re.findall(r"^   ```python\n(.*?)^   ```", page, re.MULTILINE | re.DOTALL)[0]), module)
    pack = module["PACK"]
    assert isinstance(pack, Pack)
    assert set(pack.estimate({"text": "x"}).worst) <= set(pack.prices)


def test_errors_point_into_the_request() -> None:
    errors = input_errors(PACKS["decision"], {"question": "?", "options": ["only one"]}, url_refusal)
    assert "/inputs/options" in {error.pointer for error in errors}
