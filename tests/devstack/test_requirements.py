"""What is installed is what was locked: versions and the hashes of the files."""

import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.services import CLONE

INSTALL = CLONE / "devstack" / "install.py"
LOCKED = [
    *("requirements.txt", "requirements-stack.txt", "requirements-dev.txt"),
    *("docker/requirements-aws.txt", "bench/load/requirements.txt"),
]

_PIN = re.compile(
    r"([a-z0-9][a-z0-9-]*)(?:\[[a-z0-9,]+\])?==([^ ;]+)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)\n"
)


def pins(name: str) -> dict[str, str]:
    """Every line of the file is read: what is no pin with its hashes is found."""
    text = (CLONE / name).read_text()
    found = list(_PIN.finditer(text))
    assert "".join(each.group() for each in found) == text, f"{name} holds more than pins and hashes: run make lock"
    assert [each[1] for each in found if not each[3]] == [], f"no hash in {name}: run make lock"
    return {each[1]: each[2] for each in found}


@pytest.mark.parametrize("name", LOCKED)
def test_every_requirement_is_pinned_with_its_hashes(name: str) -> None:
    assert pins(name)


@pytest.mark.parametrize("name", LOCKED)
def test_what_is_asked_for_is_locked(name: str) -> None:
    asked = re.findall(
        r"^([A-Za-z0-9_.-]+)(?:\[.*\])?==(\S+)", (CLONE / name).with_suffix(".in").read_text(), re.MULTILINE
    )
    locked = pins(name)
    assert [each for each in asked if locked.get(re.sub(r"[-_.]+", "-", each[0]).lower()) != each[1]] == []


def test_one_version_of_a_package_everywhere() -> None:
    everything = pins("requirements-dev.txt")
    others = {name: pins(name) for name in LOCKED}
    assert [
        (name, package)
        for name, locked in others.items()
        for package, version in locked.items()
        if everything.get(package, version) != version
    ] == []


@pytest.mark.parametrize("path", ["docker/Dockerfile", "Makefile", "devstack/install.py"])
def test_whoever_installs_from_a_file_demands_hashes(path: str) -> None:
    lines = [line for line in (CLONE / path).read_text().splitlines() if re.search(r"install\b.* -r |pip = \[", line)]
    assert lines
    assert [line for line in lines if "--require-hashes" not in line] == []


def wheel(folder: Path, *, content: str = "") -> str:
    """A package of one file; its hash."""
    path = folder / "tiny_thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_thing.py", content)
        about = "tiny_thing-1.0.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def install(folder: Path, requirement: str) -> subprocess.CompletedProcess[str]:
    """As `make up` does it, from this folder into this folder."""
    (folder / "wanted.txt").write_text(requirement + "\n")
    script = (
        f"import pathlib, runpy; made = runpy.run_path({str(INSTALL)!r}); it = made['install'].__globals__; "
        f"it.update(CLONE=pathlib.Path({str(folder)!r}), PYTHON={sys.executable!r}); made['install']('wanted.txt')"
    )
    only_here = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_TARGET": str(folder / "installed")}
    return subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **only_here}, capture_output=True, text=True, check=False
    )


def test_a_package_that_was_changed_after_it_was_locked_is_refused(tmp_path: Path) -> None:
    locked = wheel(tmp_path)
    requirement = f"tiny-thing==1.0 --hash=sha256:{locked}"
    assert install(tmp_path, requirement).returncode == 0
    assert (tmp_path / "installed" / "tiny_thing.py").exists()

    wheel(tmp_path, content="print('not what was locked')")
    refused = install(tmp_path, requirement)
    assert refused.returncode == 1
    assert "DO NOT MATCH THE HASHES" in refused.stdout


def test_a_package_without_a_hash_is_refused(tmp_path: Path) -> None:
    wheel(tmp_path)
    refused = install(tmp_path, "tiny-thing==1.0")
    assert refused.returncode == 1
    assert not (tmp_path / "installed").exists()
