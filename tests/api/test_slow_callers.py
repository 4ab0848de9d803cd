"""Callers who send nothing of what they announced, or read nothing of what they asked for: others do not notice."""

import json
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.conf import settings

from runs.api.bodies import Holder, Places
from runs.api.problems import ProblemError
from runs.models import Run
from tests.api.wire import Wire, WireAnswer, exchange
from tests.builders import Customer, customer, fresh_key, json_body, submitted
from tests.http import Api
from tests.processes import CLONE, ApiProcess
from tests.services import SessionServices

# More than the process has threads.
_SLOW = 40
_FORM = (
    b"POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken=" + b"a" * 32 + b"\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n"
)


@contextmanager
def slow(
    url: str, begin: Callable[[Wire], None], *, how_many: int = _SLOW, receive_buffer: int | None = None
) -> Iterator[list[Wire]]:
    wires = [Wire(url, receive_buffer=receive_buffer) for _ in range(how_many)]
    try:
        for wire in wires:
            begin(wire)
        yield wires
    finally:
        for wire in wires:
            wire.close()


def answers(wires: list[Wire], *, at_least: int) -> list[WireAnswer]:
    """The answers that came. A caller that still holds a place gets none."""
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
        time.sleep(0.5)
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


def test_a_tenants_silent_bodies_leave_places_to_others(live_api: ApiProcess, acme: Customer, rival: Customer) -> None:
    with slow(live_api.url, lambda wire: wire.head(acme, "Content-Length: 100")):
        time.sleep(0.5)
        assert submit(live_api, rival) == 202


def test_an_addresses_silent_bodies_leave_places_to_others_whatever_keys_it_has(
    live_api: ApiProcess, acme: Customer, rival: Customer
) -> None:
    third = customer("third", budget="10.0000")
    with (
        slow(live_api.url, lambda wire: wire.head(acme, "Content-Length: 100")),
        slow(live_api.url, lambda wire: wire.head(rival, "Content-Length: 100")),
    ):
        time.sleep(0.5)
        whole = json.loads(json_body())
        assert Api(live_api.url, third, come_from="127.0.0.2").submit(whole, key=fresh_key()).status == 202
        assert submit(live_api, third) == 503
    wait_until_submits_work(live_api, third)


def test_who_waits_for_a_place_waits_as_long_as_places_become_free() -> None:
    """Eight readers of a tenth of a second in two places: the last begins after 0.3 s, and no place is kept."""
    places, tenant = Places(8), Holder("tenant", 2)
    begun: list[float] = []

    def read(_: int) -> None:
        with places.place((tenant,)):
            begun.append(time.monotonic())
            time.sleep(0.1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(read, range(8)))
    assert len(begun) == 8
    assert begun[-1] - begun[0] > 0.25


def test_who_waits_for_a_silent_caller_is_refused_soon() -> None:
    places, tenant = Places(8), Holder("tenant", 1)
    with places.place((tenant,)):
        began = time.monotonic()
        with pytest.raises(ProblemError), places.place((tenant,)):
            pass
        assert time.monotonic() - began < 8
        with places.place((Holder("another", 1),)):
            pass


def test_a_body_that_does_not_come_is_given_up(services: SessionServices, acme: Customer) -> None:
    with (
        ApiProcess({"DPP_BODY_WITHIN_SEC": "1"}) as api,
        # As many as there are places: more would use up the tenant's submits of this minute.
        slow(api.url, lambda wire: wire.head(acme, "Content-Length: 9"), how_many=settings.MAX_BODY_READERS),
    ):
        wait_until_submits_work(api, acme)


_LOOK_OFTEN = """
import os, socket
from runs.api.body_deadline import _cut_silent_connections
kept = [open(os.devnull), socket.create_server(("127.0.0.1", 0)), *socket.socketpair(), *os.pipe()]
_cut_silent_connections()
before = len(os.listdir("/proc/self/fd"))
for _ in range(5):
    _cut_silent_connections()
print(len(os.listdir("/proc/self/fd")) - before)
"""


def test_looking_for_silent_connections_leaves_no_file_open() -> None:
    """What one look left open, the next would find and copy again: some seconds of silent bodies were enough to leave
    the process without a number for another file."""
    looked = subprocess.run([sys.executable, "-c", _LOOK_OFTEN], cwd=CLONE, capture_output=True, text=True, check=False)
    assert (looked.stdout, looked.stderr) == ("0\n", "")


def test_who_is_answered_before_its_body_is_read_is_told_that_the_connection_ends(
    live_api: ApiProcess, acme: Customer
) -> None:
    wire = Wire(live_api.url)
    wire.send(b"POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n\r\n")
    refused = wire.whole_answer()
    wire.close()
    assert (refused.status, refused.headers["connection"]) == (401, "close")


def test_a_connection_whose_body_was_read_goes_on(live_api: ApiProcess, acme: Customer) -> None:
    body = json_body()
    wire = Wire(live_api.url)
    for _ in range(2):
        # `head` ends with an empty line of its own, which a server skips before a request.
        wire.head(acme, f"Content-Length: {len(body)}\r\n\r\n{body}")
        accepted = wire.whole_answer()
        assert (accepted.status, accepted.headers.get("connection")) == (202, None)
    wire.close()


def test_a_head_that_does_not_come_is_given_up(live_api: ApiProcess) -> None:
    wire = Wire(live_api.url)
    wire.send(b"GET /healthz HTTP/1.1\r\nHost: 127")
    began = time.monotonic()
    with pytest.raises(ConnectionError):
        while True:
            wire._more()
    assert time.monotonic() - began < 15


_LONG = {
    "Cookie": 'a="' + '\\"' * 190_000 + '"',
    "Content-Type": "a/b;" + "a=b;" * 95_000,
    "Accept": ",".join(["a/b;q=0.1"] * 38_000),
    "If-None-Match": ",".join(f'"{number}"' for number in range(40_000)),
}


@pytest.mark.parametrize("name", _LONG)
@pytest.mark.parametrize("path", ["/", "/admin/login/", "/v1/runs/00000000-0000-0000-0000-000000000000"])
def test_a_header_of_the_largest_size_costs_no_time(live_api: ApiProcess, acme: Customer, name: str, path: str) -> None:
    """Without this one such request, which needs no key, kept a thread and the interpreter for minutes."""
    began = time.monotonic()
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {acme.api_key}\r\n"
    answer = exchange(live_api.url, f"{head}{name}: {_LONG[name]}\r\n\r\n".encode())
    assert time.monotonic() - began < 5
    assert answer.status == 400
    assert "8192" in answer.problem()["detail"]


def test_there_is_no_http_2_in_clear(live_api: ApiProcess) -> None:
    wire = Wire(live_api.url)
    wire.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
    try:
        received = wire._more()
    except ConnectionError:
        received = b""
    assert received.startswith(b"HTTP/1.1 4") or not received
