"""Bodies as they come over a socket: in chunks, too long, shorter or longer than they claim."""

import contextlib
import json
import time
from collections.abc import Iterator

import pytest

from dpp_project.profile import PROFILE
from runs.models import Run
from tests.api.wire import Wire, exchange
from tests.builders import Customer, json_body
from tests.http import Api
from tests.processes import ApiProcess


@pytest.fixture
def wire(live_api: ApiProcess) -> Iterator[Wire]:
    wire = Wire(live_api.url)
    yield wire
    wire.socket.close()


@pytest.mark.parametrize("megabytes", [0, 10])
def test_a_chunked_body_is_refused_however_long_it_is(wire: Wire, acme: Customer, megabytes: int) -> None:
    wire.head(acme, "Transfer-Encoding: chunked")
    document = json_body().encode()
    with contextlib.suppress(OSError):  # the server has answered and no longer listens
        for part in (document, *[b" " * 2**20] * megabytes):
            wire.send(b"%x\r\n%s\r\n" % (len(part), part))
        wire.send(b"0\r\n\r\n")
    status, body = wire.answer()
    assert (status, json.loads(body)["reason_code"]) == (411, "LENGTH_REQUIRED")
    assert not Run.objects.exists()


def test_a_length_beyond_the_limit_is_refused_before_the_body(wire: Wire, acme: Customer) -> None:
    wire.head(acme, f"Content-Length: {PROFILE.max_request_bytes + 1}")
    status, body = wire.answer()
    assert (status, json.loads(body)["reason_code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_an_empty_body_is_not_json(wire: Wire, acme: Customer) -> None:
    wire.head(acme, "Content-Length: 0")
    status, body = wire.answer()
    assert (status, json.loads(body)["reason_code"]) == (400, "INVALID_PARAMS")


def test_a_caller_who_hangs_up_in_the_middle_leaves_nothing(live_api: ApiProcess, acme: Customer) -> None:
    """What came before may be a whole document by itself; the request was not whole."""
    body = json_body().encode()
    for line, sent in (
        ("Content-Length: 100000", body),
        (f"Content-Length: {len(body) + 1}", body),
    ):
        for _ in range(10):
            cut = Wire(live_api.url)
            cut.head(acme, line)
            cut.send(sent)
            cut.close()
    # Requests are served side by side: give the cut ones the time to do the harm they could do.
    for _ in range(10):
        assert Api(live_api.url, acme).get("/v1/budget").status == 200
        time.sleep(0.1)
    assert not Run.objects.exists()


def test_bytes_beyond_the_length_are_not_part_of_the_body(wire: Wire, acme: Customer) -> None:
    body = json_body().encode()
    wire.head(acme, f"Content-Length: {len(body) - 5}")
    wire.send(body)
    status, answer = wire.answer()
    assert (status, json.loads(answer)["reason_code"]) == (400, "INVALID_PARAMS")


# What never becomes a request: the server refuses it before any of our code, and hangs up.
_UNREADABLE: dict[str, bytes] = {
    "two lengths": b"POST /v1/runs HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length that is a word": b"POST /v1/runs HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n",
    "a length below zero": b"POST /v1/runs HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
    "a length with a plus": b"POST /v1/runs HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\n{}",
    "a length beyond numbers": b"POST /v1/runs HTTP/1.1\r\nHost: h\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\n",
    "an unknown coding": b"POST /v1/runs HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: sideways\r\n\r\n",
    "not a request line": b"nonsense\r\n\r\n",
    "no version": b"GET /v1/budget\r\n\r\n",
    "a version there is not": b"GET /v1/budget HTTP/9.9\r\n\r\n",
    "a space in the target": b"GET /v1/bud get HTTP/1.1\r\nHost: h\r\n\r\n",
    "a quote in the target": b'GET /v1/runs?status="x" HTTP/1.1\r\nHost: h\r\n\r\n',
    "a raw control in the target": b"GET /v1/\x01 HTTP/1.1\r\nHost: h\r\n\r\n",
    "a method with a brace": b"G{T /v1/budget HTTP/1.1\r\nHost: h\r\n\r\n",
    "a header without a colon": b"GET /v1/budget HTTP/1.1\r\nHost h\r\n\r\n",
    "a header with a NUL": b"GET /v1/budget HTTP/1.1\r\nHost: h\r\nX-Trace-Id: a\x00b\r\n\r\n",
    "a space before the colon": b"GET /v1/budget HTTP/1.1\r\nHost : h\r\n\r\n",
    "TLS to a plain port": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",
}
_TOO_LONG: dict[str, bytes] = {
    "a target of a megabyte": b"GET /v1/" + b"a" * 2**20 + b" HTTP/1.1\r\nHost: h\r\n\r\n",
    "a header of a megabyte": b"GET /v1/budget HTTP/1.1\r\nHost: h\r\nX: " + b"a" * 2**20 + b"\r\n\r\n",
    "ten thousand headers": b"GET /v1/budget HTTP/1.1\r\nHost: h\r\n" + b"X: a\r\n" * 10_000 + b"\r\n",
}


def refusal(url: str, request: bytes) -> tuple[int, bytes]:
    """Status and body, after a look that the server has hung up."""
    wire = Wire(url)
    try:
        with contextlib.suppress(OSError):  # it may answer before it has heard all
            wire.send(request)
        answer = wire.answer()
        assert wire.socket.recv(1) == b""
        return answer
    finally:
        wire.close()


def test_what_is_no_request_is_refused_by_the_server_itself(
    live_api: ApiProcess, acme: Customer, subtests: pytest.Subtests
) -> None:
    """The one kind of answer that is no problem document: there is no request yet, so no path under /v1 either."""
    for name, request in _UNREADABLE.items():
        with subtests.test(name):
            assert refusal(live_api.url, request) == (400, b"")
    for name, request in _TOO_LONG.items():
        with subtests.test(name):
            status, body = refusal(live_api.url, request)
            assert status in (400, 414, 431)
            assert body == b""
    assert Api(live_api.url, acme).get("/v1/budget").status == 200
    assert not Run.objects.exists()


# Targets that are allowed, or nearly, and that nobody expects.
_ODD_TARGETS: dict[str, bytes] = {
    "absolute": b"GET http://127.0.0.1/v1/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a foreign absolute one": b"GET http://evil.example/v1/nothing HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "no host": b"GET /v1/budget HTTP/1.1\r\n\r\n",
    "no host, older": b"GET /v1/budget HTTP/1.0\r\n\r\n",
    "two hosts": b"GET /v1/budget HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    "a small method": b"get /v1/budget HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "broken escapes": b"GET /v1/%zz%e HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "escapes that are no text": b"GET /v1/runs/%ff%c0%af HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "an escaped NUL": b"GET /v1/runs/%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "an escaped line end": b"GET /v1/runs/%0d%0aX:%20y HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a query that is no text": b"GET /v1/runs?status=%ff&%ff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "thousands of parameters": b"GET /v1/runs?" + b"a&" * 5_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a long path": b"GET /v1/" + b"a" * 30_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "dots": b"GET /v1/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}


def test_odd_targets_under_v1_are_problems(live_api: ApiProcess, acme: Customer, subtests: pytest.Subtests) -> None:
    for name, request in _ODD_TARGETS.items():
        for headers in (b"", f"Authorization: Bearer {acme.api_key}\r\n".encode()):
            with subtests.test(name, is_known=bool(headers)):
                answer = exchange(live_api.url, request.replace(b"\r\n\r\n", b"\r\n" + headers + b"\r\n"))
                if answer.status >= 400:
                    assert answer.problem()["reason_code"] in (
                        *("ROUTE_NOT_FOUND", "RUN_NOT_FOUND_STEALTH", "INVALID_PARAMS", "AUTH_INVALID"),
                    )
                    assert answer.headers["x-trace-id"]
                else:
                    assert (answer.status, bool(headers)) == (200, True)


def test_targets_that_are_no_path_are_refused(live_api: ApiProcess, acme: Customer, subtests: pytest.Subtests) -> None:
    for line in (b"OPTIONS * HTTP/1.1", b"CONNECT evil.example:443 HTTP/1.1", b"PRI * HTTP/2.0"):
        with subtests.test(line.decode()):
            wire = Wire(live_api.url)
            wire.send(line + b"\r\nHost: 127.0.0.1\r\n\r\n")
            try:
                assert 400 <= wire.answer()[0] < 500
            except ConnectionError:
                pass  # hung up on, which is an answer too
            finally:
                wire.close()
    assert Api(live_api.url, acme).get("/v1/budget").status == 200


def test_a_caller_who_says_nothing_more_does_not_keep_others_waiting(live_api: ApiProcess, acme: Customer) -> None:
    silent = [Wire(live_api.url) for _ in range(100)]
    for wire in silent:
        wire.send(b"GET /v1/budget HTTP/1.1\r\nHost: h\r\nX-Trace-Id: ")
    began = time.monotonic()
    assert Api(live_api.url, acme).get("/v1/budget").status == 200
    assert time.monotonic() - began < 15
    for wire in silent:
        wire.close()
