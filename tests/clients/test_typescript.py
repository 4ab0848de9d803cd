"""The TypeScript client as its users have it: compiled modules that node runs, against real processes."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from standardwebhooks import Webhook as OtherSender

from runs.models import Run
from runs.webhooks import message
from runs.webhooks.secrets import Secrets
from tests.api.ended_runs import completed_run
from tests.books import assert_balanced
from tests.builders import QUESTION, Customer, submitted
from tests.clients import typescript
from tests.clients.lossy_proxy import LossyProxy
from tests.clients.typescript import PACKAGE
from tests.processes import ApiProcess, WorkerProcess

_BLOCK = re.compile(r"^```js\n(.*?)^```\n<!-- shows: (.*?) -->", re.MULTILINE | re.DOTALL)
_MESSAGE_ID = UUID("7d3c0e0e-0c0a-4b57-a3a5-3b0b4a3a2c55")
_SENT_AT = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
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
    """By the hashes that the compilation noted, so that no compiler is needed; `make test-typescript` compiles."""
    assert typescript.compiled_from() == typescript.hashes(), "clients/typescript/dist is stale: run `make typescript`"


def test_the_readme_works_as_it_is_written(
    run_module: Callable[..., str], live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    blocks = _BLOCK.findall((PACKAGE / "README.md").read_text(encoding="utf-8"))
    assert len(blocks) == 5
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


def test_webhooks_are_verified_as_the_specification_says(run_module: Callable[..., str]) -> None:
    """Signed by the platform's own code and by the library of the specification; both keys, several signatures, and
    every way to be wrong."""
    secrets, old = Secrets.new(), Secrets.new()
    body = message.body("run.completed", {"run_id": "1", "status": "COMPLETED", "note": "가"}, at=_SENT_AT)
    ours = message.headers(_MESSAGE_ID, body, [secrets], sent_at=_SENT_AT)
    theirs = OtherSender(secrets.text).sign(str(_MESSAGE_ID), _SENT_AT, body.decode())
    only_v1a = " ".join(one for one in ours["webhook-signature"].split() if one.startswith("v1a,"))
    now = _SENT_AT.timestamp()
    by_secret, by_key = {"secret": secrets.text, "now": now}, {"publicKey": secrets.public_text, "now": now}
    good: dict[str, tuple[bytes, dict[str, str], dict[str, Any]]] = {
        "by secret": (body, ours, by_secret),
        "by public key": (body, ours, by_key),
        "signed by the specification's library": (body, {**ours, "webhook-signature": theirs}, by_secret),
        "while secrets are rotated": (
            body,
            message.headers(_MESSAGE_ID, body, [old, secrets], sent_at=_SENT_AT),
            by_secret,
        ),
        "names in capitals": (body, {name.upper(): value for name, value in ours.items()}, by_secret),
        "either key": (body, {**ours, "webhook-signature": only_v1a}, {**by_secret, **by_key}),
        "as late as is allowed": (body, ours, {**by_secret, "now": now + 300}),
    }
    changed = body.replace(b"COMPLETED", b"REPLACED!")
    bad: dict[str, tuple[bytes, dict[str, str], dict[str, Any]]] = {
        "another body": (changed, ours, by_secret),
        "another body, by public key": (changed, ours, by_key),
        "another id": (body, {**ours, "webhook-id": "other"}, by_secret),
        "another time": (body, {**ours, "webhook-timestamp": str(int(now) + 1)}, by_key),
        "another webhook's secret": (body, ours, {**by_secret, "secret": old.text}),
        "another webhook's key": (body, ours, {**by_key, "publicKey": old.public_text}),
        "a secret's signature where a key is asked": (body, {**ours, "webhook-signature": theirs}, by_key),
        "too old": (body, ours, {**by_secret, "now": now + 301}),
        "from the future": (body, ours, {**by_secret, "now": now - 301}),
        "a time that is none": (body, {**ours, "webhook-timestamp": "soon"}, by_secret),
        "a time without end": (body, {**ours, "webhook-timestamp": "9" * 400}, by_secret),
        "no signature": (body, {**ours, "webhook-signature": ""}, by_secret),
        "signatures that are none": (body, {**ours, "webhook-signature": "v1,AAAA v1a,AAAA v2,AAAA v1 ,,"}, by_secret),
        "a signature with a space inside": (body, {**ours, "webhook-signature": theirs.replace(",", ",=")}, by_secret),
        "no id": (body, {name: value for name, value in ours.items() if name != "webhook-id"}, by_secret),
        "signed, but no JSON": (b"{", message.headers(_MESSAGE_ID, b"{", [secrets], sent_at=_SENT_AT), by_secret),
    }
    cases = [[name, given.hex(), headers, check] for name, (given, headers, check) in {**good, **bad}.items()]
    code = f"""import {{ verifyWebhook }} from "dpp-client";
const said = {{}};
for (const [name, hex, headers, check] of {json.dumps(cases)}) {{
  const body = new Uint8Array(Buffer.from(hex, "hex"));
  const both = [headers, new Headers(headers)].map((given) => verifyWebhook(body, given, check));
  const all = await Promise.allSettled(both);
  said[name] = all.map((each) => (each.status === "fulfilled" ? each.value.data.note : each.reason.name));
}}
console.log(JSON.stringify(said));
"""
    said = json.loads(run_module(code, "", ""))
    assert said == {**dict.fromkeys(good, ["가"] * 2), **dict.fromkeys(bad, ["NotVerified"] * 2)}


def test_a_webhook_needs_a_key_that_is_one(run_module: Callable[..., str]) -> None:
    code = """import { verifyWebhook } from "dpp-client";
const headers = { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" };
for (const check of [{}, { secret: "" }, { secret: "whsec_%", now: 1 }, { publicKey: "whpk_=", now: 1 }]) {
  await verifyWebhook(new Uint8Array(), headers, check).catch((error) => console.log(error.name));
}
"""
    assert run_module(code, "", "").split() == ["TypeError"] * 4
