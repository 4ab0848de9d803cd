"""Rules of the house, executed; and for each a planted violation that shows it can fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.house_rules import (
    CLONE,
    OTHER_FLOATS,
    floats,
    handles_money,
    money_modules,
    pointer_escapes,
    state_writes,
)

_FOLDERS = ("runs", "budget", "storage", "packs")
_PRODUCT = [path for folder in _FOLDERS for path in sorted((CLONE / folder).rglob("*.py"))]


@pytest.mark.parametrize(("path", "source"), money_modules().items())
def test_no_float_touches_money(path: str, source: str) -> None:
    assert [found for found in floats(source) if found.scope not in OTHER_FLOATS.get(path, {})] == []


@pytest.mark.parametrize("path", OTHER_FLOATS)
def test_no_exception_outlives_its_float(path: str) -> None:
    assert set(OTHER_FLOATS[path]) == {found.scope for found in floats(money_modules()[path])}


@pytest.mark.parametrize(
    ("planted", "is_money"),
    [
        ("from dpp_project.money import ZERO, Micros", True),
        ("def f():\n    from dpp_project.money import Micros", True),
        ("Micros = NewType('Micros', int)", True),
        ("import dpp_project.profile", False),
    ],
)
def test_a_planted_money_module_is_found(planted: str, is_money: bool) -> None:
    assert handles_money(planted) is is_money


@pytest.mark.parametrize("planted", ["fee = 0.02 * reserved", "x: float = 1", "a = b / 100", "a /= 2", "round(c)"])
def test_a_planted_float_is_found(planted: str) -> None:
    assert list(floats(planted))


def test_only_the_transitions_module_writes_a_runs_state() -> None:
    found = {
        path.relative_to(CLONE).as_posix(): list(state_writes(path.read_text(encoding="utf-8")))
        for path in _PRODUCT
        if path != CLONE / "runs" / "lifecycle" / "transitions.py" and "migrations" not in path.parts
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "planted", ["Run.objects.filter(pk=1).update(status='FAILED')", "run.version += 1", "self.run.money_state = 'X'"]
)
def test_a_planted_state_write_is_found(planted: str) -> None:
    assert list(state_writes(planted))


def test_json_pointers_are_escaped_in_one_place() -> None:
    found = {
        path.relative_to(CLONE).as_posix(): list(pointer_escapes(path.read_text(encoding="utf-8"))) for path in _PRODUCT
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_planted_escape_is_found() -> None:
    assert list(pointer_escapes("token.replace('~', '~0')"))


def test_money_columns_are_bigint() -> None:
    from django.apps import apps

    columns = [
        field
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if getattr(field, "column", None) and str(getattr(field, "column", "")).endswith("_usd_micros")
    ]
    assert len(columns) >= 6
    assert {field.get_internal_type() for field in columns if hasattr(field, "get_internal_type")} == {
        "BigIntegerField"
    }


# One planted import per rule of `[tool.importlinter]`: its file, its line, and what the report must name.
_PLANTED_IMPORTS = [
    ("budget/planted.py", "import runs.lifecycle.submit", "budget.planted -> runs.lifecycle.submit"),
    ("runs/lifecycle/planted.py", "import runs.api.submission", "runs.lifecycle.planted -> runs.api.submission"),
    ("runs/events/planted.py", "import runs.lifecycle.queue", "runs.events.planted -> runs.lifecycle.queue"),
    ("runs/api/planted.py", "import runs.worker.meter", "runs.api.planted -> runs.worker.meter"),
    ("storage/planted.py", "import runs.states", "storage.planted -> runs.states"),
    ("budget/planted.py", "import storage.store", "budget.planted -> storage.store"),
    ("runs/planted.py", "", "- runs.planted"),
    ("runs/mcp/planted.py", "import tests.builders", "runs.mcp.planted -> tests"),
    ("packs/planted.py", "import django.db", "packs.planted -> django"),
    ("devstack/planted.py", "import dpp_project.settings", "devstack.planted -> dpp_project.settings"),
]


@pytest.fixture(scope="module")
def planted_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the import rules say of a copy of the tree with every planted import in it."""
    copy = tmp_path_factory.mktemp("planted")
    for folder in ("devstack", "dpp_project", *_FOLDERS):
        shutil.copytree(CLONE / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CLONE / "pyproject.toml", copy)
    for file, line, _ in _PLANTED_IMPORTS:
        with (copy / file).open("a", encoding="utf-8") as planted:
            planted.write(line + "\n")
    lint = Path(sys.executable).parent / "lint-imports"
    result = subprocess.run([lint, "--no-cache"], cwd=copy, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    return result.stdout


@pytest.mark.parametrize(("file", "line", "named"), _PLANTED_IMPORTS)
def test_a_planted_import_is_found(planted_report: str, file: str, line: str, named: str) -> None:
    assert named in planted_report
