"""The short way of a poll: the same answer as Django's, and Django's own whenever it is not that plain."""

import hashlib
import json
import time
import urllib.request
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import RequestFactory
from django.utils import timezone

from dpp_project import clock, tracing
from runs.access import api_keys, switches
from runs.access.key_restrictions import Restrictions
from runs.access.switches import Switch
from runs.api import polled_runs
from runs.api.authentication import GATE
from runs.api.poll_lane import PollLane
from runs.lifecycle.cancel import cancel
from runs.models import Run
from runs.states import Reason
from storage.models import DamagedObject, StoredObject
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, customer, on_plan, processing, submitted
from tests.http import Api
from tests.processes import ApiProcess

# Accepted like any other way to say so, but not plain: it takes Django's way.
_LONG_WAY = "application/json;q=0.9"
# Enough for a test, and so few that none comes back (one in five seconds) while it counts them.
_POLLS_PER_MIN = 12


@dataclass
class LaneAnswer:
    status: str
    headers: dict[str, str]
    body: bytes
    quick: bool


class Lane:
    """The lane before the real Django, and a note whether that was needed."""

    def __init__(self) -> None:
        self._django = get_wsgi_application()
        self._asked_django = False
        self._lane = PollLane(self._and_note)
        polled_runs.OWN_RUNS._pool.wait(30)  # a poll waits for its connection only a moment

    def get(
        self,
        run_id: object,
        owner: Customer,
        query: str = "",
        *,
        method: str = "GET",
        address: str = "127.0.0.1",
        **headers: str,
    ) -> LaneAnswer:
        environ = (
            RequestFactory(REMOTE_ADDR=address)
            .generic(method, f"/v1/runs/{run_id}{query}", headers={"Host": "testserver", **owner.headers(), **headers})
            .environ
        )
        self._asked_django = False
        started: list[Any] = []

        def note(status: str, headers: list[tuple[str, str]], _: Any = None) -> Callable[[bytes], object]:
            started.extend((status, headers))
            return lambda _: None

        parts = self._lane(environ, note)
        body = b"".join(parts)
        if isinstance(parts, HttpResponseBase):
            parts.close()
        return LaneAnswer(started[0], dict(started[1]), body, quick=not self._asked_django)

    def _and_note(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self._asked_django = True
        return self._django(environ, start_response)


@pytest.fixture(autouse=True)
def nothing_is_forgotten_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine two calls may be as far apart as what the process knows of keys and switches is kept."""
    monkeypatch.setattr(api_keys._cache, "ttl_sec", 60.0)
    monkeypatch.setattr(switches._states, "ttl_sec", 60.0)


@pytest.fixture
def lane(acme: Customer) -> Lane:
    """Acme was here a moment ago."""
    on_plan(acme, poll_rate_per_min=_POLLS_PER_MIN)
    lane = Lane()
    assert not lane.get(uuid4(), acme).quick
    assert switches.is_on(Switch.KILL_POLL_MICROCOST)
    return lane


@pytest.mark.parametrize("state", ["queued", "processing"])
@pytest.mark.parametrize("known", ["none", "stale", "current", "weakened", "any"])
def test_the_answer_is_the_one_that_django_gives(
    lane: Lane, acme: Customer, queued_run: Run, state: str, known: str
) -> None:
    run = queued_run if state == "queued" else processing(acme)
    Run.objects.filter(pk=run.pk).update(progress=0.25)
    etag = lane.get(run.pk, acme).headers["ETag"]
    tags = {"stale": '"0", W/"1"', "current": f'"0", {etag}', "weakened": f'"0", W/{etag}', "any": "*"}
    headers = {"If-None-Match": tags[known]} if known in tags else {}
    quick = lane.get(run.pk, acme, **{"X-Trace-Id": "one", **headers})
    full = lane.get(run.pk, acme, **{"X-Trace-Id": "one", "Accept": _LONG_WAY, **headers})
    assert quick.quick
    assert not full.quick
    assert (quick.status, quick.body) == (full.status, full.body)
    assert bool(quick.body) == (known in ("none", "stale"))
    left = [int(answer.headers.pop("X-RateLimit-Remaining")) for answer in (quick, full)]
    assert left[1] == left[0] - 1
    for answer in (quick, full):
        answer.headers.pop("X-RateLimit-Reset")
    assert quick.headers == full.headers


def test_what_is_not_plain_takes_the_long_way(lane: Lane, acme: Customer, rival: Customer, queued_run: Run) -> None:
    assert lane.get(queued_run.pk, acme).quick
    long_ways: list[tuple[str, LaneAnswer]] = [
        ("200", lane.get(queued_run.pk, acme, "?wait=0")),
        ("200", lane.get(queued_run.pk, acme, method="HEAD")),
        ("405", lane.get(queued_run.pk, acme, method="POST")),
        ("406", lane.get(queued_run.pk, acme, Accept="text/html")),
        ("400", lane.get(queued_run.pk, acme, Host="elsewhere.example")),
        ("401", lane.get(queued_run.pk, acme, Authorization="Bearer dpp_sk_guess")),
        ("404", lane.get(uuid4(), acme)),
        ("404", lane.get("not-an-id", acme)),
        ("404", lane.get(queued_run.pk, rival)),
        ("404", lane.get(queued_run.pk, rival)),
    ]
    assert [(answer.status[:3], answer.quick) for _, answer in long_ways] == [(code, False) for code, _ in long_ways]


def test_a_body_takes_the_long_way(lane: Lane, acme: Customer, queued_run: Run) -> None:
    """It is Django's server that says what becomes of a body nobody reads; chunks are refused, with a length or not."""
    answers = [
        lane.get(queued_run.pk, acme, **{"Content-Length": "2"}),
        lane.get(queued_run.pk, acme, **{"Transfer-Encoding": "chunked"}),
        lane.get(queued_run.pk, acme, **{"Transfer-Encoding": "chunked", "Content-Length": "2"}),
    ]
    assert [(answer.status[:3], answer.quick) for answer in answers] == [("200", False), ("411", False), ("411", False)]


def test_a_key_for_some_networks_is_judged_alike_on_both_ways(lane: Lane, acme: Customer, queued_run: Run) -> None:
    restrictions = Restrictions.read(networks=["127.0.0.0/8"])
    _, text = api_keys.issue(acme.tenant, restrictions=restrictions)
    limited = replace(acme, api_key=text)
    assert not lane.get(queued_run.pk, limited).quick, "the first use is noted by Django"
    here, long_way = lane.get(queued_run.pk, limited), lane.get(queued_run.pk, limited, Accept=_LONG_WAY)
    assert (here.status, here.quick, here.body) == ("200 OK", True, long_way.body)
    for accept in ("*/*", _LONG_WAY):
        elsewhere = lane.get(queued_run.pk, limited, address="203.0.113.9", Accept=accept)
        assert (elsewhere.status[:3], elsewhere.quick) == ("401", False)


def _ended(owner: Customer, how: str) -> Run:
    match how:
        case "reports":
            return completed_run(owner, include_markdown=True, include_docx=True)
        case "inline":
            return completed_run(owner, inline=True)
        case "failed":
            return failed_run(owner, Reason.PACK_FAILED, detail='Told to "the owner", \\ 이유.')
        case "cancelled":
            run = submitted(owner)
            cancel(run)
            return run
    return completed_run(owner, tags={"team": "가"})


@pytest.mark.parametrize("how", ["completed", "reports", "inline", "failed", "cancelled"])
def test_the_answer_of_an_ended_run_is_the_one_that_django_gives(
    lane: Lane, acme: Customer, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte by byte, at the same moment: the links differ from second to second."""
    run = _ended(acme, how)
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    for _ in range(4):
        began = int(time.time())
        known = {"X-Trace-Id": "one", "If-None-Match": '"0"'}
        quick, full = lane.get(run.pk, acme, **known), lane.get(run.pk, acme, Accept=_LONG_WAY, **known)
        if int(time.time()) == began:
            break
    assert (quick.quick, full.quick) == (True, False)
    assert (quick.status, quick.body) == (full.status, full.body)
    for answer in (quick, full):
        del answer.headers["X-RateLimit-Remaining"], answer.headers["X-RateLimit-Reset"]
    assert quick.headers == full.headers
    assert "ETag" not in quick.headers
    shown = json.loads(quick.body)
    assert shown["status"] == ("FAILED" if how in ("failed", "cancelled") else "COMPLETED")
    if how == "reports":
        assert [item["name"] for item in shown["result"]["artifacts"]] == ["report.docx", "report.md"]
    for linked in [shown["result"], *shown["result"]["artifacts"]] if "result" in shown else []:
        with urllib.request.urlopen(linked["presigned_url"], timeout=10) as stored:
            assert hashlib.sha256(stored.read()).hexdigest() == linked["sha256"]


def test_an_ended_run_whose_result_is_not_to_be_had_is_djangos_to_tell(lane: Lane, acme: Customer) -> None:
    damaged, gone = completed_run(acme), completed_run(acme)
    DamagedObject.objects.create(
        stored=StoredObject.objects.get(run=damaged),
        problem="missing",
        found_at=timezone.now(),
        checked_at=timezone.now(),
    )
    StoredObject.objects.filter(run=gone).delete()
    for run in (damaged, gone):
        quick, full = lane.get(run.pk, acme), lane.get(run.pk, acme, Accept=_LONG_WAY)
        assert not quick.quick
        assert quick.status == full.status != "200 OK"


def test_an_expired_run_takes_the_long_way(lane: Lane, acme: Customer) -> None:
    for run in (submitted(acme), completed_run(acme)):
        assert lane.get(run.pk, acme).quick
        Run.objects.filter(pk=run.pk).update(retention_until=timezone.now() - timedelta(seconds=1))
        answer = lane.get(run.pk, acme)
        assert (answer.status[:3], answer.quick) == ("410", False)


def test_a_run_that_ends_between_two_polls_is_shown_as_ended(lane: Lane, acme: Customer, queued_run: Run) -> None:
    assert json.loads(lane.get(queued_run.pk, acme).body)["status"] == "QUEUED"
    cancel(queued_run)
    answer = lane.get(queued_run.pk, acme)
    assert (answer.status[:3], json.loads(answer.body)["status"], answer.quick) == ("200", "FAILED", True)


def test_the_limit_is_the_same_and_nothing_is_counted_twice(lane: Lane, acme: Customer, queued_run: Run) -> None:
    """The fixture took one; the last refused one is answered by Django, which knows that it was refused."""
    answers = [lane.get(queued_run.pk, acme) for _ in range(_POLLS_PER_MIN)]
    seen = [answer.status[:3] for answer in answers]
    assert seen == ["200"] * (_POLLS_PER_MIN - 1) + ["429"]
    assert [answer.quick for answer in answers] == [True] * (_POLLS_PER_MIN - 1) + [False]
    assert int(answers[0].headers["X-RateLimit-Remaining"]) == _POLLS_PER_MIN - 2


def test_a_poll_that_goes_on_to_django_is_counted_once(lane: Lane, acme: Customer) -> None:
    before = int(lane.get(uuid4(), acme).headers["X-RateLimit-Remaining"])
    assert int(lane.get(uuid4(), acme).headers["X-RateLimit-Remaining"]) == before - 1


def test_a_header_cannot_bring_a_gate_along(lane: Lane, acme: Customer, queued_run: Run) -> None:
    answer = lane.get(queued_run.pk, acme, **{GATE: "mine", "Dpp.Gate": "mine", "Accept": _LONG_WAY})
    assert answer.status == "200 OK"
    assert int(answer.headers["X-RateLimit-Remaining"]) == _POLLS_PER_MIN - 2


def test_a_revoked_key_is_refused_at_once_in_the_process_that_revoked_it(
    lane: Lane, acme: Customer, queued_run: Run
) -> None:
    assert lane.get(queued_run.pk, acme).quick
    key = api_keys.named(acme.api_key)
    assert key is not None
    api_keys.revoke(key)
    assert lane.get(queued_run.pk, acme).status[:3] == "401"


def test_in_production_only_what_came_over_tls_is_answered_quickly(
    acme: Customer, queued_run: Run, settings: LazySettings
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 60
    lane, tls = Lane(), {"X-Forwarded-Proto": "https"}
    lane.get(queued_run.pk, acme, **tls)
    quick, full = lane.get(queued_run.pk, acme, **tls), lane.get(queued_run.pk, acme, Accept=_LONG_WAY, **tls)
    assert (quick.quick, full.quick) == (True, False)
    assert quick.headers["Strict-Transport-Security"] == full.headers["Strict-Transport-Security"] == "max-age=60"
    assert set(quick.headers) == set(full.headers)
    plain = lane.get(queued_run.pk, acme)
    assert (plain.status[:3], plain.quick) == ("301", False)


def test_where_polls_cost_money_they_take_the_long_way(lane: Lane, acme: Customer, queued_run: Run) -> None:
    switches.flip(Switch.KILL_POLL_MICROCOST, on=False, who="test", why="test")
    switches.is_on(Switch.KILL_POLL_MICROCOST)
    assert not lane.get(queued_run.pk, acme).quick


def test_a_traced_poll_takes_the_long_way(
    lane: Lane, acme: Customer, queued_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "ON", True)
    assert not lane.get(queued_run.pk, acme).quick


def test_the_lane_goes_on_when_its_connections_are_cut(acme: Customer, queued_run: Run) -> None:
    on_plan(acme, poll_rate_per_min=1_000_000)
    lane = Lane()
    lane.get(queued_run.pk, acme)
    assert lane.get(queued_run.pk, acme).quick
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND usename = current_user"
        )
    answers = [lane.get(queued_run.pk, acme)]
    ends = time.monotonic() + 30
    while not answers[-1].quick and time.monotonic() < ends:
        answers.append(lane.get(queued_run.pk, acme))
    assert {answer.status[:3] for answer in answers} == {"200"}
    assert answers[-1].quick


def test_polls_that_share_a_call_get_their_own_run_and_nobody_elses(lane: Lane) -> None:
    """Also when a run is asked for by a stranger in the same call."""
    owners = [customer(f"owner-{number}", budget=f"{number + 10}.0000") for number in range(6)]
    runs = [submitted(owner) for owner in owners]
    lanes = [Lane() for _ in owners]
    quick = [0] * len(owners)
    for own_lane, owner, run in zip(lanes, owners, runs, strict=True):
        own_lane.get(run.pk, owner)

    def poll(number: int) -> list[str]:
        seen = []
        for turn in range(9):
            wanted = number if turn % 3 else (number + 1) % len(runs)
            answer = lanes[number].get(runs[wanted].pk, owners[number])
            own = json.loads(answer.body).get("run_id") == str(runs[number].pk)
            quick[number] += answer.quick
            budget = answer.headers["X-DPP-Budget-Remaining"]
            seen.append(f"{answer.status[:3]} {'own' if own else 'none'} {budget}")
        return seen

    with ThreadPoolExecutor(len(owners)) as pool:
        found = list(pool.map(poll, range(len(owners))))
    assert sum(quick) > 3 * len(owners), "of the six that each may get quickly, a busy machine may send some to Django"
    for number, seen in enumerate(found):
        balance = f"{number + 10 - 0.5:.4f}"
        assert seen == ["404 none 0.0000", f"200 own {balance}", f"200 own {balance}"] * 3


def test_a_real_server_answers_quickly(live_api: ApiProcess, acme: Customer, queued_run: Run) -> None:
    """Two processes: each has to see Acme once."""
    api = Api(live_api.url, acme)
    answers = [api.get(f"/v1/runs/{queued_run.pk}") for _ in range(20)]
    assert {answer.status for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    with_lane = [line for line in api.get("/metrics").text.splitlines() if line.startswith("dpp_quick_polls_total ")]
    assert float(with_lane[0].split()[1]) >= 10
