"""GET /v1/runs."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpp_project.profile import PROFILE
from runs.models import Run
from runs.states import Reason
from tests.api.caller import Caller, costs, problem
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, on_plan, processing, submitted
from tests.database_time import database_says


@pytest.fixture(autouse=True)
def _patient(acme: Customer) -> None:
    on_plan(acme, poll_rate_per_min=1000)


def ids(page: dict[str, Any]) -> list[str]:
    return [run["run_id"] for run in page["runs"]]


def listed(caller: Caller, query: str = "") -> dict[str, Any]:
    answer = caller.get(f"/v1/runs{query}")
    assert answer.status_code == 200, answer.content
    page: dict[str, Any] = json.loads(answer.content)
    return page


def test_own_runs_newest_first(acme_api: Caller, acme: Customer, rival: Customer) -> None:
    runs = [submitted(acme) for _ in range(3)]
    submitted(rival)

    answer = acme_api.get("/v1/runs")
    page = json.loads(answer.content)

    assert ids(page) == [str(run.pk) for run in reversed(runs)]
    assert page["next_cursor"] is None
    assert costs(answer) == ("0.0000", "0.0000", "8.5000", "0")


def test_pages_show_each_run_once_whatever_comes_meanwhile(acme_api: Caller, acme: Customer) -> None:
    moment = timezone.now()
    runs = [submitted(acme) for _ in range(7)]
    # Some of them in the same microsecond: the id decides.
    Run.objects.filter(pk__in=[run.pk for run in runs[2:6]]).update(created_at=moment)
    expected = [str(pk) for pk in Run.objects.order_by("-created_at", "-run_id").values_list("pk", flat=True)]

    seen: list[str] = []
    page = listed(acme_api, "?limit=2")
    while True:
        seen += ids(page)
        submitted(acme)
        if page["next_cursor"] is None:
            break
        page = listed(acme_api, f"?limit=2&cursor={page['next_cursor']}")

    assert seen == expected


def test_a_page_takes_one_query_and_the_balance_another(acme_api: Caller, acme: Customer) -> None:
    for _ in range(3):
        submitted(acme)
    listed(acme_api)
    with CaptureQueriesContext(connection) as queries:
        listed(acme_api)
    assert len(queries) == 2


def test_filters_narrow(acme_api: Caller, acme: Customer) -> None:
    queued, running = submitted(acme), processing(acme)
    done, broken = completed_run(acme), failed_run(acme, Reason.PACK_FAILED)

    for status, run in (("QUEUED", queued), ("PROCESSING", running), ("COMPLETED", done), ("FAILED", broken)):
        assert ids(listed(acme_api, f"?status={status}")) == [str(run.pk)]
    assert listed(acme_api, "?status=FAILED")["runs"][0]["error"] == {"reason_code": "PACK_FAILED"}
    assert len(ids(listed(acme_api, "?pack_type=decision"))) == 4

    middle = quote(running.created_at.astimezone(UTC).isoformat())
    assert ids(listed(acme_api, f"?created_after={middle}")) == [str(broken.pk), str(done.pk)]
    assert ids(listed(acme_api, f"?created_before={middle}")) == [str(queued.pk)]
    # An unescaped plus sign arrives as a space and is understood all the same.
    assert ids(listed(acme_api, f"?created_after={running.created_at.isoformat()}")) == [str(broken.pk), str(done.pk)]


def test_past_retention_a_run_is_listed_as_expired(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    with database_says(timezone.now() + PROFILE.retention + timedelta(minutes=1)):
        assert listed(acme_api)["runs"][0]["status"] == "EXPIRED"
        assert ids(listed(acme_api, "?status=EXPIRED")) == [str(run.pk)]
        assert ids(listed(acme_api, "?status=COMPLETED")) == []


def _cursor(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


_UUID = "0b4f3a52-6c1e-4d0a-9a55-3f1f7f0f7c11"
_BAD = [
    ("status", "DONE"),
    ("status", ""),
    ("status", "QUEUED&status=FAILED"),
    ("pack_type", "astrology"),
    ("created_after", "yesterday"),
    ("created_after", "2026-01-01"),
    ("created_after", "2026-01-01T00:00:00"),
    ("created_before", "2026-13-01T00:00:00Z"),
    ("created_before", "2026-01-01T00:00:00Z%00"),
    ("limit", "0"),
    ("limit", "101"),
    ("limit", "ten"),
    ("limit", "9" * 5000),
    ("cursor", ""),
    ("cursor", "%FF"),
    ("cursor", "not-base64!"),
    ("cursor", _cursor("2026-01-01T00:00:00+00:00|nothing")),
    ("cursor", _cursor(f"2026-01-01T00:00:00|{_UUID}")),
    ("cursor", _cursor(f"20260101T000000Z|{_UUID}")),
    ("stauts", "QUEUED"),
    ("a%00b", "1"),
]


def test_what_is_not_understood_is_refused(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for name, text in _BAD:
        with subtests.test(name, text=text[:40]):
            refused = problem(acme_api.get(f"/v1/runs?{name}={text}"), 400, "INVALID_PARAMS")
            assert refused["errors"][0]["detail"]


def test_all_wrong_parameters_are_told_at_once(acme_api: Caller) -> None:
    refused = problem(acme_api.get("/v1/runs?limit=0&status=QUEUED&status=FAILED&stauts=QUEUED"), 400, "INVALID_PARAMS")
    assert {error["parameter"] for error in refused["errors"]} == {"limit", "status", "stauts"}


def test_times_at_the_ends_of_the_calendar_are_times(acme_api: Caller, acme: Customer) -> None:
    submitted(acme)
    edge = datetime.min.replace(tzinfo=UTC).isoformat()
    assert len(ids(listed(acme_api, "?created_after=0001-01-01T00:00:00%2B14:00"))) == 1
    assert len(ids(listed(acme_api, "?created_before=9999-12-31T23:59:59-14:00"))) == 1
    # RFC 3339 knows zones up to a day, leap seconds, small letters and any number of digits.
    assert ids(listed(acme_api, "?created_before=0060-02-10T07:25:09%2B23:19")) == []
    assert len(ids(listed(acme_api, "?created_after=2016-12-31t23:59:60.123456789z"))) == 1
    assert ids(listed(acme_api, f"?cursor={_cursor(f'{edge}|{_UUID}')}")) == []


def test_a_cursor_of_another_tenant_shows_nothing_of_it(acme_api: Caller, rival: Customer) -> None:
    theirs = submitted(rival)
    cursor = _cursor(f"{(theirs.created_at + timedelta(days=1)).isoformat()}|{_UUID}")
    assert ids(listed(acme_api, f"?cursor={cursor}")) == []
