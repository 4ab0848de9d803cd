"""What the gateway refuses before it has read a body, and that a large one does not silence it."""

import contextlib
import json
import threading
import time
import urllib.request
from collections.abc import Iterator

import pytest

from runs.access.key_text import new_text
from runs.models import Run
from tests.api.wire import Wire
from tests.builders import Customer
from tests.mcp.gateway import DECISION, GatewayProcess
from tests.processes import ApiProcess

_HEAD = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\n"
)


def _begin(gateway: GatewayProcess, *lines: str, come_from: str = "") -> Wire:
    wire = Wire(gateway.url, come_from=come_from)
    wire.send((_HEAD + "\r\n".join((*lines, "", ""))).encode())
    return wire


@pytest.mark.parametrize("line", [None, "Authorization: Bearer dpp_sk_wrong", "Authorization: Basic YTpi"])
def test_no_key_is_401_before_the_body(gateway: GatewayProcess, line: str | None) -> None:
    wire = _begin(gateway, "Content-Length: 14000000", *([line] if line else []))
    answer = wire.whole_answer()
    wire.close()
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.problem()["reason_code"] == "AUTH_INVALID"


def test_one_key_has_a_few_bodies_at_a_time_and_others_are_served(gateway: GatewayProcess) -> None:
    silent = f"Authorization: Bearer {new_text()}"
    wires = [_begin(gateway, "Content-Length: 1000", silent) for _ in range(8)]
    time.sleep(0.5)
    refused = [wire.whole_answer().status for wire in wires[4:]]
    other = _begin(gateway, "Content-Length: 2", f"Authorization: Bearer {new_text()}")
    other.send(b"{}")
    assert refused == [503] * 4
    assert other.whole_answer().status == 400
    for wire in [*wires, other]:
        wire.close()


def test_one_address_leaves_places_to_others_however_many_keys_it_makes_up(gateway: GatewayProcess) -> None:
    """A key that looks like one is easily made, whether or not it is anybody's."""
    keys = [new_text() for _ in range(8)]
    wires = [_begin(gateway, "Content-Length: 1000", f"Authorization: Bearer {key}") for key in keys for _ in range(3)]
    time.sleep(0.5)
    other = _begin(gateway, "Content-Length: 2", f"Authorization: Bearer {new_text()}", come_from="127.0.0.2")
    other.send(b"{}")
    assert other.whole_answer().status == 400
    assert wires[-1].whole_answer().status == 503
    for wire in [*wires, other]:
        wire.close()


@pytest.fixture
def hasty(api_process: ApiProcess) -> Iterator[GatewayProcess]:
    environment = {"DPP_HEAD_WITHIN_SEC": "1", "DPP_BODY_WITHIN_SEC": "2", "DPP_UNFINISHED_PER_ADDRESS": "20"}
    with GatewayProcess({"DPP_API_URL": api_process.url, **environment}) as process:
        yield process


@pytest.mark.parametrize(
    "head",
    [
        b"Cookie: " + b"a" * 40_000 + b"\r\n\r\n",
        b"Cookie: a\r\n" * 8_000 + b"\r\n",
        b"X-Without-End: " + b"a" * 400_000,
    ],
    ids=["one header", "many headers", "a line without an end"],
)
def test_a_head_that_is_too_large_is_refused(gateway: GatewayProcess, head: bytes) -> None:
    wire = Wire(gateway.url)
    with contextlib.suppress(ConnectionError):
        wire.send(_HEAD.encode() + head)
    assert wire.answer()[0] == 431
    wire.close()


def test_heads_and_bodies_that_do_not_come_are_given_up(hasty: GatewayProcess) -> None:
    head = Wire(hasty.url)
    head.send(b"POST /mcp HTT")
    body = _begin(hasty, "Content-Length: 1000", f"Authorization: Bearer {new_text()}")
    began = time.monotonic()
    assert head.answer()[0] == 408
    assert body.answer()[0] == 408
    assert time.monotonic() - began < 8


def test_one_address_has_so_many_unfinished_requests(hasty: GatewayProcess) -> None:
    wires = [Wire(hasty.url) for _ in range(20)]
    time.sleep(0.3)
    beyond = Wire(hasty.url)
    with pytest.raises(ConnectionError):
        beyond._more()
    for wire in wires:
        wire.close()
    with urllib.request.urlopen(f"{hasty.url}/healthz", timeout=5) as answer:
        assert answer.status == 200


def test_a_large_call_leaves_the_gateway_answering(gateway: GatewayProcess, acme: Customer) -> None:
    arguments: dict[str, object] = {
        "inputs": {"question": "?", "options": [{"name": str(n), "x": "y" * 20} for n in range(200_000)]}
    }
    arguments |= {"max_cost_usd": "0.5"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": DECISION, "arguments": arguments}}
    body = json.dumps(message).encode()
    wires = [_begin(gateway, f"Content-Length: {len(body)}", f"Authorization: Bearer {acme.api_key}") for _ in range(3)]
    threads = [threading.Thread(target=wire.send, args=(body,)) for wire in wires]
    for thread in threads:
        thread.start()
    slowest, ends = 0.0, time.monotonic() + 4
    while time.monotonic() < ends:
        began = time.monotonic()
        with urllib.request.urlopen(f"{gateway.url}/healthz", timeout=30):
            slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    for wire in wires:
        wire.close()
    print(f"{len(body)} bytes, slowest answer {slowest:.2f} s")
    assert slowest < 2.5
    assert not Run.objects.exists()
