"""A fuzzer pointed at openapi.json and a real API: no 5xx, no undocumented answer. `make fuzz` looks longer."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.models import Tenant
from tests.builders import Customer, customer
from tests.processes import BIN, ApiProcess

HERE = Path(__file__).resolve().parent
OPENAPI = HERE.parents[1] / "openapi.json"

_EXAMPLES = int(os.environ.get("DPP_FUZZ_EXAMPLES", "1"))
_MINUTES = 60


@pytest.fixture
def rich(platform: object) -> Customer:
    owner = customer("fuzz", budget="4000000000.0000")
    plenty = 100_000_000
    Tenant.objects.filter(pk=owner.id).update(
        poll_rate_per_min=plenty, submit_rate_per_min=plenty, max_concurrent_runs=plenty
    )
    return owner


@pytest.fixture
def fuzzed_api(platform: object) -> Iterator[ApiProcess]:
    """Without the limit on failed logins, which are part of the fuzzing, and without waiting."""
    overrides = json.dumps({"auth_failure_rate_per_min": 100_000_000})
    process = ApiProcess({"DPP_PROFILE_OVERRIDES": overrides, "DPP_LONG_POLL_MAX_WAITERS": "0"})
    try:
        process.start()
        process.wait_ready()
        yield process
    finally:
        process.stop()


def test_a_fuzzer_finds_nothing(fuzzed_api: ApiProcess, rich: Customer, tmp_path: Path) -> None:
    command = [
        *(str(BIN / "schemathesis"), "--config-file", str(HERE / "schemathesis.toml"), "run", str(OPENAPI)),
        *("--url", fuzzed_api.url, "--header", f"Authorization: Bearer {rich.api_key}"),
        *("--checks", "all", "--exclude-path-regex", "/events$", "--continue-on-failure"),
        *("--max-examples", str(_EXAMPLES), "--seed", os.environ.get("DPP_FUZZ_SEED", "1"), "--workers", "1"),
        *("--phases", "examples,coverage,fuzzing" if _EXAMPLES > 10 else "fuzzing", "--request-timeout", "20"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60 * _MINUTES, check=False)
    print(done.stdout[-4000:])
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-3000:]
