"""One call where three would do: a submit that waits for its run, and a poll that waits for the end."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import connection

from dpp_project.profile import PROFILE
from runs.api.preferences import preferred_wait_sec
from runs.events import long_poll
from runs.lifecycle import transitions
from runs.models import Run
from runs.worker.run_one import Delivery, run_one
from storage import store
from tests.api.caller import Caller, costs
from tests.api.ended_runs import completed_run
from tests.builders import Customer, fresh_key, json_body, message


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """The work, in another thread, once somebody waits."""

    def begin() -> None:
        ends = time.monotonic() + 20
        while long_poll._places._value == settings.LONG_POLL_MAX_WAITERS and time.monotonic() < ends:
            time.sleep(0.02)
        work()
        connection.close()

    other = threading.Thread(target=begin)
    other.start()
    try:
        yield
    finally:
        other.join()


def _end_the_newest() -> None:
    run = Run.objects.latest("created_at")
    run_one(Delivery(message_id="in-process", body=message(run), extend=lambda: None))


def test_a_submit_that_waits_is_answered_with_the_run_as_get_shows_it(acme_api: Caller) -> None:
    with meanwhile(_end_the_newest):
        answer = acme_api.submit(json_body(options={"inline": 1}), Prefer="wait=20")

    assert (answer.status_code, answer.headers["Preference-Applied"]) == (202, "wait=20")
    body = json.loads(answer.content)
    shown = json.loads(acme_api.get(f"/v1/runs/{body['run_id']}").content)
    assert body["status"] == "QUEUED"  # the receipt's: it is the same at any time
    assert body["run"]["status"] == shown["status"] == "COMPLETED"
    assert body["run"]["result"]["inline"] == shown["result"]["inline"]
    assert body["run"]["cost"] == shown["cost"]
    assert costs(answer)[1] == shown["cost"]["used_usd"] == "0.0500"


def test_a_replay_waits_on_and_is_not_charged_again(acme_api: Caller, acme: Customer) -> None:
    key = fresh_key()
    first = json.loads(acme_api.submit(key=key, Prefer="wait=0").content)
    assert first["run"]["status"] == "QUEUED"
    with meanwhile(_end_the_newest):
        again = acme_api.submit(key=key, Prefer="wait=20")
    assert again.headers["Idempotent-Replayed"] == "true"
    body = json.loads(again.content)
    assert (body["run_id"], body["run"]["status"]) == (first["run_id"], "COMPLETED")
    assert {name: first[name] for name in first if name != "run"} == {n: body[n] for n in body if n != "run"}
    assert Run.objects.filter(tenant=acme.tenant).count() == 1


def test_when_the_time_is_up_the_run_stands_there_as_far_as_it_got(acme_api: Caller) -> None:
    began = time.monotonic()
    body = json.loads(acme_api.submit(Prefer="respond-async, wait=1").content)
    assert 1 <= time.monotonic() - began < 10
    assert body["run"]["status"] == "QUEUED"


def test_a_change_that_is_no_end_does_not_end_the_wait(acme_api: Caller, queued_run: Run) -> None:
    def start_then_end() -> None:
        transitions.start(queued_run, lease_token=uuid4())
        time.sleep(0.3)
        assert long_poll._places._value < settings.LONG_POLL_MAX_WAITERS, "nobody waits any more"

    with meanwhile(start_then_end):
        answer = acme_api.get(f"/v1/runs/{queued_run.pk}?wait=2&until=end", **{"If-None-Match": '"an older state"'})
    assert json.loads(answer.content)["status"] == "PROCESSING"


def test_a_poll_until_the_end_is_answered_with_the_end(acme_api: Caller, queued_run: Run) -> None:
    with meanwhile(_end_the_newest):
        answer = acme_api.get(f"/v1/runs/{queued_run.pk}?wait=20&until=end")
    assert json.loads(answer.content)["status"] == "COMPLETED"


def test_until_is_change_or_end(acme_api: Caller, queued_run: Run) -> None:
    assert acme_api.get(f"/v1/runs/{queued_run.pk}?wait=0&until=change").status_code == 200
    refused = acme_api.get(f"/v1/runs/{queued_run.pk}?wait=1&until=never")
    assert refused.status_code == 400
    assert json.loads(refused.content)["errors"][0]["parameter"] == "until"


def test_without_the_preference_nothing_is_added(acme_api: Caller) -> None:
    for prefer in ("", "respond-async", "wait=soon"):
        answer = acme_api.submit(Prefer=prefer)
        assert "Preference-Applied" not in answer.headers
        assert "run" not in json.loads(answer.content)


def test_beyond_the_places_to_wait_a_submit_is_answered_at_once(
    acme_api: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_poll, "_places", threading.BoundedSemaphore(1))
    assert long_poll._places.acquire(blocking=False)
    began = time.monotonic()
    body = json.loads(acme_api.submit(Prefer="wait=20").content)
    assert time.monotonic() - began < 10
    assert body["run"]["status"] == "QUEUED"


def test_a_run_that_cannot_be_shown_leaves_the_receipt(acme_api: Caller, acme: Customer) -> None:
    key = fresh_key()
    run = completed_run(acme, key=key, inline=True)
    assert run.result_key
    store.delete([run.result_key])
    answer = acme_api.submit(json_body(options={"inline": 1}), key=key, Prefer="wait=5")
    assert answer.status_code == 202, answer.content
    body = json.loads(answer.content)
    assert UUID(body["run_id"]) == run.pk
    assert "run" not in body
    assert "Preference-Applied" not in answer.headers


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("wait=10", 10),
        ("WAIT = 10", 10),
        ('wait="7"', 7),
        ("respond-async, wait=10; foo=bar", 10),
        ('foo="a, wait=3", wait=4', 4),
        ("wait=3, wait=9", 3),
        ("wait=600", PROFILE.long_poll_max_sec),
        ("wait=0", 0),
        ("wait", None),
        ("wait=-1", None),
        ("wait=1.5", None),
        ("wait=٣", None),
        ("waiting=5", None),
        ("", None),
        ("x" * 5_000 + ", wait=5", None),
    ],
)
def test_the_preference_is_read_as_rfc_7240_has_it(header: str, seconds: int | None) -> None:
    assert preferred_wait_sec(header) == seconds
