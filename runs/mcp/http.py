"""The gateway over streamable HTTP, for many callers, each with its own key in its Authorization header."""

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dpp_project.http_deadlines import server_options
from dpp_project.profile import PROFILE
from packs.registry import PACKS
from runs.mcp.admission import Admission
from runs.mcp.caller import Caller, caller_of
from runs.mcp.server import Context, make_server
from runs.mcp.settings import GatewaySettings, HttpSettings

PATH = "/mcp"

# Above the API's limit, so that it is the API that refuses: with a problem.
_MAX_BODY_BYTES = PROFILE.max_request_bytes + 1_048_576


def serve_http(settings: GatewaySettings, http: HttpSettings) -> None:
    uvicorn.run(
        make_app(settings, http),
        host=http.host,
        port=http.port,
        log_config=None,
        **server_options(),
    )


def make_app(settings: GatewaySettings, http: HttpSettings) -> Admission:
    server = make_server(settings, PACKS, caller_of=_caller)
    protocol = server.streamable_http_app(
        streamable_http_path=PATH,
        # A submit is one question and one answer: no stream, and no session that would remember who asked.
        json_response=True,
        stateless_http=True,
        max_request_body_size=_MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=http.allowed_hosts,
            allowed_origins=http.allowed_origins,
        ),
        custom_starlette_routes=[Route("/healthz", _healthz)],
    )
    return Admission(protocol, path=PATH)


def _caller(context: Context) -> Caller:
    assert isinstance(context.request, Request), "every message of this transport came in a request"
    return caller_of(context.request)


async def _healthz(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})
