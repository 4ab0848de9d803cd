"""What the model reads: the API's document first and untouched, then what only the gateway knows."""

import json

from mcp_types import CallToolResult, ContentBlock, TextContent

from dpp_project.money import ZERO, format_usd
from runs.api.problems import ProblemError
from runs.api.serializers.problem import problem_document
from runs.mcp.client import RUNS_PATH, ApiAnswer


def accepted(answer: ApiAnswer, *, api_url: str, key: str) -> CallToolResult:
    href = answer.document.get("poll", {}).get("href", "")
    note = f"Poll GET {api_url}{href} with the same API key. {_about_key(key)}"
    if answer.replayed:
        note = f"This run was submitted before; nothing more was charged. {note}"
    return CallToolResult(content=_texts(answer.text, note), structured_content=answer.document)


def refused(answer: ApiAnswer, *, key: str) -> CallToolResult:
    return CallToolResult(content=_texts(answer.text, _about_key(key)), is_error=True)


def unanswered(error: ProblemError, *, trace_id: str, key: str | None = None) -> CallToolResult:
    """A problem of the gateway's own, in the form of the API's. Without a key the call went nowhere."""
    document = problem_document(
        error.problem,
        detail=error.detail,
        instance=RUNS_PATH,
        trace_id=trace_id,
        charged_usd=format_usd(ZERO),
        **error.extra,
    )
    notes = [_about_key(key)] if key else []
    return CallToolResult(content=_texts(json.dumps(document, ensure_ascii=False), *notes), is_error=True)


def _about_key(key: str) -> str:
    return f"idempotency_key of this call: {key} (give it again to retry, another one for a fresh run)."


def _texts(*texts: str) -> list[ContentBlock]:
    return [TextContent(text=text) for text in texts]
