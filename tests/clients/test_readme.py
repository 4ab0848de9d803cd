"""clients/python/README.md, executed: every block, in order, against real processes, with nothing but the wheel."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from runs.models import Run
from tests.builders import Customer
from tests.clients.conftest import PROJECT
from tests.events.processes import GatewayProcess
from tests.processes import CLONE, ApiProcess, WorkerProcess

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$(?:\n<!-- shows: (.*?) -->)?", re.MULTILINE | re.DOTALL)
_MARK = "=== end of block ==="


def test_the_readme_works_as_it_is_written(
    clean_bin: Path, live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess], tmp_path: Path
) -> None:
    blocks = _BLOCK.findall((PROJECT / "README.md").read_text(encoding="utf-8"))
    assert {language for language, _, _ in blocks} == {"sh", "python"}
    worker()
    script = "set -euo pipefail\n" + "".join(
        f"{_as_shell(language, code)}\necho; echo '{_MARK}'\n" for language, code, _ in blocks
    )
    with GatewayProcess() as gateway:
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={
                "PATH": f"{clean_bin}:{os.environ['PATH']}",
                "DPP_API_URL": live_api.url,
                "DPP_API_KEY": acme.api_key,
                "DPP_EVENTS_URL": gateway.url,
                "DPP_PLATFORM": str(CLONE),
                "PYTHONUTF8": "1",
            },
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    for (_, code, shows), output in zip(blocks, done.stdout.split(_MARK), strict=False):
        assert shows in output, f"{code}\nshould show {shows}, but said:\n{output}"
    assert Run.objects.count() == 6


def _as_shell(language: str, code: str) -> str:
    return f"python - <<'END_OF_PYTHON'\n{code}END_OF_PYTHON" if language == "python" else code
