"""What the model reads: a run with what it is worth and, once there is one, its data; or a problem in its own words."""

import json
import re
from typing import Any

from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent

from dpp_project.money import ZERO, format_usd
from runs.api.problems import ProblemError
from runs.api.serializers.problem import problem_document
from runs.mcp import resources
from runs.mcp.client import RUNS_PATH

# About 6,000 tokens. What is larger is read as a resource.
MAX_DATA_CHARS = 24_000

LIVE = frozenset({"QUEUED", "PROCESSING"})

# What of a run stands in the answer; its links are resources here.
_SHOWN = ("status", "progress", "cost", "reliability", "warnings", "budget_cap")
_OF_AN_ERROR = ("detail", "retry_with", "charged_usd", "next_action")

# Where the API's words for a place or a name are not those of a tool call.
_PLACES = re.compile(r"^/(?:reservation|inputs)(?=/)")
_HEADER = "Idempotency-Key"


def accepted(
    receipt: dict[str, Any],
    run: dict[str, Any] | None,
    envelope: dict[str, Any] | None,
    *,
    api_url: str,
    key: str | None = None,
    replayed: bool = False,
) -> CallToolResult:
    """The receipt and, as far as it is known, the run. `envelope`: its result, if that has been fetched. `key`: of the
    call, where there was one."""
    document = {name: value for name, value in receipt.items() if name != "run"}
    links: list[ResourceLink] = []
    if run is not None:
        document |= {name: run[name] for name in _SHOWN if name in run}
        if "error" in run:
            document["error"] = _error(run["error"])
        links = resources.links_of(run)
    if envelope is not None:
        document |= _bounded(envelope.get("data", {}))
    note = " ".join(_notes(document, links, href=f"{api_url}{receipt['poll']['href']}", key=key, replayed=replayed))
    texts: list[ContentBlock] = [TextContent(text=text) for text in (_json(document), note) if text]
    return CallToolResult(content=[*texts, *links], structured_content=document)


def refused(document: dict[str, Any], *, key: str | None = None) -> CallToolResult:
    """The API's problem, in the words of a tool call; `extensions` only with what clients read there."""
    shown = dict(document)
    extensions = document.get("extensions")
    code = extensions.get("reason_code") if isinstance(extensions, dict) else document.get("reason_code")
    shown["extensions"] = {"reason_code": code}
    if "errors" in document:
        shown["errors"] = [_renamed(error) for error in document["errors"]]
    for name in ("detail", "next_action"):
        if isinstance(document.get(name), str):
            shown[name] = document[name].replace(_HEADER, "idempotency_key")
    notes = [TextContent(text=_about_key(key))] if key else []
    return CallToolResult(content=[TextContent(text=_json(shown)), *notes], is_error=True)


def unanswered(error: ProblemError, *, trace_id: str, key: str | None = None) -> CallToolResult:
    """A problem of the gateway's own, in the form of the API's. Without a key the call went nowhere."""
    return refused(problem_of(error, trace_id=trace_id), key=key)


def problem_of(error: ProblemError, *, trace_id: str, instance: str = RUNS_PATH) -> dict[str, Any]:
    return problem_document(
        error.problem,
        detail=error.detail,
        instance=instance,
        trace_id=trace_id,
        charged_usd=format_usd(ZERO),
        **error.extra,
    )


def _error(error: dict[str, Any]) -> dict[str, Any]:
    problem = error["problem"]
    shown = {name: problem[name] for name in _OF_AN_ERROR if name in problem}
    shown["next_action"] = str(shown.get("next_action", "")).replace(_HEADER, "idempotency_key")
    return {"reason_code": error["reason_code"], **shown}


def _bounded(data: dict[str, Any]) -> dict[str, Any]:
    """The data, or its smaller members: an answer in words is seldom among the large ones."""
    sizes = {name: len(_json(value)) + len(name) + 4 for name, value in data.items()}
    kept: set[str] = set()
    left = MAX_DATA_CHARS
    for name in sorted(sizes, key=sizes.__getitem__):
        if sizes[name] > left:
            break
        kept.add(name)
        left -= sizes[name]
    shown: dict[str, Any] = {"data": {name: value for name, value in data.items() if name in kept}}
    if left_out := [name for name in data if name not in kept]:
        shown["data_left_out"] = left_out
    return shown


def _notes(
    document: dict[str, Any], links: list[ResourceLink], *, href: str, key: str | None, replayed: bool
) -> list[str]:
    notes = []
    if replayed:
        notes.append("This run was submitted before; nothing more was charged.")
    if document["status"] in LIVE:
        notes.append(
            "Not ended yet: call this tool again with the same arguments to wait on, for the same run "
            f"(or GET {href} with the same API key)."
        )
    elif document["status"] == "FAILED":
        notes.append("The run failed: for another try give a new idempotency_key.")
    if "data_left_out" in document:
        notes.append(f"Too large to stand here: {', '.join(document['data_left_out'])}; read {links[0].uri}.")
    return [*notes, _about_key(key)] if key else notes


def _about_key(key: str) -> str:
    return f"idempotency_key of this call: {key} (give it again to retry, another one for a fresh run)."


def _renamed(error: dict[str, Any]) -> dict[str, Any]:
    """A pointer into the arguments, not into the body that was made of them."""
    return {**error, "pointer": _PLACES.sub("", error["pointer"])} if "pointer" in error else error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
