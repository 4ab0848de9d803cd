"""The TypeScript client: whether node and its compiler are here, and what it was compiled from.

`python -m tests.clients.typescript` compiles it. Node runs the committed modules without any package; only the
compiler has to be installed, which `make typescript` does.
"""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.processes import CLONE

PACKAGE = CLONE / "clients" / "typescript"
COMPILER = CLONE / ".node" / "node_modules" / "typescript" / "bin" / "tsc"
_COMPILED_FROM = PACKAGE / "dist" / "compiled-from.json"
_CONTRACT = "contract"
_LEAST_NODE = 20


def node() -> str:
    """The program; skips with a sentence where there is none, unless it was promised."""
    found = shutil.which("node")
    if found is None:
        _missing("node is not installed: the TypeScript client was not run. Install Node 20 or newer.")
    said = subprocess.run([str(found), "--version"], capture_output=True, text=True, check=True).stdout
    if int(said.lstrip("v").partition(".")[0]) < _LEAST_NODE:
        _missing(f"node is {said.strip()}: the TypeScript client was not run. Install Node 20 or newer.")
    return str(found)


def compiler() -> list[str]:
    program = node()
    assert COMPILER.is_file(), "the TypeScript compiler is not installed: `make test-typescript` does"
    return [program, str(COMPILER)]


def hashes() -> dict[str, str]:
    """Of all that decides what is compiled, and of what came of it. The contract is compiled where it is written."""
    sources = [PACKAGE / "tsconfig.json", PACKAGE / "package-lock.json", *(PACKAGE / "src").glob("*.ts")]
    modules = [*(PACKAGE / "dist").glob("*.js"), *(PACKAGE / "dist").glob("*.ts")]
    files = [file for file in sorted([*sources, *modules]) if file.name.partition(".")[0] != _CONTRACT]
    return {file.relative_to(PACKAGE).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def compiled_from() -> Any:
    return json.loads(_COMPILED_FROM.read_text())


def compile_to(folder: Path) -> dict[str, str]:
    """What was made there, but for the contract, by file name."""
    done = subprocess.run(
        [*compiler(), "--project", str(PACKAGE), "--outDir", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return compiled_in(folder)


def compiled_in(folder: Path) -> dict[str, str]:
    files = (file for suffix in ("*.js", "*.ts") for file in folder.glob(suffix))
    return {file.name: file.read_text() for file in files if not file.name.startswith(f"{_CONTRACT}.")}


def _missing(what: str) -> None:
    if os.environ.get("DPP_REQUIRE_TYPESCRIPT"):
        pytest.fail(what)
    pytest.skip(what)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for name, text in compile_to(Path(folder)).items():
            (PACKAGE / "dist" / name).write_text(text)
    _COMPILED_FROM.write_text(json.dumps(hashes(), indent=2) + "\n")
