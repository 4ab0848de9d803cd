"""The protocol's server: lists the tools and carries calls out. The same for both transports."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from packs.base import JsonObject, Pack
from runs.api.problems import INTERNAL_ERROR, ProblemError
from runs.mcp import resources, results, tasks
from runs.mcp.arguments import read_arguments
from runs.mcp.caller import Caller
from runs.mcp.client import LONGEST_HOLD_SEC, RUNS_PATH, ApiClient
from runs.mcp.settings import GatewaySettings
from runs.mcp.tools import tools_for
from runs.mcp.waiting import ended_run, granted_sec

log = logging.getLogger("dpp.mcp")

Context = ServerRequestContext[ApiClient, Any]

_INSTRUCTIONS = (
    "Each tool submits a paid run, waits for it, and returns its receipt, state, cost, reliability, warnings and "
    "data. Still QUEUED or PROCESSING? Call the tool again with the same arguments: that is the same run, and nothing "
    "more is charged. Errors are problem documents (RFC 9457): read `next_action`. What is too large for an answer is "
    "a resource (dpp://runs/…)."
)


def make_server(
    settings: GatewaySettings, packs: Mapping[str, Pack], *, caller_of: Callable[[Context], Caller]
) -> Server[ApiClient]:
    tools = tools_for(packs)

    @asynccontextmanager
    async def lifespan(_: Server[ApiClient]) -> AsyncIterator[ApiClient]:
        api = ApiClient(settings)
        try:
            yield api
        finally:
            await api.close()

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool for _, tool in tools.values()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult | JsonObject:
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, f"There is no such tool. There are: {', '.join(tools)}.")
        pack, _ = tools[params.name]
        call = _Call(context.lifespan_context, settings.api_url, pack, caller_of(context))
        return await call.carry_out(params.arguments or {}, as_task=tasks.is_announced(context))

    async def list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """None: whoever has a run's id can read its files, and answers carry links to them."""
        return types.ListResourcesResult(resources=[])

    async def list_templates(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[resources.TEMPLATE])

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await _read_resource(context.lifespan_context, str(params.uri), caller_of(context))

    async def get_task(context: Context, params: tasks.TaskParams) -> JsonObject:
        tasks.require_announced(context)
        api = context.lifespan_context
        with _as_protocol_errors(caller_of(context)):
            run = await tasks.read(api, params.task_id, caller_of(context))
            return tasks.shown(run, await _result_of(api, settings.api_url, run))

    async def cancel_task(context: Context, params: tasks.TaskParams) -> JsonObject:
        tasks.require_announced(context)
        with _as_protocol_errors(caller_of(context)):
            await tasks.cancel(context.lifespan_context, params.task_id, caller_of(context))
        return {}

    async def update_task(context: Context, params: tasks.TaskParams) -> JsonObject:
        """No run ever asks for input: whatever comes answers nothing that is open."""
        tasks.require_announced(context)
        with _as_protocol_errors(caller_of(context)):
            await tasks.read(context.lifespan_context, params.task_id, caller_of(context))
        return {}

    server = Server(
        "dpp",
        version=PROFILE.envelope_schema_version,
        title="Decision Pack Platform",
        instructions=_INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    server.extensions[tasks.EXTENSION] = {}
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    server.add_request_handler("tasks/get", tasks.TaskParams, get_task)
    server.add_request_handler("tasks/cancel", tasks.TaskParams, cancel_task)
    server.add_request_handler("tasks/update", tasks.TaskParams, update_task)
    return server


class _Call:
    """One tool call, from its arguments to its result, and its line in the log."""

    def __init__(self, api: ApiClient, api_url: str, pack: Pack, caller: Caller) -> None:
        self._api = api
        self._api_url = api_url
        self._pack = pack
        self._caller = caller
        self._key: str | None = None
        self._began = time.monotonic()

    async def carry_out(self, arguments: JsonObject, *, as_task: bool) -> types.CallToolResult | JsonObject:
        """`as_task`: the caller takes a task for a run that has not ended."""
        try:
            return await self._submit(arguments, as_task=as_task)
        except ProblemError as error:
            self._log(error.problem.status, reason_code=error.problem.reason_code)
            return results.unanswered(error, trace_id=self._caller.trace_id, key=self._key)
        except Exception as error:
            # Its message may quote the arguments; where it was raised says enough.
            log.error("mcp_call_failed", extra=fields(error=type(error).__name__, at=_place(error)))
            internal = INTERNAL_ERROR.error("The gateway could not complete the call.")
            return results.unanswered(internal, trace_id=self._caller.trace_id, key=self._key)

    async def _submit(self, arguments: JsonObject, *, as_task: bool) -> types.CallToolResult | JsonObject:
        # Sixteen megabytes take a second to hash: the loop, and all other callers, would wait for it.
        today = datetime.now(UTC).date()
        submission = await asyncio.to_thread(read_arguments, self._pack.name, arguments, utc_day=today)
        self._key = submission.idempotency_key
        with granted_sec(submission.wait_sec, self._caller) as wait_sec:
            ends = time.monotonic() + wait_sec
            hold_sec = min(wait_sec, LONGEST_HOLD_SEC)
            answer = await self._api.submit(submission, self._caller, hold_sec=hold_sec)
            if answer.is_problem:
                self._log(answer.status, reason_code=answer.document.get("reason_code"))
                return results.refused(answer.document, key=self._key)
            receipt = answer.document
            run = await ended_run(self._api, receipt["run_id"], receipt.get("run"), self._caller, ends=ends)
        self._log(
            answer.status,
            run_id=receipt["run_id"],
            replayed=answer.replayed or None,
            run_status=run and run["status"],
        )
        if as_task and run is None:
            run = await tasks.read(self._api, receipt["run_id"], self._caller)
        if as_task and run is not None and run["status"] in results.LIVE:
            return tasks.created(run)
        envelope = await _envelope(self._api, run)
        return results.accepted(receipt, run, envelope, api_url=self._api_url, key=self._key, replayed=answer.replayed)

    def _log(self, status: int, **more: Any) -> None:
        elapsed_ms = round((time.monotonic() - self._began) * 1000, 1)
        log.info(
            "mcp_call",
            extra=fields(
                service="mcp",
                pack_type=self._pack.name,
                trace_id=self._caller.trace_id,
                status=status,
                elapsed_ms=elapsed_ms,
                **more,
            ),
        )


async def _envelope(api: ApiClient, run: JsonObject | None) -> JsonObject | None:
    """None if there is none, or it cannot be had now, or is larger than is read here: the answer has a link to it."""
    if run is None or run["status"] != "COMPLETED" or run["result"]["size"] > resources.MAX_BYTES:
        return None
    try:
        body = await api.download(run["result"], most_bytes=resources.MAX_BYTES)
    except ProblemError as error:
        log.warning("mcp_result_unavailable", extra=fields(run_id=run["run_id"], detail=error.detail))
        return None
    envelope: JsonObject = json.loads(body)
    return envelope


async def _result_of(api: ApiClient, api_url: str, run: JsonObject) -> types.CallToolResult | None:
    """What its call would answer now; None while it is live."""
    if run["status"] in results.LIVE:
        return None
    receipt = {"run_id": run["run_id"], "poll": {"href": f"{RUNS_PATH}/{run['run_id']}"}, "meta": run["meta"]}
    return results.accepted(receipt, run, await _envelope(api, run), api_url=api_url)


@contextmanager
def _as_protocol_errors(caller: Caller) -> Iterator[None]:
    """The API could not be asked: an error of the protocol, with the problem in it."""
    try:
        yield
    except ProblemError as error:
        raise _protocol_error(results.problem_of(error, trace_id=caller.trace_id)) from None


async def _read_resource(api: ApiClient, uri: str, caller: Caller) -> types.ReadResourceResult:
    try:
        return await resources.read_resource(api, uri, caller)
    except resources.NoSuchResource:
        raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": uri}) from None
    except resources.ApiProblem as problem:
        raise _protocol_error(problem.document) from None
    except ProblemError as error:
        raise _protocol_error(results.problem_of(error, trace_id=caller.trace_id, instance=uri)) from None


def _protocol_error(document: JsonObject) -> MCPError:
    return MCPError(types.INTERNAL_ERROR, f"{document['reason_code']}: {document['detail']}", document)


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace is not None else ""
