"""Callers who send nothing of what they announced, or read nothing of what they asked for: others do not notice."""

import json
import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings

from runs.models import Run
from tests.api.wire import Wire, WireAnswer, exchange
from tests.builders import Customer, customer, fresh_key, json_body, submitted
from tests.http import Api
from tests.processes import ApiProcess
from tests.services import SessionServices

# More than the process has threads.
_SLOW = 40
_FORM = (
    b"POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken=" + b"a" * 32 + b"\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n"
)


@contextmanager
def slow(url: str, begin: Callable[[Wire], None], *, receive_buffer: int | None = None) -> Iterator[list[Wire]]:
    wires = [Wire(url, receive_buffer=receive_buffer) for _ in range(_SLOW)]
    try:
        for wire in wires:
            begin(wire)
        yield wires
    finally:
        for wire in wires:
            wire.close()


def answers(wires: list[Wire], *, at_least: int) -> list[WireAnswer]:
    """Those that came. Who holds a place gets none."""
    ends = time.monotonic() + 20
    answered: list[Wire] = []
    while len(answered) < at_least:
        assert time.monotonic() < ends, f"{len(answered)} of {at_least} were answered"
        time.sleep(0.1)
        answered = [wire for wire in wires if select.select([wire.socket], [], [], 0)[0]]
    return [wire.whole_answer() for wire in answered]


def assert_others_are_served(live_api: ApiProcess, other: Customer) -> None:
    run = submitted(other)
    for _ in range(3):
        assert exchange(live_api.url, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status == 200
        assert exchange(live_api.url, b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status == 200
        assert Api(live_api.url, other).get(f"/v1/runs/{run.pk}").json["status"] == "QUEUED"


def submit(live_api: ApiProcess, owner: Customer) -> int:
    return Api(live_api.url, owner).submit(json.loads(json_body()), key=fresh_key()).status


def test_silent_submits_leave_threads_to_those_who_read_nothing(
    live_api: ApiProcess, acme: Customer, rival: Customer
) -> None:
    with slow(live_api.url, lambda wire: wire.head(acme, "Content-Length: 100")) as wires:
        assert_others_are_served(live_api, rival)

        for refused in answers(wires, at_least=_SLOW - settings.MAX_BODY_READERS):
            assert (refused.status, refused.headers["retry-after"]) == (503, "2")
            assert refused.problem()["retryable"]
    wait_until_submits_work(live_api, rival)
    assert Run.objects.filter(tenant=acme.tenant).count() == 0


def test_silent_forms_leave_submits_alone(live_api: ApiProcess, acme: Customer) -> None:
    with slow(live_api.url, lambda wire: wire.send(_FORM)) as wires:
        assert_others_are_served(live_api, acme)
        assert submit(live_api, acme) == 202

        for refused in answers(wires, at_least=_SLOW - 2):
            assert (refused.status, refused.headers["retry-after"]) == (503, "2")


def wait_until_submits_work(live_api: ApiProcess, owner: Customer) -> None:
    ends = time.monotonic() + 20
    while (status := submit(live_api, owner)) == 503:
        assert time.monotonic() < ends
        time.sleep(0.2)
    assert status == 202


@pytest.mark.parametrize(
    "path",
    ["/docs/swagger-ui-bundle.js", "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"],
)
def test_who_reads_nothing_of_a_large_file_keeps_no_thread(live_api: ApiProcess, acme: Customer, path: str) -> None:
    def ask(wire: Wire) -> None:
        # Of one answer the system between may take all.
        wire.send(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * 8)

    with slow(live_api.url, ask, receive_buffer=2_048) as wires:
        assert_others_are_served(live_api, acme)
        assert submit(live_api, acme) == 202
        answer = wires[0].whole_answer()
        assert (answer.status, answer.headers["content-length"]) == (200, str(len(answer.body)))


def test_bodies_that_come_together_all_find_a_place(live_api: ApiProcess, platform: SessionServices) -> None:
    body = json_body()
    rich = customer("rich", budget="100.0000")

    def submit_whole(wire: Wire) -> None:
        wire.head(rich, f"Content-Length: {len(body)}\r\n\r\n{body}")

    with slow(live_api.url, submit_whole) as wires:
        assert {wire.answer()[0] for wire in wires} == {202}
