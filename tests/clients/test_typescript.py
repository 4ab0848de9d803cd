"""The TypeScript client as its users have it: compiled modules that node runs, against real processes."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from runs.models import Run
from tests.api.ended_runs import completed_run
from tests.books import assert_balanced
from tests.builders import QUESTION, Customer, submitted
from tests.clients import typescript
from tests.clients.lossy_proxy import LossyProxy
from tests.clients.typescript import PACKAGE
from tests.processes import ApiProcess, WorkerProcess

_BLOCK = re.compile(r"^```js\n(.*?)^```\n<!-- shows: (.*?) -->", re.MULTILINE | re.DOTALL)
_CLIENT = 'import { Client, ApiProblem } from "dpp-client";\n'


@pytest.fixture
def run_module(tmp_path: Path) -> Callable[..., str]:
    """Runs JavaScript that has the package and nothing else."""
    program = typescript.node()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "dpp-client").symlink_to(PACKAGE)

    def run(code: str, url: str, api_key: str) -> str:
        module = tmp_path / "module.mjs"
        module.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [program, str(module)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "DPP_API_URL": url, "DPP_API_KEY": api_key},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


def test_the_compiled_modules_are_of_these_sources() -> None:
    assert typescript.compiled_from() == typescript.sources(), "clients/typescript/dist is stale: run `make typescript`"


def test_it_compiles_to_what_is_committed(tmp_path: Path) -> None:
    assert typescript.compile_to(tmp_path) == typescript.compiled_in(PACKAGE / "dist")


def test_wrong_inputs_and_unknown_calls_do_not_compile(tmp_path: Path) -> None:
    command = typescript.compiler()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "dpp-client").symlink_to(PACKAGE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    wrong = {
        'client.run("decision", { questoin: "?" }, { maxCost: "1" })': "questoin",
        'client.run("astrology", { question: "?" }, { maxCost: "1" })': "astrology",
        'client.run("decision", { question: "?" }, { maxCost: 1 })': "number",
        'client.call("getRnu", { path: { run_id: "1" } })': "getRnu",
    }
    right = 'client.run("ocr", { images: [{ kind: "upload", upload_id: "1" }] }, { maxCost: "1" })'
    lines = ["declare const client: Client;", *(f"void {each};" for each in (right, *wrong))]
    (tmp_path / "calls.ts").write_text('import type { Client } from "dpp-client";\n' + "\n".join(lines) + "\n")
    options = ["--noEmit", "--strict", "--module", "NodeNext", "--target", "ES2022", "--skipLibCheck"]
    done = subprocess.run([*command, *options, "calls.ts"], cwd=tmp_path, capture_output=True, text=True, check=False)
    found = dict(re.findall(r"^calls\.ts\((\d+),\d+\): error (.*)$", done.stdout, re.MULTILINE))
    assert list(found) == ["4", "5", "6", "7"], done.stdout
    assert all(word in message for word, message in zip(wrong.values(), found.values(), strict=True)), found


def test_the_readme_works_as_it_is_written(
    run_module: Callable[..., str], live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    blocks = _BLOCK.findall((PACKAGE / "README.md").read_text(encoding="utf-8"))
    assert len(blocks) == 4
    worker()
    for code, shows in blocks:
        assert shows in (said := run_module(code, live_api.url, acme.api_key)), said
    assert Run.objects.count() == 2


def test_a_submit_whose_answers_are_lost_is_one_run(
    run_module: Callable[..., str], live_api: ApiProcess, acme: Customer
) -> None:
    code = f"""{_CLIENT}
const retries = {{ firstPauseSec: 0.01 }};
const client = new Client({{ baseUrl: process.env.DPP_API_URL, apiKey: process.env.DPP_API_KEY, retries }});
const receipt = await client.submit("decision", {json.dumps(QUESTION)}, {{ maxCost: "0.5000" }});
console.log(receipt.run_id);
"""
    with LossyProxy(live_api.url, losses=3) as proxy:
        run_id = run_module(code, proxy.url, acme.api_key).strip()
    assert {key for _, _, key in proxy.seen} == {proxy.seen[0][2]}
    assert len(proxy.seen) >= 4
    assert str(Run.objects.get().pk) == run_id
    assert_balanced(acme, 9_500_000)


def test_failures_are_told_by_their_reason_and_a_foreign_result_is_refused(
    run_module: Callable[..., str], live_api: ApiProcess, acme: Customer
) -> None:
    queued, ended = submitted(acme), completed_run(acme)
    code = f"""{_CLIENT}
const client = new Client({{ baseUrl: process.env.DPP_API_URL, apiKey: process.env.DPP_API_KEY }});
const said = {{}};
const tell = (name) => (error) => {{ said[name] = [error.name, error.reasonCode ?? "", error.retryWith ?? ""]; }};
await client.result("{queued.pk}").catch(tell("live"));
await client.cancel("{queued.pk}");
await client.result("{queued.pk}").catch(tell("cancelled"));
await client.result("nothing").catch(tell("unknown"));
const other = new Client({{
  baseUrl: process.env.DPP_API_URL, apiKey: process.env.DPP_API_KEY, jwks: {{ keys: [{{ kid: "other" }}] }},
}});
said.result = (await other.result("{ended.pk}")).run.run_id;
await client.call("submitRun", {{
  headers: {{ "Idempotency-Key": "a-key-of-mine" }}, body: {{ pack_type: "decision" }},
}}).catch(tell("wrong"));
console.log(JSON.stringify(said));
"""
    said = json.loads(run_module(code, live_api.url, acme.api_key))
    assert said == {
        "live": ["StillRunning", "", ""],
        "cancelled": ["ApiProblem", "RUN_CANCELLED", "none"],
        "unknown": ["ApiProblem", "RUN_NOT_FOUND_STEALTH", "none"],
        "result": str(ended.pk),
        "wrong": ["ApiProblem", "INVALID_PARAMS", "none"],
    }
