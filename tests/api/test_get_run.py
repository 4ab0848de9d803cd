"""GET /v1/runs/{run_id}, to the letter."""

import hashlib
import json
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpp_project.profile import PROFILE
from runs.api.problems import RUN_FAILURES
from runs.events import long_poll
from runs.lifecycle import transitions
from runs.lifecycle.envelope import signature_is_valid
from runs.models import Run
from runs.states import MoneyState, Reason, Status
from storage import store
from storage.models import StoredObject
from tests.api.caller import Caller, costs, problem, validate
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, json_body, submitted
from tests.database_time import database_says


def test_a_queued_run_shows_its_reservation(acme_api: Caller, queued_run: Run) -> None:
    answer = acme_api.get(f"/v1/runs/{queued_run.pk}")

    body = json.loads(answer.content)
    assert (body["status"], body["money_state"], body["progress"]) == ("QUEUED", "RESERVED", 0.0)
    assert body["cost"] == {
        "reserved_usd": "0.5000",
        "used_usd": "0.0000",
        "minimum_fee_usd": "0.0100",
        "budget_remaining_usd": "9.5000",
    }
    assert costs(answer) == ("0.5000", "0.0000", "9.5000", "0")
    assert "result" not in body
    assert "error" not in body
    assert body["meta"]["retention_until"].endswith("Z")


def test_reading_a_live_run_takes_one_query(acme_api: Caller, queued_run: Run) -> None:
    acme_api.get(f"/v1/runs/{queued_run.pk}")  # looks the key up and notes its use
    with CaptureQueriesContext(connection) as queries:
        acme_api.get(f"/v1/runs/{queued_run.pk}")
    assert len(queries) == 1, [query["sql"] for query in queries]


def test_a_completed_run_links_its_envelope_afresh_each_time(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)

    answers = [acme_api.get(f"/v1/runs/{run.pk}") for _ in range(2)]

    body = json.loads(answers[0].content)
    assert body["cost"]["used_usd"] == "0.0500"
    assert costs(answers[0]) == ("0.5000", "0.0500", "9.9500", "0")
    result = body["result"]
    assert result["size"] == len(store.read(run.result_key or "", sha256=result["sha256"]))
    assert "inline" not in result
    assert "ETag" not in answers[0].headers


def test_the_envelope_is_inline_if_asked_for_and_verified(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme, inline=True)
    envelope = json.loads(acme_api.get(f"/v1/runs/{run.pk}").content)["result"]["inline"]
    assert signature_is_valid(envelope)
    assert envelope["run_id"] == str(run.pk)


def test_a_damaged_or_missing_envelope_is_never_sent_inline(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme, inline=True)
    store.put(run.result_key or "", b'{"forged": true}', mime=store.JSON_MIME)
    problem(acme_api.get(f"/v1/runs/{run.pk}"), 503, "RESULT_UNAVAILABLE")
    store.delete([run.result_key or ""])
    problem(acme_api.get(f"/v1/runs/{run.pk}"), 503, "RESULT_UNAVAILABLE")


def test_artifacts_are_listed_with_hash_and_link(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme, include_markdown=True)
    (artifact,) = json.loads(acme_api.get(f"/v1/runs/{run.pk}").content)["result"]["artifacts"]
    assert artifact["name"] == "report.md"
    stored = store.read(store_key(run, "report.md"), sha256=artifact["sha256"])
    assert artifact["size"] == len(stored)
    assert hashlib.sha256(stored).hexdigest() == artifact["sha256"]


def store_key(run: Run, name: str) -> str:
    return StoredObject.objects.get(run=run, name=name).key


def test_every_reason_a_run_can_fail_for_is_a_problem_document(
    acme_api: Caller, acme: Customer, subtests: pytest.Subtests
) -> None:
    assert set(RUN_FAILURES) == set(Reason.values)
    for reason in Reason:
        run = failed_run(acme, reason)
        with subtests.test(str(reason)):
            answer = acme_api.get(f"/v1/runs/{run.pk}")
            body = json.loads(answer.content)
            error = body["error"]
            assert (body["status"], body["money_state"]) == (Status.FAILED, MoneyState.SETTLED)
            assert error["reason_code"] == error["problem"]["reason_code"] == reason
            assert error["problem"]["charged_usd"] == body["cost"]["used_usd"] == costs(answer)[1] == "0.0100"
            assert error["problem"]["run_id"] == str(run.pk)
            assert error["problem"]["detail"] == "Told to the owner."
            validate(error["problem"], {"$ref": "#/components/schemas/Problem"})


