"""A problem as a JSON document: members at the top level, as RFC 9457 has it, and once more under `extensions`."""

from typing import Any

from django.conf import settings

from runs.api.problems import Problem


def problem_document(
    problem: Problem, *, detail: str, instance: str, trace_id: str, charged_usd: str, **extra: Any
) -> dict[str, Any]:
    extensions: dict[str, Any] = {
        "reason_code": problem.reason_code,
        "trace_id": trace_id,
        "retryable": problem.retryable,
        "retry_after_sec": problem.retry_after_sec,
        "charged_usd": charged_usd,
        "next_action": problem.next_action,
        **extra,
    }
    return {
        "type": settings.PROBLEM_TYPE_BASE + problem.slug,
        "title": problem.title,
        "status": problem.status,
        "detail": detail,
        "instance": instance,
        **extensions,
        "extensions": extensions,
    }
