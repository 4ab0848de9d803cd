"""The operator's daily paths in a real browser, started by `make test-browser`. `make test` covers them by requests.

Pictures are taken for docs/img when DPP_TAKE_PICTURES=1.
"""

import os
import random
from datetime import timedelta

from django.utils import timezone

from dpp_project.celery import RUNS_QUEUE, queue_url
from runs.jobs import history
from runs.lifecycle.queue import sqs
from runs.models import ApiKey, Run
from runs.states import Reason
from tests.admin.browser.conftest import PICTURES
from tests.admin.browser.webdriver import Browser
from tests.api.ended_runs import completed_run, failed_run
from tests.books import assert_balanced
from tests.builders import Customer, body, customer, fresh_key, micros, submitted
from tests.http import Api
from tests.owner import owner_cursor
from tests.processes import ApiProcess

_MOVED = "UPDATE run_transitions SET at = %s WHERE run_id = %s AND version_after >= %s"


def picture(browser: Browser, name: str) -> None:
    if os.environ.get("DPP_TAKE_PICTURES") == "1":
        browser.picture(PICTURES / f"{name}.png")


def test_find_a_run_by_its_trace_and_read_its_story(operator: Browser, live_api: ApiProcess, acme: Customer) -> None:
    run = completed_run(acme)
    Run.objects.filter(pk=run.pk).update(trace_id="trace-of-alice")

    operator.follow("Runs")
    operator.write("#searchbar", "trace-of-alice")
    operator.click("#changelist-search input[type=submit]")
    operator.wait_for_text(str(run.pk)[:13], "#result_list")
    operator.follow(str(run.pk)[:13])

    operator.wait_for_text("Ended COMPLETED; money SETTLED.", "#timeline")
    assert "worker" in operator.text("#timeline")
    assert "450,000 µ" in operator.text("#movements")
    assert "pack_envelope.json" in operator.text("#objects")
    picture(operator, "run")


def test_top_a_tenant_up(operator: Browser, acme: Customer, queued_run: Run) -> None:
    operator.follow("Tenants")
    operator.follow("acme")
    assert "9.5000 USD" in operator.text("#money")

    operator.follow("Top up")
    operator.write("#id_amount_usd", "25.0000")
    operator.write("#id_why", "Invoice 4711 is paid")
    operator.click("input.default")

    operator.wait_for_text("34.5000 USD", "#money")
    assert "no drift" in operator.text("#drift")
    picture(operator, "tenant")
    assert_balanced(acme, micros("34.5000"))


def test_revoke_a_key(operator: Browser, live_api: ApiProcess, acme: Customer) -> None:
    api = Api(live_api.url, acme)
    assert api.get("/v1/budget").status == 200
    key = ApiKey.objects.get(tenant=acme.tenant)

    operator.follow("Keys")
    operator.follow(key.prefix)
    operator.follow("Revoke")
    operator.write("#id_why", "Found in a public repository")
    operator.click("input.danger")

    operator.wait_for_text("REVOKED")
    assert api.get("/v1/budget").status == 401


def test_flip_a_switch_and_see_its_effect(operator: Browser, live_api: ApiProcess, acme: Customer) -> None:
    api, docx = Api(live_api.url, acme), body(artifacts={"include_docx": True})
    assert api.submit(docx, key=fresh_key()).status == 202

    operator.follow("Switches")
    operator.click("#KILL_DOCX_ARTIFACT a.button")
    operator.write("#id_why", "The template is broken")
    operator.click("input.danger")

    operator.wait_for_text("by olga: The template is broken", "#KILL_DOCX_ARTIFACT")
    picture(operator, "switches")
    refused = api.submit(docx, key=fresh_key())
    assert (refused.status, refused.json["reason_code"]) == (503, "FEATURE_DISABLED")


def test_the_overview_shows_a_day_of_work(operator: Browser, live_api: ApiProcess, acme: Customer) -> None:
    _a_day_of_work(acme)

    operator.open(f"{live_api.url}/admin/?window=24h")

    operator.wait_for_text("Spend by tenant")
    assert operator.script("return document.querySelectorAll('svg.plot').length") == 4
    # Drawn, not only sent: the stylesheet is there and the plots have a size.
    assert operator.script("return document.querySelector('svg.plot').getBoundingClientRect().width") > 200
    assert operator.script("return getComputedStyle(document.querySelector('.card')).borderRadius") == "8px"
    picture(operator, "overview")
    operator.follow("Jobs")
    operator.wait_for_text("ends runs whose worker died", "#jobs")


def _a_day_of_work(acme: Customer) -> None:
    """Some real runs, moved to where they would lie after a day; the guards look away for that."""
    chance = random.Random(4711)
    owners = [acme, *(customer(name, budget="10.0000") for name in ("globex", "initech", "umbrella"))]
    runs = []
    for number in range(60):
        owner = chance.choice(owners)
        reason = chance.choice([Reason.TIMEBOX_EXCEEDED, Reason.PACK_FAILED, Reason.PACK_FAILED])
        runs.append(failed_run(owner, reason) if number % 9 == 0 else completed_run(owner, max_cost="0.1000"))
    sqs().purge_queue(QueueUrl=queue_url(RUNS_QUEUE))  # these runs were executed without their messages
    submitted(acme)
    now = timezone.now()
    with owner_cursor(guards=False) as cursor:
        for run in runs:
            back = timedelta(hours=24 * chance.betavariate(1.2, 1.6))
            wait, work = timedelta(seconds=chance.lognormvariate(-1, 0.8)), timedelta(seconds=chance.uniform(0.4, 6))
            created = now - back
            cursor.execute("UPDATE runs SET created_at = %s WHERE run_id = %s", [created, run.pk])
            for version, at in ((0, created), (1, created + wait), (2, created + wait + work)):
                cursor.execute(
                    "UPDATE run_transitions SET at = %s WHERE run_id = %s AND version_after >= %s",
                    [at, run.pk, version],
                )
    for name in ("reap", "sweep", "reconcile", "dead_letters", "retain", "audit", "resend"):
        counts = {"found": 2, "ended": 2} if name == "reap" else {"found": 0}
        history.record(name, counts, duration_ms=chance.randint(3, 40))
