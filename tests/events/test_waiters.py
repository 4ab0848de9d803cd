"""GET /v1/runs/{id}?wait= at the event gateway: the API's answer, held without a thread."""

import http.client
import json
import threading
import time
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest

from runs.access import api_keys
from runs.events.progress import Steps
from runs.gateway.application import DJANGO_THREADS
from runs.lifecycle import transitions
from runs.models import ApiKey
from tests.builders import Customer, processing, submitted
from tests.events.processes import GatewayProcess
from tests.events.test_gateway import end, get
from tests.http import Api
from tests.processes import ApiProcess

_SOONER_SEC = 15.0  # than by the end of its time, on a machine that is busy


class Waiting:
    """A caller in a thread."""

    def __init__(self, gateway: GatewayProcess, owner: Customer, query: str, run_id: UUID, **headers: str) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.text = ""
        self.took = 0.0
        self._path, self._gateway = f"/v1/runs/{run_id}?{query}", gateway
        self._headers = owner.headers(**headers)
        self._thread = threading.Thread(target=self._wait)
        self._thread.start()

    def _wait(self) -> None:
        began = time.monotonic()
        self.status, self.headers, self.text = get(self._gateway, self._path, self._headers)
        self.took = time.monotonic() - began

    @property
    def is_waiting(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> "Waiting":
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self

    @property
    def run(self) -> Any:
        return json.loads(self.text)


def test_many_more_than_there_are_threads_wait_and_all_are_told_the_end(
    gateway: GatewayProcess, acme: Customer
) -> None:
    run = processing(acme)
    waiting = [Waiting(gateway, acme, "wait=25&until=end", run.pk) for _ in range(5 * DJANGO_THREADS)]
    time.sleep(2)
    assert all(each.is_waiting for each in waiting)
    # While all of them wait, others are served.
    assert get(gateway, f"/v1/runs/{run.pk}", acme.headers())[0] == 200
    end(run)
    for each in waiting:
        assert (each.join().status, each.run["status"]) == (200, "FAILED")
        assert each.took < 2 + _SOONER_SEC


def test_a_step_ends_the_wait_for_a_change_and_not_that_for_the_end(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    for_change, for_end = (Waiting(gateway, acme, query, run.pk) for query in ("wait=20", "wait=5&until=end"))
    time.sleep(1)
    Steps(run).publish("read", 0.5, {})
    assert for_change.join().took < _SOONER_SEC
    assert (for_end.join().took >= 4.9, for_end.run["status"]) == (True, "PROCESSING")


def test_the_answer_is_the_apis(gateway: GatewayProcess, live_api: ApiProcess, acme: Customer) -> None:
    run = submitted(acme)
    held = Waiting(gateway, acme, "wait=1", run.pk).join()
    plain = Api(live_api.url, acme).get(f"/v1/runs/{run.pk}")
    assert held.took >= 0.9
    assert (held.status, held.text, held.headers["etag"]) == (200, plain.text, plain.headers["ETag"])
    for name in ("X-DPP-Cost-Reserved", "X-DPP-Budget-Remaining", "X-RateLimit-Limit", "Cache-Control"):
        assert held.headers[name.lower()] == plain.headers[name]
    known = Waiting(gateway, acme, "wait=1", run.pk, **{"If-None-Match": held.headers["etag"]}).join()
    assert (known.status, known.text, known.took >= 0.9) == (304, "", True)


def test_a_wait_counts_as_one_poll(gateway: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    first = Waiting(gateway, acme, "wait=1", run.pk).join()
    second = Waiting(gateway, acme, "wait=1", run.pk).join()
    left = [int(each.headers["x-ratelimit-remaining"]) for each in (first, second)]
    # What two seconds give back is at most two.
    assert -1 <= left[0] - left[1] <= 1


def test_what_has_changed_since_is_told_at_once(gateway: GatewayProcess, acme: Customer) -> None:
    run = submitted(acme)
    etag = Waiting(gateway, acme, "wait=0", run.pk).join().headers["etag"]
    transitions.start(run, lease_token=uuid4())
    newer = Waiting(gateway, acme, "wait=20", run.pk, **{"If-None-Match": etag}).join()
    assert (newer.run["status"], newer.took < _SOONER_SEC) == ("PROCESSING", True)
    end(run)
    ended = Waiting(gateway, acme, "wait=20&until=end", run.pk).join()
    assert (ended.run["status"], ended.took < _SOONER_SEC) == ("FAILED", True)


def test_refusals_are_the_apis(gateway: GatewayProcess, acme: Customer, rival: Customer) -> None:
    run = submitted(acme)
    for owner, query, status in ((rival, "wait=20", 404), (acme, "wait=26", 400), (acme, "wait=x", 400)):
        refused = Waiting(gateway, owner, query, run.pk).join()
        assert (refused.status, refused.took < _SOONER_SEC) == (status, True)
    assert get(gateway, f"/v1/runs/{run.pk}?wait=20", {})[0] == 401


def test_a_revoked_key_is_refused_when_its_wait_is_over(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    waiting = Waiting(gateway, acme, "wait=25&until=end", run.pk)
    time.sleep(1)
    api_keys.revoke(ApiKey.objects.get(tenant=acme.tenant))
    assert (waiting.join().status, waiting.took < _SOONER_SEC) == (401, True)


def test_who_hangs_up_is_forgotten(gateway: GatewayProcess, acme: Customer) -> None:
    run = processing(acme)
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    connection.request("GET", f"/v1/runs/{run.pk}?wait=25&until=end", headers=acme.headers())
    time.sleep(0.5)
    connection.close()
    assert Waiting(gateway, acme, "wait=1", run.pk).join().status == 200


@pytest.mark.parametrize("method", ["DELETE", "POST"])
def test_nothing_else_is_served_there(gateway: GatewayProcess, acme: Customer, method: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    connection.request(method, f"/v1/runs/{submitted(acme).pk}", headers=acme.headers())
    assert connection.getresponse().status == 405
    connection.close()
