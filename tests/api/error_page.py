"""docs/errors.md, made from the registry of problems."""

from django.conf import settings

from runs.api.problems import ANSWERS, RUN_FAILURES, Problem

_HEAD = """# Errors

Made by `make openapi` from the registry of problems; do not edit.

Every answer of 400 or above under `/v1` is a problem of
[RFC 9457](https://www.rfc-editor.org/rfc/rfc9457), `application/problem+json`. Read `reason_code`; titles and details
are for people. `type` is `{base}` and the slug. The members below `instance` stand at the top level and
once more under `extensions`.

| member | |
|---|---|
| `type`, `title`, `status`, `detail`, `instance` | as in the RFC |
| `reason_code` | what happened, from the lists below |
| `retryable` | the same request, sent again later, may succeed |
| `retry_after_sec` | after how many seconds a repeat may pass, or null; as `Retry-After`, which is 30 with any 429 |
| `retry_with` | the Idempotency-Key of a repeat: `same_key`, `new_key`, or `none` if repeating does not help |
| `charged_usd` | what has been charged in spite of it |
| `next_action` | what to do, in one sentence |
| `trace_id` | to be named when asking for help; also in the `X-Trace-Id` header |
| `run_id` | where a run is concerned and the caller may know it |
| `errors` | for invalid requests: what is wrong, and where (`pointer` into the body, or `parameter`) |
"""


def error_page() -> bytes:
    parts = [
        _HEAD.format(base=settings.PROBLEM_TYPE_BASE),
        "## Answers\n\n" + _table(list(ANSWERS.values())),
        "## Why runs fail\n\nIn `error.reason_code` of a run that is FAILED; `error.problem` is the whole document. "
        "`charged_usd` is the\nminimum fee where the run had started, otherwise 0.0000.\n\n"
        + _table(list(RUN_FAILURES.values())),
    ]
    return "\n".join(parts).encode()


def _table(problems: list[Problem]) -> str:
    rows = ["| status | reason_code | slug | title | retryable | next action |", "|---|---|---|---|---|---|"]
    rows += [
        f"| {problem.status} | `{problem.reason_code}` | `{problem.slug}` | {problem.title} | {_retry(problem)} "
        f"| {problem.next_action} |"
        for problem in problems
    ]
    return "\n".join(rows) + "\n"


def _retry(problem: Problem) -> str:
    if not problem.retryable:
        return "no"
    return "yes" if problem.retry_after_sec is None else f"after {problem.retry_after_sec} s"
