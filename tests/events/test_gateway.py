"""The gateway as it is served: its own process, real connections."""

import http.client
import json
import os
import signal
import socket
import threading
import time
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client

from dpp_project.redis import client as redis_client
from runs.access import api_keys
from runs.events import publish
from runs.events.event import LAST_SEQ, RUNS, Event, Stage
from runs.events.progress import Steps
from runs.gateway import sse
from runs.gateway.django_bridge import DjangoBridge
from runs.gateway.view import StreamAccepted
from runs.lifecycle import finalize, transitions
from runs.lifecycle.outcomes import failed
from runs.management.stream_client import ReceivedEvent, StreamRefused, follow
from runs.models import ApiKey, Run
from runs.states import Actor, Reason
from tests.api.caller import validate
from tests.builders import Customer, processing, submitted
from tests.events.processes import GatewayProcess
from tests.events.shards import published_seqs


class Listening:
    """A client in a thread, hearing to the end."""

    def __init__(self, gateway: GatewayProcess, owner: Customer, run: Run, last_seq: int | None = None) -> None:
        self.heard: list[ReceivedEvent] = []
        self.error: Exception | None = None
        self._events = follow(gateway.url, str(run.pk), owner.api_key, last_seq=last_seq, patience_sec=60)
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self) -> None:
        try:
            for heard in self._events:
                self.heard.append(heard)
        except Exception as error:
            self.error = error

    @property
    def seqs(self) -> list[int]:
        return [heard.seq for heard in self.heard]

    def until(self, count: int, seconds: float = 60) -> None:
        ends = time.monotonic() + seconds
        while len(self.heard) < count:
            assert time.monotonic() < ends, f"heard only {self.seqs}, {self.error!r}"
            time.sleep(0.02)

    def to_the_end(self) -> list[int]:
        self._thread.join(60)
        assert not self._thread.is_alive(), f"no end in {self.seqs}"
        assert self.error is None
        return self.seqs


def end(run: Run) -> None:
    assert run.lease_token
    outcome = failed(run, Reason.PACK_FAILED, "no")
    token = run.lease_token
    finalize.end(run, lambda: transitions.claim_own(run, outcome, lease_token=token), actor=Actor.WORKER)


