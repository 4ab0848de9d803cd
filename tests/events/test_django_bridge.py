"""Requests at the event gateway that no client would send."""

import pytest

from runs.models import Run
from tests.api.content_types import MANY_PARAMETERS, ODD_CONTENT_TYPES
from tests.api.wire import Wire, exchange
from tests.builders import Customer
from tests.events.processes import GatewayProcess


def request(line: str, *headers: str) -> bytes:
    return "\r\n".join((f"{line} HTTP/1.1", "Host: 127.0.0.1", *headers, "", "")).encode()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_content_type_keeps_it_from_answering(
    gateway: GatewayProcess, acme: Customer, subtests: pytest.Subtests, method: str
) -> None:
    for odd in ODD_CONTENT_TYPES:
        for query in ("", "?last_seq=0", f"?{MANY_PARAMETERS}"):
            with subtests.test(odd[:40], query=query[:20]):
                line = f"{method} /v1/runs/none/events{query}"
                answer = exchange(gateway.url, request(line, f"Content-Type: {odd}"))
                assert answer.status in (400, 401, 405)
                assert answer.problem()["trace_id"]


def test_a_stream_begins_whatever_the_content_type(gateway: GatewayProcess, acme: Customer, queued_run: Run) -> None:
    headers = ("Content-Type: text/plain; charset=undefined", f"Authorization: Bearer {acme.api_key}")
    wire = Wire(gateway.url)
    wire.send(request(f"GET /v1/runs/{queued_run.pk}/events?last_seq=0", *headers))
    answer = wire.whole_answer()
    wire.close()
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")


def test_an_upgrade_to_a_websocket_is_answered_as_if_it_had_not_been_asked_for(
    gateway: GatewayProcess, acme: Customer
) -> None:
    headers = (
        *("Connection: Upgrade", "Upgrade: websocket"),
        *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
    )
    answer = exchange(gateway.url, request("GET /v1/runs/none/events", *headers))

    assert (answer.status, answer.problem()["reason_code"]) == (401, "AUTH_INVALID")
    assert "Traceback" not in gateway.lines()
