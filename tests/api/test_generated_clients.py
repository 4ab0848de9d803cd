"""Clients that public generators make of openapi.json: all of their modules import, and they complete a run."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runs.models import Run
from tests.builders import Customer, body
from tests.processes import BIN, CLONE, ApiProcess, WorkerProcess

_DOCUMENT = CLONE / "openapi.json"
_PROGRAMS = Path(__file__).parent / "generated_clients"

_IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
"""


def openapi_python_client(folder: Path) -> str:
    _call(
        BIN / "openapi-python-client", "generate", "--path", _DOCUMENT, "--meta", "none", "--fail-on-warning",
        "--output-path", folder / "dpp_plain",
    )  # fmt: skip
    return "dpp_plain"


def openapi_generator(folder: Path) -> str:
    _call(
        BIN / "openapi-generator-cli", "generate", "-g", "python", "-i", _DOCUMENT, "-o", folder,
        "--package-name", "dpp_generated",
    )  # fmt: skip
    return "dpp_generated"


@pytest.mark.parametrize("generate", [openapi_python_client, openapi_generator], ids=lambda each: each.__name__)
def test_a_generated_client_completes_a_run(
    generate: Callable[[Path], str],
    tmp_path: Path,
    live_api: ApiProcess,
    worker: Callable[..., WorkerProcess],
    acme: Customer,
) -> None:
    package = generate(tmp_path)
    path = {"PYTHONPATH": str(tmp_path)}
    _call(sys.executable, "-c", _IMPORT_ALL, package, **path)
    worker()

    program = _PROGRAMS / f"with_{generate.__name__}.py"
    given = {"DPP_API_URL": live_api.url, "DPP_API_KEY": acme.api_key, "RUN": json.dumps(body())}
    seen = json.loads(_call(sys.executable, program, **path, **given))

    run = Run.objects.get()
    assert seen["status"] == "COMPLETED" == run.status
    assert seen["sha256"] == run.result_sha256
    assert (seen["used_usd"], seen["balance_usd"]) == ("0.0500", "9.9500")
    assert seen["problem"] in ("INVALID_MONEY_SCALE", "RUN_NOT_FOUND_STEALTH")


def _call(*argv: Any, **environment: str) -> str:
    result = subprocess.run(
        [str(part) for part in argv],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result.stdout
