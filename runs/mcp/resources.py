"""Results as resources: `dpp://runs/{run_id}/{name}`, the envelope and the files beside it, by the caller's key."""

import base64
import re
from typing import Any

from mcp_types import BlobResourceContents, ReadResourceResult, ResourceLink, ResourceTemplate, TextResourceContents

from runs.api.problems import PAYLOAD_TOO_LARGE, RUN_NOT_FOUND_STEALTH
from runs.mcp.caller import Caller
from runs.mcp.client import ApiClient

ENVELOPE = "pack_envelope.json"
# The envelope and each report are far below it; what is larger is fetched by its link.
MAX_BYTES = 4 * 1_048_576

_JSON = "application/json"
_URI = re.compile(r"dpp://runs/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([A-Za-z0-9._-]{1,200})", re.ASCII)

TEMPLATE = ResourceTemplate(
    name="result",
    uri_template="dpp://runs/{run_id}/{name}",
    description=f"A file of a run that has ended: {ENVELOPE}, report.md, report.docx.",
)


class NoSuchResource(Exception):
    """Not a URI of ours, or a run that has no such file."""


def links_of(run: dict[str, Any]) -> list[ResourceLink]:
    """The envelope first."""
    return [
        ResourceLink(name=name, uri=f"dpp://runs/{run['run_id']}/{name}", mime_type=mime_type(link), size=link["size"])
        for name, link in files_of(run).items()
    ]


def files_of(run: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Each file's link, by its name."""
    result = run.get("result")
    if not result:
        return {}
    return {ENVELOPE: {**result, "mime": _JSON}, **{item["name"]: item for item in result["artifacts"]}}


def mime_type(link: dict[str, Any]) -> str:
    return str(link["mime"])


async def read_resource(api: ApiClient, uri: str, caller: Caller) -> ReadResourceResult:
    """Raises `NoSuchResource`, or `ProblemError` with what the API said."""
    match = _URI.fullmatch(uri)
    if match is None:
        raise NoSuchResource(uri)
    run_id, name = match.groups()
    answer = await api.read(run_id, caller)
    if answer.is_problem:
        if answer.document.get("reason_code") == RUN_NOT_FOUND_STEALTH.reason_code:
            raise NoSuchResource(uri)
        raise ApiProblem(answer.document)
    link = files_of(answer.document).get(name)
    if link is None:
        raise NoSuchResource(uri)
    if link["size"] > MAX_BYTES:
        raise PAYLOAD_TOO_LARGE.error(
            f"{name} has {link['size']} bytes, more than is read here. GET {answer.document['run_id']} at the API "
            "with the same key gives a link to it."
        )
    body = await api.download(link, most_bytes=MAX_BYTES)
    return ReadResourceResult(contents=[_contents(uri, body, mime_type(link))])


class ApiProblem(Exception):
    """What the API answered instead of a run."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document.get("reason_code"))
        self.document = document


def _contents(uri: str, body: bytes, mime: str) -> TextResourceContents | BlobResourceContents:
    kind = mime.partition(";")[0]
    if kind.startswith("text/") or kind == _JSON:
        return TextResourceContents(uri=uri, mime_type=mime, text=body.decode("utf-8", errors="replace"))
    return BlobResourceContents(uri=uri, mime_type=mime, blob=base64.b64encode(body).decode())
