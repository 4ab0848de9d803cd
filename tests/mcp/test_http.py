"""Streamable HTTP: many callers, each with its own key, in both eras of the protocol."""

import json
import os
import subprocess
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError

from packs.registry import PACKS
from runs.access.key_text import new_text
from runs.mcp.arguments import RUN_ARGUMENTS
from runs.models import Run
from tests.builders import QUESTION, Customer, customer
from tests.http import Api
from tests.mcp.gateway import DECISION, Agent, GatewayProcess, Result, connected, documented, over_http
from tests.processes import ApiProcess
from tests.services import SessionServices

ASK = {**QUESTION, "max_cost_usd": "0.5000", "wait_sec": 0}


@pytest.fixture(params=["auto", "legacy"])
def agent(request: pytest.FixtureRequest, gateway: GatewayProcess, acme: Customer) -> Any:
    with connected(over_http(gateway, mode=request.param, Authorization=f"Bearer {acme.api_key}")) as ready:
        yield ready


def test_the_listed_tools_have_valid_schemas(agent: Agent) -> None:
    tools = {tool.name: tool for tool in agent.tools()}

    assert set(tools) == {f"dpp_{name}_run_submit" for name in PACKS}
    for tool in tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
    Draft202012Validator(tools[DECISION].input_schema).validate(ASK)


def test_a_call_submits_a_run_and_returns_its_receipt(agent: Agent, acme: Customer, live_api: ApiProcess) -> None:
    result = agent.call(ASK)

    assert not result.is_error
    run = Run.objects.get(tenant=acme.tenant)
    assert result.structured == result.document
    assert result.document["run_id"] == str(run.pk)
    assert result.document["poll"]["href"] == f"/v1/runs/{run.pk}"
    assert f"{live_api.url}/v1/runs/{run.pk}" in result.texts[1]
    assert Api(live_api.url, acme).get(f"/v1/runs/{run.pk}").json["status"] == "QUEUED"


def test_each_tool_submits_a_run_of_its_own_pack(agent: Agent, acme: Customer) -> None:
    arguments: dict[str, dict[str, Any]] = {
        DECISION: ASK,
        "dpp_url_run_submit": {"urls": ["https://www.law.go.kr/"], "max_cost_usd": "0.01", "wait_sec": 0},
    }

    for tool, given in arguments.items():
        result = agent.call(given, tool=tool)

        assert not result.is_error
        assert tool == f"dpp_{Run.objects.get(pk=result.document['run_id']).pack_type}_run_submit"


def test_a_repeated_call_is_the_same_run_however_it_is_written(agent: Agent, acme: Customer) -> None:
    first = agent.call(ASK)
    again = [
        agent.call(ASK),
        agent.call({"inputs": QUESTION, "max_cost_usd": "0.5", "wait_sec": 0}),
        agent.call({**ASK, "wait_sec": 1}),
        agent.call({"inputs": {"options": QUESTION["options"]}, **ASK}),
        agent.call(
            {
                **ASK,
                "timebox_sec": 90,
                "min_reliability_score": 0.8,
                "on_unmet": "accept",
                "artifacts": {"include_docx": False},
            }
        ),
    ]

    assert {result.document["run_id"] for result in again} == {first.document["run_id"]}
    assert "submitted before" not in first.texts[1]
    assert all("submitted before" in result.texts[1] for result in again)
    assert Run.objects.filter(tenant=acme.tenant).count() == 1


def test_the_key_that_a_result_names_repeats_the_call_and_another_starts_a_fresh_run(agent: Agent) -> None:
    first = agent.call(ASK)
    named = first.texts[1].partition("idempotency_key of this call: ")[2].split()[0]

    again = agent.call({**ASK, "idempotency_key": named})
    assert again.document["run_id"] == first.document["run_id"]
    assert agent.call({**ASK, "idempotency_key": "a-fresh-one"}).document["run_id"] != first.document["run_id"]
    assert agent.call({**ASK, "max_cost_usd": "0.6"}).document["run_id"] != first.document["run_id"]


def test_an_unknown_tool_is_an_error_of_the_protocol(agent: Agent) -> None:
    with pytest.raises(MCPError, match="no such tool"):
        agent.call(ASK, tool="dpp_poll_run")


