"""Rules of the house, executed; and for each a planted violation that shows it can fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.house_rules import CLONE, MONEY_MODULES, floats, state_writes

_FOLDERS = ("runs", "budget", "storage", "packs")
_PRODUCT = [path for folder in _FOLDERS for path in sorted((CLONE / folder).rglob("*.py"))]


@pytest.mark.parametrize("path", MONEY_MODULES, ids=lambda path: path.relative_to(CLONE).as_posix())
def test_no_float_touches_money(path: Path) -> None:
    assert list(floats(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("planted", ["fee = 0.02 * reserved", "x: float = 1", "a = b / 100", "a /= 2", "round(c)"])
def test_a_planted_float_is_found(planted: str) -> None:
    assert list(floats(planted))


def test_only_the_transitions_module_writes_a_runs_state() -> None:
    found = {
        path.relative_to(CLONE).as_posix(): list(state_writes(path.read_text(encoding="utf-8")))
        for path in _PRODUCT
        if path != CLONE / "runs" / "transitions.py" and "migrations" not in path.parts
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "planted", ["Run.objects.filter(pk=1).update(status='FAILED')", "run.version += 1", "self.run.money_state = 'X'"]
)
def test_a_planted_state_write_is_found(planted: str) -> None:
    assert list(state_writes(planted))


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


def test_a_planted_upward_import_is_found(tmp_path: Path) -> None:
    for folder in ("dpp_project", "runs", "budget", "packs", "storage"):
        shutil.copytree(CLONE / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CLONE / "pyproject.toml", tmp_path)
    (tmp_path / "budget" / "planted.py").write_text("import runs.submit\n", encoding="utf-8")
    lint = Path(sys.executable).parent / "lint-imports"
    result = subprocess.run([lint, "--no-cache"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "budget.planted -> runs.submit" in result.stdout
