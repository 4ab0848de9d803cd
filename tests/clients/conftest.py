"""The Python client as a user has it: built as a wheel, installed into an environment with nothing else in it."""

import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

from tests.processes import CLONE

PROJECT = CLONE / "clients" / "python"


def call(*argv: object, **given: str) -> str:
    done = subprocess.run(
        [str(part) for part in argv],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call(
        sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index",
        "--disable-pip-version-check", "--wheel-dir", folder, PROJECT,
    )  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def clean_bin(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and what it asks for, and nothing else.

    What it asks for is taken from this environment, so that no registry is needed; pip checks that nothing is missing.
    """
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    for needed in _closure(["cryptography", "httpx", "rfc8785"]):
        _copy(needed, packages)
    python = home / "bin" / "python"
    call(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--disable-pip-version-check", wheel)
    return home / "bin"


def _closure(names: list[str]) -> list[Distribution]:
    found: dict[str, Distribution] = {}
    while names:
        name = names.pop().lower()
        if name in found:
            continue
        found[name] = distribution(name)
        for line in found[name].requires or ():
            if ";" not in line:
                names.append(re.split(r"[^A-Za-z0-9_.-]", line, maxsplit=1)[0])
            elif "extra" not in line:
                # For some platforms or Pythons only: taken along where it is installed.
                names += _installed(re.split(r"[^A-Za-z0-9_.-]", line, maxsplit=1)[0])
    return list(found.values())


def _installed(name: str) -> list[str]:
    try:
        distribution(name)
    except ModuleNotFoundError:
        return []
    return [name]


def _copy(needed: Distribution, packages: Path) -> None:
    for file in needed.files or ():
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)
