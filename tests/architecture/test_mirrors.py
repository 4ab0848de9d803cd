"""Tests mirror the source: each folder of the product has a folder of tests, or is named here with what tests it."""

from pathlib import Path

import pytest

from tests.architecture.house_rules import CLONE

_ROOTS = ("devstack", "dpp_project", "runs", "budget", "packs", "storage")

# Folders without a mirror: what tests them instead, and why it is there.
ELSEWHERE = {
    "packs/decision/conditions": ("tests/packs/decision", "conditions are tested by what they decide"),
    "packs/ocr/reading": ("tests/packs/ocr", "pages are read as the pack reads them"),
    "runs": ("tests/runs/lifecycle/test_transitions.py", "states are tested by the edges between them"),
    "runs/api/openapi": ("tests/api/test_openapi.py", "one document, one module of tests"),
    "runs/api/serializers": ("tests/api/test_submit.py", "shapes are tested as callers meet them"),
    "runs/documents": ("tests/cache", "cache levels and flights are tested together with packs/cache"),
    "runs/gateway": ("tests/events/test_gateway.py", "streams are tested with the events they carry"),
    "runs/jobs": ("tests/race/test_jobs.py", "jobs exist for races, and are tested against them"),
    "runs/management/commands": ("tests/runs/management", "commands parse, call and print"),
    "runs/models": ("tests/runs/lifecycle/test_transitions.py", "constraints are tested by what they refuse"),
    "runs/reports": ("tests/api/test_list_runs.py", "questions are tested where they are asked: API, admin, commands"),
}


def source_folders(root: Path) -> set[str]:
    return {
        path.parent.relative_to(root).as_posix()
        for name in _ROOTS
        for path in (root / name).rglob("*.py")
        if path.name != "__init__.py" and "migrations" not in path.parts
    }


def mirror(folder: str) -> Path | None:
    """`tests/runs/api`, or `tests/api` for the larger parts of `runs` and `packs`."""
    for candidate in (CLONE / "tests" / folder, CLONE / "tests" / folder.partition("/")[2]):
        if candidate != CLONE / "tests" and any(candidate.glob("test_*.py")):
            return candidate
    return None


def test_every_source_folder_has_its_tests() -> None:
    missing = {folder for folder in source_folders(CLONE) if mirror(folder) is None}
    assert missing == set(ELSEWHERE)


@pytest.mark.parametrize("folder", ELSEWHERE)
def test_what_tests_a_folder_elsewhere_exists(folder: str) -> None:
    place, _ = ELSEWHERE[folder]
    assert (CLONE / place).exists()


def test_a_planted_folder_without_tests_is_found(tmp_path: Path) -> None:
    (tmp_path / "runs" / "planted").mkdir(parents=True)
    (tmp_path / "runs" / "planted" / "module.py").touch()
    assert source_folders(tmp_path) == {"runs/planted"}
    assert mirror("runs/planted") is None
