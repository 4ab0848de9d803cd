"""The protocol's server: lists the tools and carries calls out. The same for both transports."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from packs.base import JsonObject, Pack
from runs.api.problems import INTERNAL_ERROR, ProblemError
from runs.mcp import results
from runs.mcp.arguments import read_arguments
from runs.mcp.caller import Caller
from runs.mcp.client import ApiClient
from runs.mcp.settings import GatewaySettings
from runs.mcp.tools import tools_for

log = logging.getLogger("dpp.mcp")

Context = ServerRequestContext[ApiClient, Any]

_INSTRUCTIONS = (
    "Each tool submits a paid run to DPP and returns a receipt. The result is fetched over HTTP from the receipt's "
    "poll.href with the same API key. Errors are problem documents (RFC 9457): read `next_action`. Repeating a call "
    "is safe: it is not charged twice."
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

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, f"There is no such tool. There are: {', '.join(tools)}.")
        pack, _ = tools[params.name]
        call = _Call(context.lifespan_context, settings.api_url, pack, caller_of(context))
        return await call.carry_out(params.arguments or {})

    return Server(
        "dpp",
        version=PROFILE.envelope_schema_version,
        title="Decision Pack Platform",
        instructions=_INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Call:
    """One tool call, from its arguments to its result, and its line in the log."""

    def __init__(self, api: ApiClient, api_url: str, pack: Pack, caller: Caller) -> None:
        self._api = api
        self._api_url = api_url
        self._pack = pack
        self._caller = caller
        self._key: str | None = None
        self._began = time.monotonic()

    async def carry_out(self, arguments: JsonObject) -> types.CallToolResult:
        try:
            return await self._submit(arguments)
        except ProblemError as error:
            self._log(error.problem.status, reason_code=error.problem.reason_code)
            return results.unanswered(error, trace_id=self._caller.trace_id, key=self._key)
        except Exception as error:
            # Its message may quote the arguments; where it was raised says enough.
            log.error("mcp_call_failed", extra=fields(error=type(error).__name__, at=_place(error)))
            internal = INTERNAL_ERROR.error("The gateway could not complete the call.")
            return results.unanswered(internal, trace_id=self._caller.trace_id, key=self._key)

    async def _submit(self, arguments: JsonObject) -> types.CallToolResult:
        # Sixteen megabytes take a second to hash: the loop, and all other callers, would wait for it.
        today = datetime.now(UTC).date()
        submission = await asyncio.to_thread(read_arguments, self._pack.name, arguments, utc_day=today)
        self._key = submission.idempotency_key
        answer = await self._api.submit(submission, self._caller)
        self._log(
            answer.status,
            reason_code=answer.document.get("reason_code"),
            run_id=answer.document.get("run_id"),
            replayed=answer.replayed or None,
        )
        if answer.accepted:
            return results.accepted(answer, api_url=self._api_url, key=self._key)
        return results.refused(answer, key=self._key)

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


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace is not None else ""
