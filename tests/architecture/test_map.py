"""The map in docs/architecture.md is the tree, and the glossary leads to files that there are."""

import re
from pathlib import Path

import pytest

from tests.architecture.house_rules import CLONE

_PRODUCT = ("dpp_project", "devstack", "runs", "budget", "storage", "packs", "clients")
_ROOTS = (*_PRODUCT, "docker", "docs", "tests", "bench")
# Below these the map does not go: data, and tests that mirror the source.
_CLOSED = ("docs", "docker", "tests", "bench", "runs/static", "runs/templates")
_LINE = re.compile(r"^([a-z_]+(?:/[a-z_]+)*)/ +\S", re.MULTILINE)
_TERM = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", re.MULTILINE)


def mapped(page: str) -> set[str]:
    return set(_LINE.findall(page.partition("## Where things are")[2].partition("## Where to read next")[0]))


def folders(root: Path) -> set[str]:
    """Every folder that holds files of the project."""
    found = {
        file.parent.relative_to(root).as_posix()
        for name in _ROOTS
        for file in (root / name).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    return {_opened(folder) for folder in found}


def _opened(folder: str) -> str:
    return next((closed for closed in _CLOSED if folder.startswith(closed + "/")), folder)


@pytest.fixture(scope="module")
def page() -> str:
    return (CLONE / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_folder_is_on_the_map(page: str) -> None:
    assert folders(CLONE) - mapped(page) == set()


def test_the_map_shows_no_folder_that_is_gone(page: str) -> None:
    assert {folder for folder in mapped(page) if not (CLONE / folder).is_dir()} == set()


def test_the_table_of_changes_names_files_that_there_are(page: str) -> None:
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)+\.py)`", page.partition("## What a change touches")[2])
    assert len(named) >= 14
    assert [file for file in named if not (CLONE / file).is_file()] == []


def test_a_planted_folder_is_missed(tmp_path: Path, page: str) -> None:
    (tmp_path / "runs" / "planted").mkdir(parents=True)
    (tmp_path / "runs" / "planted" / "module.py").touch()
    assert folders(tmp_path) - mapped(page) == {"runs/planted"}


def test_every_term_of_the_glossary_has_one_sentence_and_one_file() -> None:
    terms = _TERM.findall((CLONE / "docs" / "glossary.md").read_text(encoding="utf-8"))
    assert len(terms) >= 25
    assert [name for name, _, file in terms if not (CLONE / file).is_file()] == []
    assert [name for name, meaning, _ in terms if meaning.count(". ") or not meaning.endswith(".")] == []
    names = [name for name, _, _ in terms]
    assert len(names) == len(set(names))


def sections_named(text: str) -> list[str]:
    """References to sections of a document that the reader does not have."""
    return re.findall(r"§ ?[0-9.]+", text)


def test_no_page_names_a_section_that_the_reader_does_not_have() -> None:
    pages = [*CLONE.glob("*.md"), *(CLONE / "docs").rglob("*.md")]
    found = {
        path.name: sections_named(path.read_text(encoding="utf-8")) for path in pages if "examples" not in path.parts
    }
    assert {name: named for name, named in found.items() if named} == {}


def test_a_planted_section_is_found() -> None:
    assert sections_named("As §4.7 has it.") == ["§4.7"]
