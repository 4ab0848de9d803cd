"""A fuzzer pointed at openapi.json and the real processes: no 5xx, no undocumented answer. `make fuzz` looks longer."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.api.ended_runs import completed_run
from tests.builders import Customer, customer, on_plan
from tests.events.processes import GatewayProcess
from tests.processes import BIN, ApiProcess

HERE = Path(__file__).resolve().parent
OPENAPI = HERE.parents[1] / "openapi.json"

_EXAMPLES = int(os.environ.get("DPP_FUZZ_EXAMPLES", "1"))
_FOR_LONG = _EXAMPLES > 10
# A change of the schema or of the fuzzer may make it try far less without a word.
_LEAST_CASES = 5_000 if _FOR_LONG else 1
_MINUTES = 60

# Without the limit on failed logins, which are part of the fuzzing, and without waiting.
_ENVIRONMENT = {
    "DPP_PROFILE_OVERRIDES": json.dumps({"auth_failure_rate_per_min": 100_000_000}),
    "DPP_LONG_POLL_MAX_WAITERS": "0",
}
_EVENTS = "/events$"


@pytest.fixture
def rich(platform: object) -> Customer:
    owner = customer("fuzz", budget="4000000000.0000")
    plenty = 100_000_000
    on_plan(owner, poll_rate_per_min=plenty, submit_rate_per_min=plenty, max_concurrent_runs=plenty)
    return owner


@pytest.fixture
def fuzzed_api(platform: object) -> Iterator[ApiProcess]:
    with ApiProcess(_ENVIRONMENT) as process:
        yield process


@pytest.fixture
def fuzzed_gateway(platform: object) -> Iterator[GatewayProcess]:
    process = GatewayProcess(_ENVIRONMENT)
    with process:
        yield process


@dataclass(frozen=True)
class Part:
    """One run of the fuzzer: which operations, how, and with how many examples of each."""

    phases: str
    examples: int
    operations: tuple[str, ...]


_WITHOUT_EVENTS = ("--exclude-path-regex", _EVENTS)
_SUBMIT = ("--include-operation-id", "submitRun")
_READ_AND_CANCEL = ("--include-operation-id-regex", "^(listRuns|getRun|cancelRun)$")
_PAGES = ("--exclude-path-regex", "^/v1/runs")
_HALF, _FEW = max(1, _EXAMPLES // 2), max(1, _EXAMPLES // 20)

# To invent the inputs of five packs takes long, and pages without parameters have little to be asked.
_ONE_BY_ONE = "examples,coverage,fuzzing"
_PARTS = {
    "one after another": Part("stateful", _FEW, _WITHOUT_EVENTS),
    "read and cancel": Part(_ONE_BY_ONE, _EXAMPLES, _READ_AND_CANCEL),
    "pages": Part(_ONE_BY_ONE, _HALF, _PAGES),
    "submit": Part(_ONE_BY_ONE, _HALF, _SUBMIT),
}
_SHORT_PARTS = {"all": Part("fuzzing", _EXAMPLES, _WITHOUT_EVENTS)}


def fuzz(process: ApiProcess, owner: Customer, home: Path, part: Part, *, config: str = "schemathesis.toml") -> int:
    """How many cases were tried without finding anything."""
    command = [
        *(str(BIN / "schemathesis"), "--config-file", str(HERE / config), "run", str(OPENAPI)),
        *("--url", process.url, "--header", f"Authorization: Bearer {owner.api_key}", *part.operations),
        *("--checks", "all", "--continue-on-failure", "--phases", part.phases, "--max-examples", str(part.examples)),
        *("--seed", os.environ.get("DPP_FUZZ_SEED", "1"), "--workers", "1", "--request-timeout", "20"),
    ]
    done = subprocess.run(
        command,
        cwd=home,
        env={**os.environ, "DPP_FUZZ_RUN_ID": str(completed_run(owner).pk)},
        capture_output=True,
        text=True,
        timeout=60 * _MINUTES,
        check=False,
    )
    print(done.stdout[-4000:], flush=True)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-3000:]
    tried = re.search(r"([0-9,]+) generated", done.stdout)
    assert tried, done.stdout[-4000:]
    return int(tried[1].replace(",", ""))


def test_a_fuzzer_finds_nothing(fuzzed_api: ApiProcess, rich: Customer, tmp_path: Path) -> None:
    parts = _PARTS if _FOR_LONG else _SHORT_PARTS
    tried = {name: fuzz(fuzzed_api, rich, tmp_path, part) for name, part in parts.items()}
    print(f"cases: {tried}, {sum(tried.values())} in all")
    assert sum(tried.values()) >= _LEAST_CASES


@pytest.mark.parametrize("config", ["schemathesis.toml", "schemathesis-ended-run.toml"])
def test_a_fuzzer_finds_nothing_in_the_event_gateway(
    fuzzed_gateway: GatewayProcess, rich: Customer, tmp_path: Path, config: str
) -> None:
    """With ids it invents, and with a run that has ended: the stream of a live one has no end to wait for."""
    part = Part(_ONE_BY_ONE if _FOR_LONG else "fuzzing", _HALF, ("--include-path-regex", _EVENTS))
    assert fuzz(fuzzed_gateway, rich, tmp_path, part, config=config) >= 1
