"""Runs as tasks for clients that announce `io.modelcontextprotocol/tasks`: the SDK's own client, and plain requests."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal
from uuid import uuid4

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from runs.lifecycle.cancel import cancel
from runs.models import Run
from tests.builders import QUESTION, Customer
from tests.mcp.gateway import DECISION, Agent, GatewayProcess, connected
from tests.mcp.test_results import a_worker

ASK: dict[str, Any] = {**QUESTION, "max_cost_usd": "0.5000", "wait_sec": 0}
_VERSION = "2026-07-28"
_TASKS = "io.modelcontextprotocol/tasks"


class _Task(types.Result):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")

    result_type: Literal["task"] = "task"
    task_id: str
    poll_interval_ms: int


class _Shown(types.Result):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")

    status: str
    result: dict[str, Any] | None = None


class _TaskParams(types.RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    task_id: str


class _GetTask(types.Request[_TaskParams, str]):
    method: str = "tasks/get"
    params: _TaskParams


class Tasks(ClientExtension):
    """As a host would write it: a task is polled until it has ended."""

    identifier = _TASKS

    def __init__(self) -> None:
        self.seen: list[str] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=_Task, resolve=self._resolve)]

    async def _resolve(self, task: _Task, context: ClaimContext) -> types.CallToolResult:
        while True:
            request = _GetTask(params=_TaskParams(task_id=task.task_id))
            shown = await context.session.send_request(request, _Shown)
            self.seen.append(shown.status)
            if shown.result is not None:
                return types.CallToolResult.model_validate(shown.result)
            await asyncio.sleep(0.2)


def _with_tasks(gateway: GatewayProcess, owner: Customer, tasks: Tasks) -> AbstractAsyncContextManager[Client]:
    @asynccontextmanager
    async def connect() -> Any:
        headers = {"Authorization": f"Bearer {owner.api_key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=90, trust_env=False) as http,
            Client(streamable_http_client(f"{gateway.url}/mcp", http_client=http), extensions=[tasks]) as client,
        ):
            yield client

    return connect()


class Caller:
    """Plain requests of the present version of the protocol."""

    def __init__(self, gateway: GatewayProcess, owner: Customer) -> None:
        self._url = f"{gateway.url}/mcp"
        self._key = owner.api_key

    def send(self, method: str, params: dict[str, Any], *, announced: bool = True) -> dict[str, Any]:
        capabilities: dict[str, Any] = {"extensions": {_TASKS: {}}} if announced else {}
        prefix = "io.modelcontextprotocol"
        meta = {
            f"{prefix}/protocolVersion": _VERSION,
            f"{prefix}/clientInfo": {"name": "plain", "version": "1"},
            f"{prefix}/clientCapabilities": capabilities,
        }
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _VERSION,
            "Mcp-Method": method,
            "Mcp-Name": str(params.get("taskId") or params.get("name", "")),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        answer = httpx2.post(self._url, json=body, headers=headers, timeout=60, trust_env=False)
        document: dict[str, Any] = answer.json()
        return document

    def call(self, **changes: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.send("tools/call", {"name": DECISION, "arguments": {**ASK, **changes}})["result"]
        return result

    def task(self, task_id: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.send("tasks/get", {"taskId": task_id})["result"]
        return shown


@pytest.fixture
def plain(gateway: GatewayProcess, acme: Customer) -> Caller:
    return Caller(gateway, acme)


@pytest.fixture
def tasks() -> Tasks:
    return Tasks()


@pytest.fixture
def agent(gateway: GatewayProcess, acme: Customer, tasks: Tasks) -> Iterator[Agent]:
    with connected(_with_tasks(gateway, acme, tasks)) as ready:
        yield ready


def test_the_sdks_client_follows_a_task_to_the_runs_result(agent: Agent, tasks: Tasks, acme: Customer) -> None:
    with a_worker():
        result = agent.call(ASK)
    assert tasks.seen[-1] == "completed"
    run = Run.objects.get(tenant=acme.tenant)
    assert (result.document["run_id"], result.document["status"]) == (str(run.pk), "COMPLETED")
    assert result.document["data"]["question"] == QUESTION["question"]
    assert result.document["reliability"]["required"] == 0.8
    assert result.links


def test_a_run_that_ends_within_the_wait_is_no_task(agent: Agent, tasks: Tasks) -> None:
    with a_worker():
        result = agent.call({**ASK, "wait_sec": 45})
    assert result.document["status"] == "COMPLETED"
    assert tasks.seen == []


def test_the_task_is_the_run(plain: Caller, acme: Customer) -> None:
    created = plain.call()
    run = Run.objects.get(tenant=acme.tenant)
    assert (created["resultType"], created["taskId"], created["status"]) == ("task", str(run.pk), "working")
    assert created["ttlMs"] == 30 * 86_400_000
    assert created["pollIntervalMs"] == 1_500
    assert plain.call()["taskId"] == created["taskId"], "the same call is the same run"

    shown = plain.task(created["taskId"])
    assert (shown["resultType"], shown["status"]) == ("complete", "working")
    assert {name: shown[name] for name in ("taskId", "createdAt", "ttlMs")} == {
        name: created[name] for name in ("taskId", "createdAt", "ttlMs")
    }


def test_a_cancelled_task_is_a_cancelled_run(plain: Caller, acme: Customer) -> None:
    task_id = plain.call()["taskId"]
    assert plain.send("tasks/cancel", {"taskId": task_id})["result"]["resultType"] == "complete"
    assert plain.task(task_id)["status"] == "cancelled"
    assert Run.objects.get(tenant=acme.tenant).last_error_reason_code == "RUN_CANCELLED"
    assert "error" not in plain.send("tasks/cancel", {"taskId": task_id}), "a wish that comes too late is no error"


def test_a_failed_run_is_a_completed_task_that_tells_the_failure(plain: Caller, acme: Customer) -> None:
    """`failed` is for errors of the protocol alone."""
    task_id = plain.call()["taskId"]
    run = Run.objects.get(tenant=acme.tenant)
    cancel(run)
    Run.objects.filter(pk=run.pk).update(last_error_reason_code="PACK_FAILED")
    shown = plain.task(task_id)
    assert shown["status"] == "completed"
    assert shown["result"]["structuredContent"]["error"]["reason_code"] == "PACK_FAILED"


def test_a_client_that_announces_nothing_gets_no_task(plain: Caller) -> None:
    params = {"name": DECISION, "arguments": ASK}
    answer = plain.send("tools/call", params, announced=False)["result"]
    assert answer["resultType"] == "complete"
    assert answer["structuredContent"]["status"] == "QUEUED"
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        task = {"taskId": answer["structuredContent"]["run_id"], "inputResponses": {}}
        error = plain.send(method, task, announced=False)["error"]
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": {"extensions": {_TASKS: {}}}}


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
def test_nobody_sees_another_tenants_task(plain: Caller, gateway: GatewayProcess, rival: Customer, method: str) -> None:
    task_id = plain.call()["taskId"]
    stranger = Caller(gateway, rival)
    answers = [
        stranger.send(method, {"taskId": name, "inputResponses": {}})["error"]
        for name in (task_id, str(uuid4()), "..", "../budget", "x" * 500)
    ]
    assert answers[0]["code"] == -32602
    assert all(answer == answers[0] for answer in answers)
    assert plain.task(task_id)["status"] == "working"


def test_an_update_answers_nothing_and_is_acknowledged(plain: Caller) -> None:
    task_id = plain.call()["taskId"]
    updated = plain.send("tasks/update", {"taskId": task_id, "inputResponses": {"name": {"action": "accept"}}})
    assert updated["result"]["resultType"] == "complete"


def test_the_extension_is_announced_to_clients_too(plain: Caller) -> None:
    found = plain.send("server/discover", {})["result"]
    assert found["capabilities"]["extensions"] == {_TASKS: {}}


def test_a_task_outlives_its_gateway(plain: Caller, acme: Customer, gateway: GatewayProcess) -> None:
    """Nothing is kept there: another one, started later, answers for it."""
    task_id = plain.call()["taskId"]
    with GatewayProcess(gateway.environment) as other:
        assert Caller(other, acme).task(task_id)["status"] == "working"
