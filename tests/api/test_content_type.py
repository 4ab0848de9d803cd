"""Whatever a Content-Type header says: an answer of ours, with a key and without one."""

import json

import pytest

from runs.models import Run
from tests.api.content_types import MANY_PARAMETERS, ODD_CONTENT_TYPES
from tests.api.wire import WireAnswer, exchange
from tests.builders import Customer, fresh_key, json_body
from tests.processes import ApiProcess


def ask(api: ApiProcess, line: str, kind: str, owner: Customer | None = None, body: bytes = b"") -> WireAnswer:
    lines = [f"{line} HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {kind}"]
    if owner:
        lines += [f"Authorization: Bearer {owner.api_key}", f"Idempotency-Key: {fresh_key()}"]
    if body:
        lines += [f"Content-Length: {len(body)}"]
    return exchange(api.url, "\r\n".join((*lines, "", "")).encode() + body)


def test_it_does_not_decide_how_a_query_is_read(
    live_api: ApiProcess, acme: Customer, subtests: pytest.Subtests
) -> None:
    for odd in ODD_CONTENT_TYPES:
        with subtests.test(odd[:40]):
            listed = ask(live_api, "GET /v1/runs?status=QUEUED", odd, acme)
            assert (listed.status, json.loads(listed.body)["runs"]) == (200, [])
            crowded = ask(live_api, f"GET /v1/runs?{MANY_PARAMETERS}", odd, acme)
            assert (crowded.status, crowded.problem()["reason_code"]) == (400, "INVALID_PARAMS")
            unknown = ask(live_api, "GET /v1/budget?a=1", odd)
            assert (unknown.status, unknown.problem()["reason_code"]) == (401, "AUTH_INVALID")
            assert ask(live_api, "GET /healthz?a=1", odd).status == 200
            assert ask(live_api, "GET /admin/login/?a=1", odd).status == 200


def test_a_submit_is_accepted_or_refused_for_what_it_is(
    live_api: ApiProcess, acme: Customer, subtests: pytest.Subtests
) -> None:
    for odd in ODD_CONTENT_TYPES:
        with subtests.test(odd[:40]):
            before = Run.objects.count()
            answer = ask(live_api, "POST /v1/runs?a=1", odd, acme, body=json_body().encode())
            if answer.status != 202:
                assert (answer.status, answer.problem()["reason_code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
            assert Run.objects.count() - before == (answer.status == 202)


def test_a_poll_is_answered_alike_on_both_ways(
    live_api: ApiProcess, acme: Customer, queued_run: Run, subtests: pytest.Subtests
) -> None:
    """Only a poll without a query may take the quick lane."""
    for odd in ODD_CONTENT_TYPES:
        with subtests.test(odd[:40]):
            path = f"/v1/runs/{queued_run.pk}"
            quick, full = (ask(live_api, f"GET {target}", odd, acme) for target in (path, f"{path}?wait=0"))
            assert (quick.status, json.loads(quick.body)["status"]) == (200, "QUEUED")
            assert (full.status, full.body) == (quick.status, quick.body)