def test_an_etag_saves_the_body_while_the_run_is_live(acme_api: Caller, acme: Customer, queued_run: Run) -> None:
    path = f"/v1/runs/{queued_run.pk}"
    first = acme_api.get(path)
    etag = first.headers["ETag"]

    same = acme_api.get(path, **{"If-None-Match": f'"other", {etag}'})
    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", etag)
    assert costs(same) == costs(first)
    assert acme_api.get(path, **{"If-None-Match": '"other"'}).status_code == 200

    transitions.start(queued_run, lease_token=uuid4())
    assert acme_api.get(path, **{"If-None-Match": etag}).status_code == 200


def test_an_etag_follows_the_balance_too(acme_api: Caller, acme: Customer, queued_run: Run) -> None:
    path = f"/v1/runs/{queued_run.pk}"
    etag = acme_api.get(path).headers["ETag"]
    submitted(acme)
    changed = acme_api.get(path, **{"If-None-Match": etag})
    assert (changed.status_code, costs(changed)[2]) == (200, "9.0000")


def test_past_retention_the_owner_is_told_it_is_gone(acme_api: Caller, rival_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    path = f"/v1/runs/{run.pk}"
    with database_says(timezone.now() + PROFILE.retention - timedelta(minutes=1)):
        assert acme_api.get(path).status_code == 200
    with database_says(timezone.now() + PROFILE.retention + timedelta(minutes=1)):
        gone = acme_api.get(path)
        body = problem(gone, 410, "RUN_EXPIRED")
        assert body["run_id"] == str(run.pk)
        assert body["charged_usd"] == costs(gone)[1] == "0.0500"
        problem(acme_api.post(f"{path}/cancel"), 410, "RUN_EXPIRED")
        problem(rival_api.get(path), 404, "RUN_NOT_FOUND_STEALTH")


def test_a_long_poll_answers_as_soon_as_the_run_changes(
    acme_api: Caller, queued_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.events.long_poll._LOOK_AGAIN_SEC", 60.0)

    def change() -> None:
        comes_true(_somebody_waits, seconds=15)
        time.sleep(0.3)
        transitions.start(queued_run, lease_token=uuid4())
        connection.close()

    other = threading.Thread(target=change)
    began = time.monotonic()
    other.start()
    answer = acme_api.get(f"/v1/runs/{queued_run.pk}?wait=20")
    took = time.monotonic() - began
    other.join()

    assert json.loads(answer.content)["status"] == "PROCESSING"
    assert 0.3 <= took < 18


def test_a_long_poll_of_an_unchanged_run_ends_in_time(acme_api: Caller, queued_run: Run) -> None:
    path = f"/v1/runs/{queued_run.pk}"
    etag = acme_api.get(path).headers["ETag"]
    began = time.monotonic()
    assert acme_api.get(f"{path}?wait=1", **{"If-None-Match": etag}).status_code == 304
    assert 1 <= time.monotonic() - began < 10


def test_a_long_poll_with_an_old_etag_or_an_ended_run_does_not_wait(
    acme_api: Caller, acme: Customer, queued_run: Run
) -> None:
    ended = completed_run(acme)
    began = time.monotonic()
    assert acme_api.get(f"/v1/runs/{queued_run.pk}?wait=20", **{"If-None-Match": '"old"'}).status_code == 200
    assert acme_api.get(f"/v1/runs/{ended.pk}?wait=20").status_code == 200
    problem(acme_api.get(f"/v1/runs/{uuid4()}?wait=20"), 404, "RUN_NOT_FOUND_STEALTH")
    assert time.monotonic() - began < 15


def test_no_connection_is_held_while_waiting(acme_api: Caller, queued_run: Run) -> None:
    path = f"/v1/runs/{queued_run.pk}?wait=25"
    with waiting_callers(acme_api, path, 1):
        connection.close()
        assert comes_true(_somebody_waits, seconds=10)
        # Between its short looks at the run the waiter has given its connection back.
        assert comes_true(_all_connections_are_free, seconds=10), connection.pool.get_stats()  # type: ignore[attr-defined]
        transitions.start(queued_run, lease_token=uuid4())


def test_beyond_the_places_to_wait_the_answer_comes_at_once_and_another_tenant_still_waits(
    acme_api: Caller, rival_api: Caller, rival: Customer, queued_run: Run
) -> None:
    path, theirs = f"/v1/runs/{queued_run.pk}", f"/v1/runs/{submitted(rival).pk}"
    most = long_poll._PLACES_OF_ONE_TENANT
    assert most < settings.LONG_POLL_MAX_WAITERS
    with waiting_callers(acme_api, f"{path}?wait=25", most):
        assert comes_true(lambda: long_poll._waiting["acme"] == most, seconds=20)
        began = time.monotonic()
        assert acme_api.get(f"{path}?wait=20").status_code == 200
        assert time.monotonic() - began < 10
        began = time.monotonic()
        assert rival_api.get(f"{theirs}?wait=1").status_code == 200
        assert time.monotonic() - began >= 1
        transitions.start(queued_run, lease_token=uuid4())
    assert not long_poll._waiting


def _somebody_waits() -> bool:
    return long_poll._places._value < settings.LONG_POLL_MAX_WAITERS


def comes_true(condition: Callable[[], bool], *, seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < ends:
        time.sleep(0.02)
    return holds


def _all_connections_are_free() -> bool:
    stats = connection.pool.get_stats()  # type: ignore[attr-defined]
    return bool(stats["pool_available"] == stats["pool_size"])


@contextmanager
def waiting_callers(caller: Caller, path: str, count: int) -> Iterator[None]:
    def wait() -> None:
        caller.get(path)
        connection.close()

    threads = [threading.Thread(target=wait) for _ in range(count)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def test_wait_is_a_whole_number_of_0_to_25(acme_api: Caller, queued_run: Run, subtests: pytest.Subtests) -> None:
    for text in ("26", "-1", "1.5", "abc", "", "9" * 400, "1&wait=2"):
        with subtests.test(wait=text):
            refused = problem(acme_api.get(f"/v1/runs/{queued_run.pk}?wait={text}"), 400, "INVALID_PARAMS")
            assert refused["errors"][0]["parameter"] == "wait"


def test_head_answers_as_get_without_a_body(acme_api: Caller, queued_run: Run) -> None:
    answer = acme_api.client.head(f"/v1/runs/{queued_run.pk}", headers=acme_api.owner.headers())
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["X-DPP-Cost-Reserved"] == "0.5000"


def test_a_run_submitted_through_the_api_can_be_read_in_upper_case(acme_api: Caller) -> None:
    run_id = json.loads(acme_api.submit(json_body()).content)["run_id"]
    assert acme_api.get(f"/v1/runs/{run_id.upper()}").status_code == 200


def test_results_are_linked_and_read_where_they_were_written(
    acme_api: Caller, acme: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configured bucket has another name since."""
    run = completed_run(acme, inline=True)
    was = store.bucket()
    monkeypatch.setattr(type(store.object_store()), "place", property(lambda _: "dpp-renamed"))

    result = json.loads(acme_api.get(f"/v1/runs/{run.pk}").content)["result"]

    assert f"/{was}/" in result["presigned_url"]
    assert result["inline"]["pointers"]["result_object"].startswith(f"s3://{was}/")


def test_a_result_fetched_hours_later_through_a_fresh_link_verifies(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=7))

    result = json.loads(acme_api.get(f"/v1/runs/{run.pk}").content)["result"]
    with urllib.request.urlopen(result["presigned_url"], timeout=10) as answer:
        body = answer.read()

    assert hashlib.sha256(body).hexdigest() == result["sha256"]
    assert signature_is_valid(json.loads(body))
