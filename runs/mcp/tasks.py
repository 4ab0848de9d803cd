"""Runs as tasks, for clients that announce the extension `io.modelcontextprotocol/tasks` (SEP-2663).

A run that has not ended within its call's `wait_sec` is answered as a task: its id is the run's, so nothing is kept
here, and any gateway answers for it. A failed run is a completed task whose result tells the failure; `failed` is for
errors of the protocol alone.
"""

from datetime import datetime
from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from dpp_project.profile import PROFILE
from packs.base import JsonObject
from runs.api.problems import RUN_CANCELLED, RUN_EXPIRED, RUN_NOT_CANCELLABLE, RUN_NOT_FOUND_STEALTH
from runs.mcp.caller import Caller
from runs.mcp.client import ApiClient
from runs.mcp.results import LIVE

EXTENSION = "io.modelcontextprotocol/tasks"

_SUPPORT = types.ClientCapabilities(extensions={EXTENSION: {}})
_NO_TASK = frozenset({RUN_NOT_FOUND_STEALTH.reason_code, RUN_EXPIRED.reason_code})


class TaskParams(types.RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    task_id: str


def is_announced(context: ServerRequestContext[Any, Any]) -> bool:
    """With this very request: what a client said before does not count."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and context.session.check_client_capability(_SUPPORT)


def require_announced(context: ServerRequestContext[Any, Any]) -> None:
    if not is_announced(context):
        needed: JsonObject = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, f"This needs the extension {EXTENSION}.", needed)


def created(run: JsonObject) -> JsonObject:
    """In the place of a tool's result."""
    return {"resultType": "task", **_task(run, "working")}


def shown(run: JsonObject, result: types.CallToolResult | None) -> JsonObject:
    """`result`: what the tool's call would have answered, of a run that has ended."""
    if run["status"] in LIVE:
        return _task(run, "working")
    if run.get("error", {}).get("reason_code") == RUN_CANCELLED.reason_code:
        return _task(run, "cancelled")
    assert result is not None
    return {**_task(run, "completed"), "result": result.model_dump(by_alias=True, mode="json", exclude_none=True)}


async def read(api: ApiClient, task_id: str, caller: Caller) -> JsonObject:
    """The run of that id, or an error of the protocol."""
    answer = await api.read(_checked(task_id), caller)
    if answer.is_problem:
        raise _protocol_error(answer.document)
    return answer.document


async def cancel(api: ApiClient, task_id: str, caller: Caller) -> None:
    """What has ended or is ending is no error: cancelling is a wish."""
    answer = await api.cancel(_checked(task_id), caller)
    if answer.is_problem and answer.document.get("reason_code") != RUN_NOT_CANCELLABLE.reason_code:
        raise _protocol_error(answer.document)


def _task(run: JsonObject, status: str) -> JsonObject:
    meta = run["meta"]
    kept = datetime.fromisoformat(meta["retention_until"]) - datetime.fromisoformat(meta["created_at"])
    return {
        "taskId": run["run_id"],
        "status": status,
        "statusMessage": _message(run),
        "createdAt": meta["created_at"],
        "lastUpdatedAt": meta["updated_at"],
        "ttlMs": round(kept.total_seconds() * 1000),
        "pollIntervalMs": PROFILE.poll_recommended_interval_ms,
    }


def _message(run: JsonObject) -> str:
    if run["status"] in LIVE:
        return f"{run['status']}, {run['progress']:.0%} done."
    return f"{run['status']}: {run['error']['reason_code']}." if "error" in run else f"{run['status']}."


def _checked(task_id: str) -> str:
    """Nothing but an id becomes part of a path."""
    if not task_id.isascii() or not all(letter.isalnum() or letter == "-" for letter in task_id):
        raise _no_task()
    return task_id


def _protocol_error(document: JsonObject) -> MCPError:
    if document.get("reason_code") in _NO_TASK:
        return _no_task()
    return MCPError(types.INTERNAL_ERROR, f"{document['reason_code']}: {document['detail']}", document)


def _no_task() -> MCPError:
    return MCPError(types.INVALID_PARAMS, "There is no such task.")
