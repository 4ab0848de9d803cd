"""The package stands alone: a wheel that needs nothing of the server and nothing that it does not declare."""

import ast
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from dpp_client import __version__
from tests.clients.conftest import PROJECT, call
from tests.processes import CLONE

_DECLARED = {"cryptography", "httpx", "rfc8785"}


def foreign_imports(source: str) -> set[str]:
    """What is neither Python's, nor declared, nor the client's own."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - _DECLARED - {"dpp_client"}


@pytest.mark.parametrize("path", sorted((PROJECT / "src").rglob("*.py")), ids=lambda path: path.name)
def test_the_client_imports_nothing_of_the_server(path: Path) -> None:
    assert foreign_imports(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize("planted", ["import django.conf", "def f():\n    from runs.states import Status"])
def test_a_planted_import_is_found(planted: str) -> None:
    assert foreign_imports(planted) in ({"django"}, {"runs"})


def test_what_is_declared_is_what_is_imported() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert {line.partition(">")[0] for line in project["dependencies"]} == _DECLARED
    server = tomllib.loads((CLONE / "pyproject.toml").read_text())["project"]
    assert project["version"] == server["version"] == __version__


def test_the_wheel_works_in_an_environment_with_nothing_else(wheel: Path, clean_bin: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "dpp_client/py.typed" in names
    assert {name.partition("/")[0] for name in names} == {"dpp_client", f"dpp_client-{__version__}.dist-info"}
    assert call(clean_bin / "dpp", "--version") == f"dpp {__version__}\n"
    assert call(clean_bin / "python", "-m", "dpp_client", "--version") == f"dpp {__version__}\n"
    without_django = subprocess.run([clean_bin / "python", "-c", "import django"], capture_output=True, check=False)
    assert without_django.returncode == 1