def get(gateway: GatewayProcess, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()


def read_until(connection: socket.socket, wanted: bytes) -> bytes:
    text = b""
    while wanted not in text:
        chunk = connection.recv(4096)
        assert chunk, text
        text += chunk
    return text


def test_a_listener_hears_a_run_live_and_the_stream_ends(gateway: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    listening = Listening(gateway, acme, run)
    listening.until(1)
    transitions.start(run, lease_token=uuid4())
    steps = Steps(run)
    for number in range(5):
        steps.publish("fetch", number / 10, {"done": number})
    end(run)
    assert listening.to_the_end() == published_seqs(run.pk)
    assert listening.heard[-1].data["status"] == "FAILED"
    assert listening.heard[-1].data["used_usd"] == "0.0100"


def test_the_first_thing_sent_is_an_id_and_retry(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    end(run)
    status, headers, text = get(gateway, f"/v1/runs/{run.pk}/events", acme.headers(Accept=sse.MEDIA_TYPE))
    assert (status, headers["content-type"], headers["cache-control"]) == (200, "text/event-stream", "no-store")
    assert headers["x-dpp-cost-used"] == "0.0100"
    first, state = sse.messages(line + b"\n" for line in text.encode().split(b"\n"))
    assert (first.id, first.retry, first.data) == ("0", "2000", None)
    assert (state.id, state.event) == (str(LAST_SEQ), "done")


def test_every_event_is_as_the_openapi_document_says(gateway: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    listening = Listening(gateway, acme, run, last_seq=0)
    transitions.start(run, lease_token=uuid4())
    Steps(run).publish("fetch", 0.5, {"done": 1, "of": "two"})
    end(run)
    listening.to_the_end()
    assert len(listening.heard) >= 4
    for heard in listening.heard:
        validate(heard.data, {"$ref": "#/components/schemas/RunEventData"})


def test_who_has_heard_the_end_is_told_not_to_come_back(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    end(run)
    headers = acme.headers(**{"Last-Event-ID": str(LAST_SEQ)})
    assert get(gateway, f"/v1/runs/{run.pk}/events", headers)[0] == 204


def test_a_stranger_gets_the_bytes_that_get_gives_for_no_run(
    gateway: GatewayProcess, api: Client, acme: Customer, rival: Customer
) -> None:
    run = submitted(acme)
    absent = uuid4()

    def body(text: str, path: str) -> str:
        return text.replace(path, "PATH")

    answers = set()
    for run_id in (str(run.pk), str(absent), "no-uuid", "%ff"):
        path = f"/v1/runs/{run_id}/events"
        status, headers, text = get(gateway, path, rival.headers(**{"X-Trace-Id": "t"}))
        assert status == 404
        assert headers["content-type"] == "application/problem+json"
        assert headers["x-dpp-budget-remaining"] == "0.0000"
        if run_id != "%ff":
            answers.add(body(text, path))
    rest = api.get(f"/v1/runs/{run.pk}", headers=rival.headers(**{"X-Trace-Id": "t"}))
    assert answers == {body(rest.content.decode(), f"/v1/runs/{run.pk}")}


def test_without_a_key_nothing_is_streamed(gateway: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    status, headers, text = get(gateway, f"/v1/runs/{run.pk}/events", {"Authorization": "Bearer nonsense"})
    assert (status, headers["www-authenticate"]) == (401, "Bearer")
    assert json.loads(text)["reason_code"] == "AUTH_INVALID"


def test_other_paths_and_methods_are_problems(gateway: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    status, _, text = get(gateway, "/v1/runs", acme.headers())
    assert (status, json.loads(text)["reason_code"]) == (404, "ROUTE_NOT_FOUND")
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    connection.request("POST", f"/v1/runs/{run.pk}/events", body=b"x" * 10, headers=acme.headers())
    assert connection.getresponse().status == 405
    connection.close()


def test_an_end_that_was_never_published_is_found_in_the_row(gateway: GatewayProcess, acme: Customer) -> None:
    """A crash between commit and publish: here Redis refuses the event, and the publisher goes on."""
    run = processing(acme)
    listening = Listening(gateway, acme, run)
    listening.until(1)
    # From here on every publish of this run fails, and only those.
    redis_client().set(RUNS.state_key(run.pk), "not a hash")
    end(run)
    assert published_seqs(run.pk)[-1] == Stage.PREFLIGHT.seq(1)
    # That something may be missing in between is told, too, under the number before.
    assert listening.to_the_end() == [Stage.PREFLIGHT.seq(1), LAST_SEQ - 1, LAST_SEQ]


def test_after_redis_has_forgotten_the_row_is_told(gateway: GatewayProcess, acme: Customer) -> None:
    live, ended = processing(acme), processing(acme)
    end(ended)
    redis_client().flushall()
    status, _, text = get(gateway, f"/v1/runs/{ended.pk}/events?last_seq=1001", acme.headers())
    assert status == 200
    assert f"id: {LAST_SEQ}\nevent: done" in text
    listening = Listening(gateway, acme, live)
    listening.until(1)
    assert listening.seqs == [Stage.PREFLIGHT.seq(1)]
    redis_client().flushall()
    Steps(live).publish("read", 0.5, {})
    end(live)
    assert listening.to_the_end()[-1] == LAST_SEQ


def test_a_quiet_stream_is_kept_alive(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=30) as connection:
        request = f"GET /v1/runs/{run.pk}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {acme.api_key}"
        connection.sendall(f"{request}\r\n\r\n".encode())
        read_until(connection, b": keep-alive")


def test_a_listener_that_takes_nothing_is_dropped_and_others_are_not(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    listening = Listening(gateway, acme, run)
    listening.until(1)
    stuck = socket.socket()
    stuck.settimeout(30)
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.connect(("127.0.0.1", gateway.port))
    request = f"GET /v1/runs/{run.pk}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {acme.api_key}"
    stuck.sendall(f"{request}\r\n\r\n".encode())
    read_until(stuck, b"event: preflight")
    for number in range(1, 401):
        publish.publish_event(Event(run.pk, Stage.EXECUTE.seq(number), "execute", json.dumps({"pad": "x" * 20_000})))
    listening.until(401)
    ends = time.monotonic() + 60
    while "listener_dropped" not in gateway.lines():
        assert time.monotonic() < ends, gateway.lines()[-2000:]
        time.sleep(0.1)
    stuck.close()
    end(run)
    assert listening.to_the_end()[-1] == LAST_SEQ


def test_listeners_resume_without_loss_when_the_gateway_is_killed_and_comes_back(acme: Customer) -> None:
    run = processing(acme)
    process = GatewayProcess()
    with process:
        listening = [Listening(process, acme, run, last_seq=0) for _ in range(5)]
        steps = Steps(run)
        for number in range(60):
            steps.publish("fetch", 0.5, {"done": number})
            if number == 20:
                for each in listening:
                    each.until(10)
                process.kill()
            if number == 40:
                process.start()
            time.sleep(0.01)
        process.wait_ready()
        end(run)
        for each in listening:
            assert each.to_the_end() == published_seqs(run.pk)


def test_on_sigterm_streams_are_closed_with_a_hint_and_the_process_ends(acme: Customer) -> None:
    run = processing(acme)
    with GatewayProcess() as process, socket.create_connection(("127.0.0.1", process.port), timeout=30) as connection:
        request = f"GET /v1/runs/{run.pk}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {acme.api_key}"
        connection.sendall(f"{request}\r\n\r\n".encode())
        text = read_until(connection, b"event: preflight")
        began = time.monotonic()
        os.kill(process.pid, signal.SIGTERM)
        while chunk := connection.recv(4096):
            text += chunk
        assert f": closing; resume with Last-Event-ID: {Stage.PREFLIGHT.seq(1)}\n\n".encode() in text
        assert process.child
        process.child.wait(30)
        assert time.monotonic() - began < 30 < process.graceful_sec


def test_a_full_gateway_says_so_instead_of_growing(acme: Customer) -> None:
    run = processing(acme)
    headers = [(name.lower().encode(), value.encode()) for name, value in acme.headers(Host="localhost").items()]
    scope = {"type": "http", "method": "GET", "path": f"/v1/runs/{run.pk}/events", "query_string": b"\xff"}
    response = DjangoBridge().respond({**scope, "headers": headers}, True)
    assert (response.status_code, json.loads(response.content)["retryable"]) == (503, True)
    assert isinstance(DjangoBridge().respond({**scope, "headers": headers}, False), StreamAccepted)


def test_the_client_reports_a_refusal(gateway: GatewayProcess, acme: Customer, rival: Customer) -> None:
    run = submitted(acme)
    with pytest.raises(StreamRefused) as refused:
        next(follow(gateway.url, str(run.pk), rival.api_key))
    assert refused.value.problem["reason_code"] == "RUN_NOT_FOUND_STEALTH"


def test_a_revoked_key_is_told_nothing_after_five_seconds(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    listening = Listening(gateway, acme, run)
    listening.until(1)
    key = ApiKey.objects.get(tenant=acme.tenant)

    api_keys.revoke(key)

    time.sleep(5)
    heard = len(listening.heard)
    end(run)
    listening._thread.join(10)
    assert not listening._thread.is_alive()
    assert len(listening.heard) == heard
