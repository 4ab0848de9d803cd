"""A problem as a JSON document: members at the top level, as RFC 9457 has it, and once more under `extensions`."""

from typing import Any

from django.conf import settings

from runs.api.problems import ANSWERS, RETRY_WITH, RUN_FAILURES, Problem
from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import Choice, Flag, Id, SchemaField, Text, Usd, WholeNumber


class AmountText(Usd):
    """An amount that is text already."""

    def to_representation(self, value: Any) -> str:
        return str(value)


class ProblemErrorSerializer(AnswerSerializer):
    pointer = Text(required=False, help_text="JSON Pointer into the request body.")
    parameter = Text(required=False, help_text="Name of a query parameter.")
    detail = Text()


class ProblemExtensionsSerializer(AnswerSerializer):
    """The same members once more."""

    reason_code = Choice(sorted({*ANSWERS, *RUN_FAILURES}))
    trace_id = Text()
    retryable = Flag(help_text="The same request, sent again later, may succeed.")
    retry_after_sec = WholeNumber(
        minimum=0,
        allow_null=True,
        help_text="After how many seconds a repeat may succeed. As `Retry-After`, which with a 429 is always 30.",
    )
    retry_with = Choice(
        RETRY_WITH,
        help_text="The Idempotency-Key of a repeat: the same one, a new one, or none since repeating does not help.",
    )
    charged_usd = AmountText(help_text="What has been charged in spite of the problem.")
    next_action = Text(help_text="One imperative sentence for the agent that reads it.")
    run_id: SchemaField = Id(required=False, help_text="Where a run is concerned and the caller may know it.")
    errors = ProblemErrorSerializer(  # type: ignore[assignment]
        many=True, required=False, help_text="Of INVALID_PARAMS, SCHEMA_VALIDATION_FAILED and such."
    )
    balance_remaining = AmountText(required=False, help_text="Of BUDGET_DRAINED.")
    reservation_required = AmountText(required=False, help_text="Of BUDGET_DRAINED and KEY_BUDGET_DRAINED.")
    key_remaining = AmountText(
        required=False, help_text="Of KEY_BUDGET_DRAINED: what the key may still spend; absent without a limit in all."
    )
    key_max_per_run = AmountText(
        required=False, help_text="Of KEY_BUDGET_DRAINED: what it may spend on one run; absent without such a limit."
    )
    least_usd = AmountText(required=False, help_text="Of RESERVATION_TOO_SMALL: the least the run can cost.")


class _Standard(AnswerSerializer):
    type = Text(format="uri")
    title = Text()
    status = WholeNumber(minimum=400, maximum=599)
    detail = Text()
    instance = Text()


class ProblemSerializer(_Standard, ProblemExtensionsSerializer):
    """RFC 9457. All members stand at the top level and, but for the first five, under `extensions`."""

    extensions = ProblemExtensionsSerializer(source="*")


_PROBLEM = ProblemSerializer()


def problem_document(
    problem: Problem, *, detail: str, instance: str, trace_id: str, charged_usd: str, **extra: Any
) -> dict[str, Any]:
    unknown = extra.keys() - _PROBLEM.fields.keys()
    assert not unknown, f"members that no problem has: {unknown}"
    values = {
        "type": settings.PROBLEM_TYPE_BASE + problem.slug,
        "title": problem.title,
        "status": problem.status,
        "detail": detail,
        "instance": instance,
        "reason_code": problem.reason_code,
        "trace_id": trace_id,
        "retryable": problem.retryable,
        "retry_after_sec": problem.retry_after_sec,
        "retry_with": problem.retry_with,
        "charged_usd": charged_usd,
        "next_action": problem.next_action,
        **extra,
    }
    return dict(_PROBLEM.to_representation(values))
