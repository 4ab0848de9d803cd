"""Whatever a machine lacks is named in one line, with its remedy."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from devstack.layout import Layout
from devstack.plan import check_external
from devstack.prerequisites import MissingPrerequisite
from tests.services import CLONE

INSTALL = CLONE / "devstack" / "install.py"


def _install_with(preparation: str) -> str:
    """The line with which the installation refuses, in an interpreter that was changed beforehand."""
    script = f"import runpy, sys; {preparation}; runpy.run_path({str(INSTALL)!r}, run_name='__main__')"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    return line


def test_an_old_python_is_named() -> None:
    line = _install_with("sys.version_info = (3, 9, 2)")
    assert "Python 3.9 is too old" in line
    assert "make up PYTHON=" in line


def test_a_python_without_venv_is_named() -> None:
    assert "apt install python3-venv" in _install_with("sys.modules['ensurepip'] = None")


def test_a_missing_python_is_named() -> None:
    answer = subprocess.run(
        ["make", "--no-print-directory", "install", "PYTHON=python-that-is-not-there"],
        cwd=CLONE,
        env={**os.environ, "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert answer.stdout.splitlines()[0].startswith("Cannot go on: there is no python-that-is-not-there")


def test_a_given_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    layout = Layout(tmp_path)
    layout.make()
    with pytest.raises(MissingPrerequisite) as missing:
        check_external({"REDIS_URL": f"redis://:hidden@127.0.0.1:{port}/0"}, layout)
    line = str(missing.value)
    assert f"REDIS_URL is set, and nothing answers at 127.0.0.1:{port}" in line
    assert "unset REDIS_URL" in line
    assert "hidden" not in line
    assert "\n" not in line