@pytest.mark.parametrize(
    ("changes", "status", "reason_code", "pointers"),
    [
        ({"max_cost_usd": "11"}, 402, "BUDGET_DRAINED", []),
        ({"max_cost_usd": 0.5}, 422, "INVALID_MONEY_SCALE", ["/max_cost_usd"]),
        ({"options": ["only one"]}, 400, "SCHEMA_VALIDATION_FAILED", ["/options"]),
        ({"timebox_sec": "long"}, 400, "INVALID_PARAMS", ["/timebox_sec"]),
        ({"context": {"n": 2**53}}, 400, "INVALID_PARAMS", []),
        ({"inputs": "a text"}, 400, "INVALID_PARAMS", ["/inputs"]),
    ],
)
def test_the_apis_refusal_is_passed_on_with_the_names_of_the_arguments(
    changes: dict[str, Any],
    status: int,
    reason_code: str,
    pointers: list[str],
    gateway: GatewayProcess,
    live_api: ApiProcess,
    acme: Customer,
) -> None:
    own = (*RUN_ARGUMENTS, "wait_sec")
    inputs = {name: value for name, value in {**ASK, **changes}.items() if name not in own}
    body = {"pack_type": "decision", "inputs": inputs.get("inputs", inputs)}
    body |= {name: value for name, value in {**ASK, **changes}.items() if name in RUN_ARGUMENTS}
    direct = _post(live_api, body, acme.api_key)

    with connected(over_http(gateway, **acme.headers(**{"X-Trace-Id": "trace-verbatim"}))) as agent:
        result = agent.call({**ASK, **changes})

    assert result.is_error
    assert direct.status_code == status
    said = json.loads(direct.text)
    translated = ("errors", "extensions", "detail", "next_action")
    assert {name: said[name] for name in said if name not in translated} == {
        name: value for name, value in result.document.items() if name not in translated
    }
    assert result.document["extensions"] == {"reason_code": reason_code}
    assert [error["pointer"] for error in result.document.get("errors", [])] == pointers
    assert "Idempotency-Key" not in result.texts[0]
    assert result.structured is None


def test_a_wrong_key_is_the_apis_401_and_no_other_key_is_used_instead(live_api: ApiProcess, acme: Customer) -> None:
    # Given a gateway in whose environment lies a good key.
    environment = {"DPP_API_URL": live_api.url, "DPP_API_KEY": acme.api_key}
    # And one that could be a key: what cannot be one is refused by the gateway itself.
    wrong = {"Authorization": f"Bearer {new_text()}"}
    with GatewayProcess(environment) as generous, connected(over_http(generous, **wrong)) as agent:
        result = agent.call(ASK)
    assert result.is_error
    assert result.document["extensions"]["reason_code"] == "AUTH_INVALID"
    assert not Run.objects.exists()


def test_two_callers_of_one_gateway_spend_their_own_money(
    gateway: GatewayProcess, acme: Customer, rival: Customer
) -> None:
    results: dict[str, Result] = {}
    for owner in (acme, rival):
        with connected(over_http(gateway, **owner.headers())) as agent:
            results[owner.id] = agent.call(ASK)

    assert {str(run.pk): run.tenant_id for run in Run.objects.all()} == {
        result.document["run_id"]: owner for owner, result in results.items()
    }


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
    ],
)
@pytest.mark.parametrize("version", ["2026-07-28", "2025-06-18"])
def test_a_page_of_another_site_is_refused(
    headers: dict[str, str], status: int, version: str, gateway: GatewayProcess, acme: Customer
) -> None:
    answer = _call_by_hand(gateway, acme, **headers, **{"MCP-Protocol-Version": version})

    assert answer.status_code == status
    assert not Run.objects.exists()


def test_the_example_in_the_docs_submits_a_run(gateway: GatewayProcess, acme: Customer) -> None:
    environment = {"PATH": os.environ["PATH"], "DPP_MCP_URL": f"{gateway.url}/mcp", "DPP_API_KEY": acme.api_key}

    command = documented("sh").replace('"0.5000"', '"0.5000", "wait_sec": 0')
    answer = subprocess.run(
        ["sh", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )

    result = json.loads(answer.stdout)["result"]
    assert not result["isError"]
    assert result["structuredContent"]["run_id"] == str(Run.objects.get(tenant=acme.tenant).pk)


def test_no_key_and_no_input_is_in_the_log(gateway: GatewayProcess, platform: SessionServices) -> None:
    # Given a gateway that logs at DEBUG, and calls that succeed, fail and cannot be read.
    secret = customer("discreet", budget="1.0000")
    with connected(over_http(gateway, **secret.headers())) as agent:
        agent.call({**ASK, "question": "Shall Zanzibar be told?"})
        agent.call({"question": "Zanzibar", "options": 7, "max_cost_usd": "Zanzibar", "wait_sec": 0})
    httpx2.post(f"{gateway.url}/mcp", content=b'{"Zanzibar":', headers=_headers(secret), trust_env=False)

    lines = gateway.lines()

    assert '"event": "mcp_call"' in lines
    assert '"reason_code": "INVALID_MONEY_SCALE"' in lines
    assert secret.api_key not in lines
    assert "dpp_sk_" not in lines
    assert "Zanzibar" not in lines


def _post(api: ApiProcess, body: dict[str, Any], api_key: str) -> httpx2.Response:
    headers = {
        "Authorization": f"Bearer {api_key}",
        "Idempotency-Key": "direct-to-the-api",
        "X-Trace-Id": "trace-verbatim",
    }
    return httpx2.post(f"{api.url}/v1/runs", json=body, headers=headers, trust_env=False)


def _headers(owner: Customer, **more: str) -> dict[str, str]:
    accepts = "application/json, text/event-stream"
    return owner.headers(**{"Content-Type": "application/json", "Accept": accepts, **more})


def _call_by_hand(gateway: GatewayProcess, owner: Customer, **headers: str) -> httpx2.Response:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": DECISION, "arguments": ASK}}
    return httpx2.post(
        f"{gateway.url}/mcp", content=json.dumps(message), headers=_headers(owner, **headers), trust_env=False
    )
