"""Requests that are never finished: the event gateway gives them up, and serves the others meanwhile."""

import time
from collections.abc import Iterator

import pytest

from tests.api.wire import Wire
from tests.builders import Customer, submitted
from tests.events.processes import GatewayProcess
from tests.events.test_gateway import get
from tests.services import SessionServices


@pytest.fixture
def hasty(services: SessionServices) -> Iterator[GatewayProcess]:
    environment = {"DPP_HEAD_WITHIN_SEC": "2", "DPP_BODY_WITHIN_SEC": "3", "DPP_UNFINISHED_PER_ADDRESS": "250"}
    with GatewayProcess(environment) as process:
        yield process


def test_half_sent_heads_and_bodies_are_given_up_and_others_are_served(hasty: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    heads = [Wire(hasty.url) for _ in range(200)]
    for wire in heads:
        wire.send(b"GET /v1/runs/")
    body = Wire(hasty.url)
    body.send(f"GET /v1/runs/{run.pk}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n".encode())
    began = time.monotonic()
    assert get(hasty, f"/v1/runs/{run.pk}", acme.headers())[0] == 200
    assert [wire.answer()[0] for wire in heads] == [408] * 200
    # Refused for its missing key before its body was awaited.
    assert body.answer()[0] == 401
    assert time.monotonic() - began < 15
    for wire in (*heads, body):
        wire.close()


def test_one_address_has_only_so_many_unfinished_requests(hasty: GatewayProcess) -> None:
    wires = [Wire(hasty.url) for _ in range(250)]
    time.sleep(0.3)
    beyond = Wire(hasty.url)
    with pytest.raises(ConnectionError):
        beyond._more()
    for wire in (*wires, beyond):
        wire.close()
