"""Kill switches: a refused submit costs nothing, a queued run is refunded before it starts, others learn in time."""

import json
import time
from dataclasses import replace

import psycopg
import pytest
from django.db import ProgrammingError
from django.test import Client

from packs.registry import PACKS
from runs.access.switches import Switch, flip, is_on
from runs.models import Run, SwitchChange
from runs.states import Reason
from runs.worker.run_one import Delivery, MessageOutcome, run_one
from tests.books import assert_balanced, entries
from tests.builders import QUESTION, Customer, body, fresh_key, message, submitted
from tests.http import Api
from tests.owner import owner_cursor
from tests.probe_pack import PACK as PROBE
from tests.processes import ApiProcess


def _post(api: Client, owner: Customer, **changes: object) -> tuple[int, dict[str, object]]:
    answer = api.post(
        "/v1/runs",
        json.dumps(body(**changes)),
        content_type="application/json",
        headers=owner.headers(**{"Idempotency-Key": fresh_key()}),
    )
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("switch", "changes"),
    [
        (Switch.KILL_FETCH_EXTERNAL, {"pack_type": "url", "inputs": {"urls": ["https://example.com/"]}}),
        (Switch.KILL_FETCH_EXTERNAL, {"inputs": {**QUESTION, "evidence_urls": ["https://example.com/"]}}),
        (Switch.KILL_DOCX_ARTIFACT, {"artifacts": {"include_docx": True}}),
    ],
)
def test_what_is_switched_off_is_refused_at_submit(
    api: Client, acme: Customer, switch: Switch, changes: dict[str, object]
) -> None:
    flip(switch, on=True, who="ops", why="drill")
    status, problem = _post(api, acme, **changes)
    assert (status, problem["reason_code"]) == (503, "FEATURE_DISABLED")
    assert_balanced(acme, 10_000_000)
    assert _post(api, acme)[0] == 202, "a request that does not need the feature goes on"
    flip(switch, on=False, who="ops", why="over")
    assert _post(api, acme, **changes)[0] == 202


def test_a_queued_run_hit_by_a_switch_is_refunded_before_it_starts(acme: Customer) -> None:
    run = submitted(acme, pack_type="probe", inputs={"steps": ["fail:it started"]})
    flip(Switch.KILL_OCR_P2B, on=True, who="ops", why="drill")
    packs = {**PACKS, "probe": replace(PROBE, features=lambda inputs: frozenset({"ocr_p2b"}))}
    done = run_one(Delivery(message_id=fresh_key(), body=dict(message(run)), extend=lambda: None), packs=packs)
    row = Run.objects.get(pk=run.pk)
    assert (done, row.status, row.last_error_reason_code) == (MessageOutcome.ENDED, "FAILED", Reason.FEATURE_DISABLED)
    assert entries(run) == [("RESERVE", -500_000), ("REFUND", 500_000)]
    assert_balanced(acme, 10_000_000)


def test_a_queued_url_run_is_refunded_when_fetching_is_switched_off(acme: Customer) -> None:
    run = submitted(acme, pack_type="url", inputs={"urls": ["https://example.com/"]})
    flip(Switch.KILL_FETCH_EXTERNAL, on=True, who="ops", why="drill")
    done = run_one(Delivery(message_id=fresh_key(), body=dict(message(run)), extend=lambda: None))
    row = Run.objects.get(pk=run.pk)
    assert (done, row.status, row.last_error_reason_code) == (MessageOutcome.ENDED, "FAILED", Reason.FEATURE_DISABLED)
    assert entries(run) == [("RESERVE", -500_000), ("REFUND", 500_000)]
    assert_balanced(acme, 10_000_000)


def test_another_process_learns_within_five_seconds(live_api: ApiProcess, acme: Customer) -> None:
    api = Api(live_api.url, acme)
    wanted = body(pack_type="url", inputs={"urls": ["https://example.com/"]})
    assert api.submit(wanted, key=fresh_key()).status == 202
    flip(Switch.KILL_FETCH_EXTERNAL, on=True, who="ops", why="drill")
    ends = time.monotonic() + 5
    asked_at = time.monotonic()
    while api.submit(wanted, key=fresh_key()).status != 503:
        assert asked_at < ends
        time.sleep(0.2)
        asked_at = time.monotonic()


@pytest.mark.usefixtures("platform")
def test_polls_are_free_by_default_and_every_change_is_written_down() -> None:
    assert is_on(Switch.KILL_POLL_MICROCOST)
    flip(Switch.KILL_POLL_MICROCOST, on=False, who="finance", why="trial")
    assert not is_on(Switch.KILL_POLL_MICROCOST)
    change = SwitchChange.objects.get()
    assert (change.who, change.why, change.on) == ("finance", "trial", False)
    with pytest.raises(ProgrammingError, match="permission denied"):
        SwitchChange.objects.all().delete()
    with owner_cursor() as owner, pytest.raises(psycopg.Error, match="append-only"):
        owner.execute("DELETE FROM switch_changes")
