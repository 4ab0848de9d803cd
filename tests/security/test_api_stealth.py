"""Another tenant's run, an id that is none and a run that never was cannot be told apart, by bytes or by time."""

import json
import statistics
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpp_project.profile import PROFILE
from runs.models import Run
from runs.states import Status
from tests.api.caller import Caller, problem
from tests.api.ended_runs import completed_run
from tests.builders import Customer, customer, on_plan, submitted
from tests.database_time import database_says

_VARYING = ("X-Trace-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Content-Length")


@pytest.fixture
def acme_api(api: object, acme: Customer) -> Caller:
    on_plan(acme, poll_rate_per_min=10_000_000)
    return Caller(api, acme)  # type: ignore[arg-type]


@pytest.fixture
def theirs(platform: object) -> Run:
    return submitted(customer("neighbour", budget="1.0000"))


def same_but_for_trace_and_path(answer: HttpResponse, path: str) -> tuple[str, dict[str, str]]:
    body = problem(answer, 404, "RUN_NOT_FOUND_STEALTH")
    assert body["instance"] == path
    assert "run_id" not in body
    text = answer.content.decode().replace(body["trace_id"], "<trace>").replace(json.dumps(path)[1:-1], "<path>")
    return text, {name: value for name, value in answer.items() if name not in _VARYING}


def test_every_404_of_a_run_is_the_same_answer(acme_api: Caller, theirs: Run) -> None:
    expired = completed_run(customer("leaver", budget="1.0000"))
    Run.objects.filter(pk=expired.pk).update(retention_until=timezone.now() - timedelta(days=1))
    malformed = ("x", "1" * 36, str(theirs.pk)[:-1], str(theirs.pk).replace("-", ""), f"{{{theirs.pk}}}", "%00", "..;")

    asked = (("", acme_api.get), ("/inputs", acme_api.get), ("/cancel", acme_api.post), ("", acme_api.delete))
    for action, call in asked:
        answers = set()
        for run_id in (str(theirs.pk), str(uuid4()), str(UUID(int=0)), str(expired.pk), *malformed):
            path = f"/v1/runs/{run_id}{action}"
            shown = path.replace("%00", "\x00")
            text, headers = same_but_for_trace_and_path(call(path), shown)
            answers.add((text, json.dumps(headers, sort_keys=True)))
        assert len(answers) == 1, answers


def test_what_is_expired_for_its_owner_never_was_for_others(acme_api: Caller, acme: Customer, rival: Customer) -> None:
    path = f"/v1/runs/{completed_run(acme).pk}"
    with database_says(timezone.now() + PROFILE.retention + timedelta(minutes=1)):
        problem(acme_api.get(path), 410, "RUN_EXPIRED")
        stranger = Caller(acme_api.client, rival)
        gone = same_but_for_trace_and_path(stranger.get(path), path)
        never = f"/v1/runs/{uuid4()}"
        assert gone[0] == same_but_for_trace_and_path(stranger.get(never), never)[0]


def test_every_404_takes_the_same_queries(acme_api: Caller, theirs: Run) -> None:
    acme_api.get("/v1/runs/warm")
    counts = set()
    for run_id in (str(theirs.pk), str(uuid4()), "malformed"):
        with CaptureQueriesContext(connection) as queries:
            acme_api.get(f"/v1/runs/{run_id}")
        counts.add(len(queries))
    assert counts == {1}


def test_time_does_not_tell_them_apart(acme_api: Caller, theirs: Run) -> None:
    """Interleaved, so that whatever slows the machine slows all alike. The medians may differ by a third.

    What the code does differently shows in every series, what else the machine does not: one even series is enough.
    """
    kinds: dict[str, Callable[[], str]] = {
        "theirs": lambda: str(theirs.pk),
        "nobody's": lambda: str(uuid4()),
        "malformed": lambda: "not-an-id",
    }
    _medians(acme_api, kinds, rounds=20)
    found = []
    for _ in range(5):
        found.append(_medians(acme_api, kinds, rounds=120))
        if max(found[-1].values()) < 1.33 * min(found[-1].values()):
            return
    raise AssertionError(found)


def _medians(caller: Caller, kinds: dict[str, Callable[[], str]], *, rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, run_id in kinds.items():
            path = f"/v1/runs/{run_id()}"
            began = time.perf_counter()
            caller.client.get(path, headers=caller.owner.headers())
            times[kind].append(time.perf_counter() - began)
    return {kind: statistics.median(taken) for kind, taken in times.items()}


def test_a_listing_shows_nothing_of_others(acme_api: Caller, theirs: Run) -> None:
    for query in ("", "?status=QUEUED", "?pack_type=decision"):
        assert json.loads(acme_api.get(f"/v1/runs{query}").content)["runs"] == []
    assert Run.objects.get().status == Status.QUEUED


def test_a_statement_shows_nothing_of_others(acme_api: Caller, acme: Customer, theirs: Run) -> None:
    submitted(acme)
    answer = acme_api.get(f"/v1/statements/{timezone.now():%Y-%m}")
    assert theirs.tenant_id not in answer.content.decode()
    entries = json.loads(answer.content)["entries"]
    assert [entry["sequence"] for entry in entries] == [1, 2]
    assert str(theirs.pk) not in answer.content.decode()
