"""docs/api.md, executed: every block of commands, in order, in one shell, against real processes."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.builders import Customer
from tests.events.processes import GatewayProcess
from tests.processes import ApiProcess, WorkerProcess

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"

_BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n<!-- shows: (.*?) -->)?", re.MULTILINE | re.DOTALL)
_MARK = "=== end of block ==="


def test_the_guide_works_as_it_is_written(
    live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess], tmp_path: Path
) -> None:
    blocks = _BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert len([commands for commands, _ in blocks if "api " in commands]) >= 10
    worker()
    # Another test may have restarted a server under this API; a newcomer begins with one that is ready.
    live_api.wait_ready(path="/readyz")
    script = "set -euo pipefail\n" + "".join(f"{commands}\necho; echo '{_MARK}'\n" for commands, _ in blocks)
    given = {"DPP_API_URL": live_api.url, "DPP_API_KEY": acme.api_key, "no_proxy": "*"}
    gateway = GatewayProcess()
    with gateway:
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={**os.environ, **given, "DPP_EVENTS_URL": gateway.url},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr

    outputs = done.stdout.split(_MARK)
    for (commands, shows), output in zip(blocks, outputs, strict=False):
        assert shows.lower() in output.lower(), f"{commands}\nshould show {shows}, but said:\n{output}"
