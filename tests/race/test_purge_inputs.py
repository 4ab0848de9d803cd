"""Inputs that nobody will read again are gone within minutes, also the large ones in object storage."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from budget import redis_keys
from budget.exceptions import InsufficientFunds
from dpp_project.profile import LOCKED
from dpp_project.redis import client
from runs.jobs.purge_inputs import Purged, purge_inputs
from runs.jobs.sweep import sweep
from runs.models import Run, RunPayload
from storage import store
from storage.exceptions import ObjectMissing, StorageError
from storage.object_keys import RunFolder
from storage.object_store import ObjectStore, PutResult
from tests.builders import QUESTION, Customer, processing, submitted
from tests.race import passing_time
from tests.race.actors import Crash, at, die, fresh, message_dies, owner_cancels, sweeper, work
from tests.race.falsify import falsify

_LARGE = {**QUESTION, "context": "large " * 12_000}


def _is_stored(key: str) -> bool:
    try:
        store.object_store().get(key)
    except ObjectMissing:
        return False
    return True


@pytest.mark.parametrize("ends", [owner_cancels, sweeper, message_dies])
@pytest.mark.parametrize("inputs", [QUESTION, _LARGE], ids=["in the row", "in object storage"])
def test_a_run_that_never_started_keeps_no_inputs(
    acme: Customer, ends: Callable[[Run], None], inputs: dict[str, object]
) -> None:
    run = submitted(acme, inputs=inputs)
    object_key = RunPayload.objects.get(run=run).object_key
    assert bool(object_key) == (inputs is _LARGE)
    assert purge_inputs() == Purged(), "a live run needs them"
    ends(run)

    assert purge_inputs() == Purged(found=1, purged=1)

    assert not RunPayload.objects.filter(run=run).exists()
    assert not object_key or not _is_stored(object_key)
    assert fresh(run).inputs_deleted_at is not None
    assert purge_inputs() == Purged()


def test_a_run_cancelled_while_it_ran_keeps_none_and_a_failed_or_completed_one_does(acme: Customer) -> None:
    cancelled, failed, completed = processing(acme), processing(acme), submitted(acme)
    work(completed)
    for run, reason in ((cancelled, "RUN_CANCELLED"), (failed, "PACK_FAILED")):
        falsify(
            "UPDATE runs SET status = 'FAILED', money_state = 'SETTLED', actual_cost_usd_micros = 10000,"
            " last_error_reason_code = %s, version = version + 1 WHERE run_id = %s",
            reason,
            run.pk,
        )

    assert purge_inputs() == Purged(found=1, purged=1)

    assert set(RunPayload.objects.values_list("run", flat=True)) == {failed.pk, completed.pk}


def test_a_late_message_of_a_purged_run_is_only_acknowledged(acme: Customer) -> None:
    run = submitted(acme)
    owner_cancels(run)
    purge_inputs()

    assert work(run) == "not_ours"
    assert fresh(run).last_error_reason_code == "RUN_CANCELLED"


def test_what_object_storage_does_not_delete_is_tried_again(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    run = submitted(acme, inputs=_LARGE)
    owner_cancels(run)

    def refuse(keys: list[str], **_: object) -> None:
        raise StorageError("refused")

    with monkeypatch.context() as patched:
        patched.setattr(type(store.object_store()), "delete", lambda _self, keys, **_: refuse(keys))
        assert purge_inputs() == Purged(found=1, left=1)
    assert RunPayload.objects.filter(run=run).exists()
    assert purge_inputs() == Purged(found=1, purged=1)


def test_inputs_of_a_submit_that_was_refused_by_the_database_are_deleted_at_once(
    acme: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[str] = []
    original = type(store.object_store()).put

    def watched(self: ObjectStore, key: str, body: bytes, **more: str) -> PutResult:
        put.append(key)
        return original(self, key, body, **more)

    monkeypatch.setattr(type(store.object_store()), "put", watched)
    # Redis believes in more than there is.
    falsify("UPDATE tenant_balances SET available_usd_micros = 1")

    with pytest.raises(InsufficientFunds):
        submitted(acme, inputs=_LARGE)

    assert put
    assert not any(_is_stored(key) for key in put)


@pytest.mark.parametrize("days", [1, 30, 31, 365])
def test_inputs_whose_submit_died_go_with_the_hold(acme: Customer, days: int) -> None:
    put_at = timezone.now()
    at("submit.reserved", die)
    with pytest.raises(Crash):
        submitted(acme, inputs=_LARGE)
    run_id = _only_hold()
    # As if it had died a moment later, with its inputs stored and no row.
    key = RunFolder(acme.id, run_id, put_at, timedelta(days=days)).inputs
    store.put(key, b"{}", mime=store.JSON_MIME)
    passing_time.hold_ages(run_id)

    assert sweep().holds_voided == 1

    assert not _is_stored(key)


def _only_hold() -> UUID:
    (member,) = [member for index in redis_keys.all_open_holds() for member in client().zrange(index, 0, -1)]
    return UUID(str(member))


def test_it_happens_within_the_hour() -> None:
    assert LOCKED.purge_inputs_interval_sec * 3 < 3_600, "three passes may fail"


def test_the_search_reads_an_index_of_what_is_due(acme: Customer) -> None:
    """In their order, without sorting: so it costs what is due and not what there is."""
    run = submitted(acme)
    owner_cancels(run)
    with connection.cursor() as cursor, transaction.atomic():
        for another_way in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{another_way} = off")
        found = Run.objects.filter(Run.INPUTS_NOT_NEEDED).order_by("created_at")[:10].explain()
    assert "runs_inputs_not_needed" in found
