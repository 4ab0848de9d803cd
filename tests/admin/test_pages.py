"""Every page answers for everybody who may see it, with what it must tell."""

import time
from uuid import uuid4

from django.test import Client

from dpp_project.profile import PROFILE
from dpp_project.redis import client as redis_client
from packs.cache import CACHE, CacheKey
from runs.access import limits
from runs.documents.flights import Flights
from runs.jobs import history
from runs.models import Run
from runs.states import Reason
from tests.admin.users import person
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, submitted

LISTS = [
    "/admin/",
    "/admin/?window=24h",
    "/admin/?window=7d",
    "/admin/runs/run/",
    "/admin/runs/tenant/",
    "/admin/runs/apikey/",
    "/admin/runs/switchstate/",
    "/admin/runs/jobpass/",
    "/admin/runs/runtransition/",
    "/admin/runs/deadletter/",
    "/admin/runs/documentflight/",
    "/admin/runs/webhook/",
    "/admin/runs/webhookdelivery/",
    "/admin/storage/damagedobject/",
    "/admin/budget/ledgerentry/",
    "/admin/admin/logentry/",
]


def test_a_viewer_sees_every_list(vera: Client, acme: Customer, queued_run: Run) -> None:
    for address in LISTS:
        answer = vera.get(address)

        assert answer.status_code == 200, address
        assert "operate/operate.css" in answer.content.decode(), address


def test_a_stranger_is_asked_to_log_in(api: Client) -> None:
    for address in LISTS:
        answer = api.get(address)

        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/admin/login/"), address


def test_the_stylesheet_is_served_without_a_web_server(api: Client) -> None:
    answer = api.get("/static/operate/operate.css")

    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/css")
    assert b"--card-bg" in b"".join(answer)


def test_a_run_is_found_by_id_trace_and_tenant(vera: Client, acme: Customer, rival: Customer) -> None:
    run, other = submitted(acme), submitted(rival)
    Run.objects.filter(pk=run.pk).update(trace_id="trace-of-alice")
    for term in (str(run.pk), "trace-of-alice", "acme"):
        page = vera.get("/admin/runs/run/", {"q": term}).content.decode()

        assert f"/admin/runs/run/{run.pk}/change/" in page, term
        assert str(other.pk) not in page, term


def test_the_filters_narrow_the_list(vera: Client, acme: Customer) -> None:
    waiting, failed = submitted(acme), failed_run(acme, Reason.PACK_FAILED)

    page = vera.get("/admin/runs/run/", {"status__exact": "FAILED", "reason": "PACK_FAILED"}).content.decode()

    assert str(failed.pk) in page
    assert str(waiting.pk) not in page


def test_a_runs_page_tells_its_story(vera: Client, acme: Customer) -> None:
    run = completed_run(acme)

    page = vera.get(f"/admin/runs/run/{run.pk}/change/").content.decode()

    told = [
        "Submitted: money held",
        "A worker took the lease.",
        "Claimed: the outcome",
        "Ended COMPLETED; money SETTLED.",
    ]
    assert [page.index(words) for words in told] == sorted(page.index(words) for words in told)
    for words in ("RESERVE", "-500,000 µ", "SETTLE", "450,000 µ", "pack_envelope.json", run.trace_id, "2 → 3"):
        assert words in page, words


def test_a_failed_run_says_why(vera: Client, acme: Customer) -> None:
    run = failed_run(acme, Reason.PACK_FAILED, detail="The pack <b>broke</b>.")

    page = vera.get(f"/admin/runs/run/{run.pk}/change/").content.decode()

    assert "PACK_FAILED" in page
    assert "The pack &lt;b&gt;broke&lt;/b&gt;." in page


def test_an_unknown_run_leads_back_to_the_front_page(vera: Client) -> None:
    answer = vera.get("/admin/runs/run/00000000-0000-0000-0000-000000000000/change/")

    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_the_overview_counts_what_ended_and_what_it_cost(vera: Client, acme: Customer) -> None:
    completed_run(acme)
    failed_run(acme, Reason.TIMEBOX_EXCEEDED)
    submitted(acme)

    page = vera.get("/admin/").content.decode()

    assert "TIMEBOX_EXCEEDED" in page
    assert "<span>queued</span><strong>1</strong>" in page
    assert "<span>ended</span><strong>2</strong>" in page
    assert "<span>failed</span><strong>50.0%</strong>" in page
    # 50,000 micros for the decision, 10,000 for the minimum fee.
    assert "<span>spent</span><strong>0.0600 USD</strong>" in page
    assert '<th scope="row">acme</th>' in page


def test_the_jobs_page_tells_the_last_pass_and_who_is_late(vera: Client) -> None:
    history.record("reap", {"found": 2, "ended": 2, "lost": 0}, duration_ms=41)
    history.record("reap", {"found": 0, "ended": 0, "lost": 0}, duration_ms=7)

    page = vera.get("/admin/runs/jobpass/").content.decode()

    row = page[page.index("<code>reap</code>") : page.index("<code>sweep</code>")]
    assert "7 ms" in row
    assert "nothing" in row
    assert "2 found, 2 ended" in row
    assert "late" not in row
    assert "late" in page[page.index("<code>sweep</code>") : page.index("<code>reconcile</code>")]


def test_the_documents_page_tells_what_is_downloaded_and_which_host_is_full(vera: Client) -> None:
    Flights(CACHE).acquire(CacheKey("ab" * 32, "acme"), uuid4())
    ends = (time.time() + 60) * 1000
    redis_client().zadd("slots:www.law.go.kr", dict.fromkeys(("a/1", "b/2", "c/3"), ends))
    redis_client().zadd("slots:www.korea.kr", {"a/4": ends, "a/gone": 1})

    page = " ".join(vera.get("/admin/runs/documentflight/").content.decode().split())

    assert '<code>DOWNLOADING</code></td><td>under way</td><td class="number">1</td>' in page
    assert 'www.law.go.kr <span class="badge wait">full</span></td><td class="number">3</td>' in page
    assert 'www.korea.kr </td><td class="number">1</td>' in page


def test_too_many_failed_logins_make_even_the_right_password_wait(api: Client) -> None:
    person("vera", "viewer", password="correct-horse-battery-staple")
    sent = {"username": "vera", "password": "correct-horse-battery-staple"}
    for _ in range(PROFILE.auth_failure_rate_per_min):
        limits.password_failed("127.0.0.1")

    refused = api.post("/admin/login/", sent)
    redis_client().flushall()
    welcome = api.post("/admin/login/", sent)

    assert "Too many failed logins" in refused.content.decode()
    assert welcome.status_code == 302
