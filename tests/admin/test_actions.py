"""Every action calls the platform's own function, asks why, and leaves an entry in the trail."""

import re
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from budget import scripts
from budget.models import EntryKind, LedgerEntry, TenantBalance
from dpp_project.redis import client as redis_client
from runs.access import api_keys, switches
from runs.access.switches import Switch
from runs.jobs.audit_books import audit_books
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import completed
from runs.models import ApiKey, JobPass, Plan, Run, RunTransition, SwitchChange, Tenant
from runs.states import Status
from tests.admin.users import logged_in, person
from tests.api.ended_runs import completed_run
from tests.books import assert_balanced
from tests.builders import Customer, body, fresh_key, micros, processing, submitted
from tests.processes import WorkerProcess
from tests.torture.processes import MaintenanceWorker


def trail() -> list[str]:
    return list(LogEntry.objects.order_by("id").values_list("change_message", flat=True))


def first_key(owner: Customer) -> ApiKey:
    return ApiKey.objects.get(tenant=owner.tenant)


def test_a_top_up_reaches_books_redis_and_trail(fiona: Client, acme: Customer) -> None:
    sent = {"amount_usd": "25.5000", "reference": "invoice-1", "why": "bank transfer"}

    answer = fiona.post("/admin/runs/tenant/acme/topup/", sent)

    assert answer.status_code == 302
    assert_balanced(acme, micros("35.5000"))
    entry = LedgerEntry.objects.get(reference="invoice-1")
    assert (entry.kind, entry.amount_usd_micros, entry.note) == (EntryKind.CREDIT, 25_500_000, "bank transfer [fiona]")
    assert trail() == ["Credited 25.5000 USD under reference invoice-1. Why: bank transfer"]


def test_the_same_form_sent_twice_credits_once(fiona: Client, acme: Customer) -> None:
    sent = {"amount_usd": "1", "reference": "invoice-2", "why": "bank transfer"}
    fiona.post("/admin/runs/tenant/acme/topup/", sent)

    again = fiona.post("/admin/runs/tenant/acme/topup/", sent)

    assert "has been credited before" in again.content.decode()
    assert_balanced(acme, micros("11.0000"))
    assert len(trail()) == 1


@pytest.mark.parametrize("amount", ["0", "-1", "1.00001", "1e3", "NaN", "one", ""])
def test_a_bad_amount_is_refused_and_nothing_moves(fiona: Client, acme: Customer, amount: str) -> None:
    answer = fiona.post("/admin/runs/tenant/acme/topup/", {"amount_usd": amount, "reference": "r", "why": "w"})

    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert_balanced(acme, micros("10.0000"))
    assert trail() == []


def test_nothing_is_done_without_a_reason(fiona: Client, acme: Customer) -> None:
    answer = fiona.post("/admin/runs/tenant/acme/topup/", {"amount_usd": "1", "reference": "r", "why": "  "})

    assert "This field is required" in answer.content.decode()
    assert_balanced(acme, micros("10.0000"))


def test_a_suspended_tenant_may_not_submit_until_it_is_resumed(otto: Client, api: Client, acme: Customer) -> None:
    def submit() -> int:
        api_keys._cache.clear()
        headers = acme.headers(**{"Idempotency-Key": fresh_key()})
        return api.post("/v1/runs", body(), content_type="application/json", headers=headers).status_code

    otto.post("/admin/runs/tenant/acme/suspend/", {"why": "unpaid invoice"})
    suspended = submit()
    otto.post("/admin/runs/tenant/acme/resume/", {"why": "paid"})

    assert (suspended, submit()) == (403, 202)
    assert trail() == ["Suspended. Why: unpaid invoice", "Active again. Why: paid"]


def test_a_plan_is_made_changed_and_set(otto: Client, acme: Customer) -> None:
    numbers = {"poll_rate_per_min": "120", "retention_days": "90", "budget_alert_usd": "2.5000"}
    otto.post("/admin/runs/plan/add/", {"name": "large", **numbers, "why": "a new offer"})
    otto.post("/admin/runs/tenant/acme/plan/", {"plan": "large", "why": "large customer"})

    plan = Tenant.objects.get(pk="acme").plan
    assert plan is not None
    assert (plan.poll_rate_per_min, plan.retention_days, plan.budget_alert_usd_micros) == (120, 90, 2_500_000)
    page = otto.get("/admin/runs/tenant/acme/change/").content.decode()
    shown = re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page[page.index('id="plan"') :])
    assert shown == [
        ("polls a minute", "120"),
        ("submits a minute", "60"),
        ("live runs at once", "100"),
        ("days results are kept", "90"),
        ("balance is low below", "2.5000 USD"),
    ]

    otto.post("/admin/runs/plan/large/change/", {**numbers, "poll_rate_per_min": "", "why": "less of it"})
    otto.post("/admin/runs/tenant/acme/plan/", {"plan": "default", "why": "back to normal"})

    assert Plan.objects.get().poll_rate_per_min is None
    assert Tenant.objects.get(pk="acme").plan is None
    others = "submits a minute 60, live runs at once 100, days results are kept 90, balance is low below 2.5000 USD."
    assert trail() == [
        f"The plan was made: polls a minute 120, {others} Why: a new offer",
        "Plan default became large. Why: large customer",
        f"The plan was changed: polls a minute 60, {others} Why: less of it",
        "Plan large became default. Why: back to normal",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"retention_days": "0"},
        {"retention_days": "366"},
        {"name": "default"},
        {"name": "Large Plan"},
        {"budget_alert_usd": "much"},
        {"why": " "},
    ],
)
def test_a_plan_that_cannot_be_is_refused(otto: Client, platform: object, wrong: dict[str, str]) -> None:
    answer = otto.post("/admin/runs/plan/add/", {"name": "large", "why": "a new offer", **wrong})

    assert "errorlist" in answer.content.decode()
    assert not Plan.objects.exists()


def test_who_only_sees_makes_no_plans(vera: Client, platform: object) -> None:
    assert vera.get("/admin/runs/plan/").status_code == 200
    assert vera.post("/admin/runs/plan/add/", {"name": "large", "why": "mine"}).status_code == 403
    assert not Plan.objects.exists()


def test_the_tenants_page_shows_a_drift_and_a_rebuild_heals_it(otto: Client, acme: Customer) -> None:
    redis_client().incrby("budget:acme:balance_usd_micros", 7)
    assert "drift: 7 micros" in otto.get("/admin/runs/tenant/acme/change/").content.decode()

    otto.post("/admin/runs/tenant/acme/rebuild/", {"why": "somebody typed INCRBY"})

    assert "no drift" in otto.get("/admin/runs/tenant/acme/change/").content.decode()
    assert_balanced(acme, micros("10.0000"))


def test_the_tenants_page_shows_books_and_redis_side_by_side(vera: Client, acme: Customer, queued_run: Run) -> None:
    page = vera.get("/admin/runs/tenant/acme/change/").content.decode()

    table = page[page.index('id="money"') : page.index('id="drift"')]
    assert re.findall(r"([0-9.]+) USD", table) == ["9.5000", "9.5000", "9.5000", "0.5000", "0.5000"]


def test_books_that_disagree_are_shown_with_all_sources_and_settled_by_finance_alone(
    vera: Client, otto: Client, fiona: Client, acme: Customer, queued_run: Run
) -> None:
    TenantBalance.objects.filter(pk="acme").update(available_usd_micros=micros("16.5000"))
    audit_books()

    page = vera.get("/admin/runs/tenant/acme/change/").content.decode()
    table = page[page.index('id="money"') : page.index('id="drift"')]
    available, held = ["9.5000", "16.5000", "9.5000", "9.5000"], ["0.5000", "0.5000", "0.5000"]
    assert re.findall(r"([0-9.]+) USD", table) == available + held
    assert "the balance row is +7000000 micros from the journal" in page
    assert "FROZEN" in page
    assert "acme" in vera.get("/admin/budget/bookfinding/").content.decode()

    settle = "/admin/runs/tenant/acme/settle-books/"
    assert otto.post(settle, {"why": "no"}).status_code == 403
    fiona.post(settle, {"why": "a slip in psql", "follow_journal": "on"})

    assert_balanced(acme, micros("9.5000"))
    assert TenantBalance.objects.get(pk="acme").frozen_at is None
    assert trail()[-1].endswith("The balance row follows the journal. Why: a slip in psql")


def test_a_new_key_is_shown_once_and_works(otto: Client, acme: Customer) -> None:
    answer = otto.post("/admin/runs/tenant/acme/issue-key/", {"label": "robot", "why": "new robot"})

    found = re.search(r'id="shown-once"[^>]*>(dpp_sk_\w+)<', answer.content.decode())
    assert found
    assert "no-store" in answer["Cache-Control"]
    key = api_keys.find(found[1], now=timezone.now())
    assert key is not None
    assert key.label == "robot"
    # Nowhere else: not in the trail, not on the key's page.
    assert found[1] not in "".join(trail())
    assert found[1] not in otto.get(f"/admin/runs/apikey/{key.pk}/change/").content.decode()


def test_a_key_with_a_limit_is_issued_and_its_page_tells_what_it_spent(otto: Client, acme: Customer) -> None:
    form = {"max_total_usd": "2.0000", "max_per_run_usd": "0.7", "may_create_keys": "on", "why": "for an agent"}
    otto.post("/admin/runs/tenant/acme/issue-key/", form)
    key = ApiKey.objects.get(may_create_keys=True)
    submitted(acme, api_key=key)

    page = otto.get(f"/admin/runs/apikey/{key.pk}/change/").content.decode()

    assert "in all 2.0000 USD; on a run 0.7000 USD; left, with the limits above it 1.5000 USD" in page
    assert "0 µ + 500,000 µ" in page
    assert "0 µ + 500,000 µ" in otto.get("/admin/runs/apikey/").content.decode()
    assert trail() == [
        f"Issued the key {key.prefix}… (at most 2.0000 USD in all; at most 0.7000 USD on a run; makes keys). "
        "Why: for an agent"
    ]
    for wrong in ({"max_total_usd": "0"}, {"max_per_run_usd": "much"}, {"read_only": "on"}):
        answer = otto.post("/admin/runs/tenant/acme/issue-key/", form | wrong)
        assert "errorlist" in answer.content.decode()


def test_a_revoked_key_is_refused(otto: Client, acme: Customer) -> None:
    key = first_key(acme)

    answer = otto.post(f"/admin/runs/apikey/{key.pk}/revoke/", {"why": "leaked"})

    assert answer.status_code == 302
    assert api_keys.find(acme.api_key, now=timezone.now()) is None
    assert trail() == [f"Revoked the key {key.prefix}…. Why: leaked"]
    again = otto.post(f"/admin/runs/apikey/{key.pk}/revoke/", {"why": "leaked"})
    assert "was revoked before" in again.content.decode()


def test_a_rotated_key_works_on_for_the_overlap(otto: Client, acme: Customer) -> None:
    key = first_key(acme)

    answer = otto.post(f"/admin/runs/apikey/{key.pk}/rotate/", {"overlap_hours": "2", "why": "yearly"})

    found = re.search(r'id="shown-once"[^>]*>(dpp_sk_\w+)<', answer.content.decode())
    assert found
    api_keys._cache.clear()
    now = timezone.now()
    assert api_keys.find(found[1], now=now)
    assert api_keys.find(acme.api_key, now=now + timedelta(hours=1))
    assert api_keys.find(acme.api_key, now=now + timedelta(hours=3)) is None


def test_a_flipped_switch_refuses_and_is_told_with_who_and_why(otto: Client, api: Client, acme: Customer) -> None:
    docx = body(artifacts={"include_docx": True})

    def submit() -> int:
        headers = acme.headers(**{"Idempotency-Key": fresh_key()})
        return api.post("/v1/runs", docx, content_type="application/json", headers=headers).status_code

    before = submit()
    otto.post("/admin/runs/switchstate/KILL_DOCX_ARTIFACT/flip/", {"why": "template is broken"})

    assert (before, submit()) == (202, 503)
    change = SwitchChange.objects.get()
    assert (change.name, change.on, change.who, change.why) == (
        "KILL_DOCX_ARTIFACT",
        True,
        "otto",
        "template is broken",
    )
    assert "by otto: template is broken" in otto.get("/admin/runs/switchstate/").content.decode()
    otto.post("/admin/runs/switchstate/KILL_DOCX_ARTIFACT/flip/", {"why": "mended"})
    assert not switches.is_on(Switch.KILL_DOCX_ARTIFACT)


def test_a_switch_that_does_not_exist_has_no_page(otto: Client) -> None:
    assert otto.get("/admin/runs/switchstate/KILL_EVERYTHING/flip/").status_code == 404


def test_a_dispute_is_resolved_with_a_charge(fiona: Client, acme: Customer) -> None:
    run = disputed(acme)

    above = fiona.post(f"/admin/runs/run/{run.pk}/resolve/", {"charge_usd": "0.6000", "why": "delivered"})
    fiona.post(f"/admin/runs/run/{run.pk}/resolve/", {"charge_usd": "0.1000", "why": "delivered"})

    assert "above the reservation" in above.content.decode()
    run.refresh_from_db()
    assert (run.status, run.actual_cost_usd_micros) == (Status.FAILED, 100_000)
    assert_balanced(acme, micros("9.9000"))
    assert trail() == ["Dispute resolved: 0.1000 USD charged. Why: delivered"]


def test_opening_a_result_leads_to_its_object_and_is_noted(otto: Client, acme: Customer) -> None:
    run = completed_run(acme)
    stored = run.objects_stored.get()

    answer = otto.get(f"/admin/runs/run/{run.pk}/object/{stored.pk}/")

    assert answer.status_code == 302
    assert stored.key in answer["Location"]
    assert "X-Amz-Signature" in answer["Location"]
    assert trail() == [f"Opened the object {stored.name}. Why: link on the run's page"]


ACTIONS: list[tuple[str, Callable[[Customer], str]]] = [
    ("fiona", lambda owner: "/admin/runs/tenant/acme/topup/"),
    ("otto", lambda owner: "/admin/runs/tenant/acme/suspend/"),
    ("otto", lambda owner: "/admin/runs/tenant/acme/plan/"),
    ("otto", lambda owner: "/admin/runs/tenant/acme/issue-key/"),
    ("otto", lambda owner: "/admin/runs/tenant/acme/rebuild/"),
    ("otto", lambda owner: f"/admin/runs/apikey/{first_key(owner).pk}/revoke/"),
    ("otto", lambda owner: f"/admin/runs/apikey/{first_key(owner).pk}/rotate/"),
    ("otto", lambda owner: "/admin/runs/switchstate/KILL_OCR_P2B/flip/"),
    ("fiona", lambda owner: f"/admin/runs/run/{disputed(owner).pk}/resolve/"),
]


def test_only_the_right_group_may_act(vera: Client, otto: Client, fiona: Client, acme: Customer) -> None:
    people = {"vera": vera, "otto": otto, "fiona": fiona}
    for allowed, address_of in ACTIONS:
        address = address_of(acme)

        answers = {name: who.get(address).status_code for name, who in people.items()}

        assert answers == {"vera": 403, "otto": 403, "fiona": 403, allowed: 200}, address


def test_nobody_edits_runs_journal_transitions_or_trail(otto: Client, acme: Customer, queued_run: Run) -> None:
    otto.post("/admin/runs/tenant/acme/rebuild/", {"why": "an entry for the trail"})
    root = logged_in(person("root", is_superuser=True))
    models: tuple[type[Model], ...] = (Run, RunTransition, LedgerEntry, LogEntry)
    for model in models:
        row = model._default_manager.all()[0]
        place = f"/admin/{row._meta.app_label}/{row._meta.model_name}"

        answers = [
            root.post(f"{place}/add/").status_code,
            root.post(f"{place}/{row.pk}/delete/", {"post": "yes"}).status_code,
        ]

        assert answers == [403, 403], place
        assert model._default_manager.filter(pk=row.pk).exists()
        assert 'name="_save"' not in root.get(f"{place}/{row.pk}/change/").content.decode()


def test_two_people_have_two_references(fiona: Client, acme: Customer) -> None:
    """The form's own reference is made anew for every page, so that two top-ups never become one."""
    pages = [fiona.get("/admin/runs/tenant/acme/topup/").content.decode() for _ in range(2)]

    references = {match[1] for page in pages if (match := re.search(r'value="(admin:[0-9a-f-]{36})"', page))}

    assert len(references) == 2


def disputed(owner: Customer) -> Run:
    """Settled in Redis with another amount than its claim recorded."""
    run = processing(owner)
    assert run.lease_token
    transitions.claim_own(run, completed(run, actual=micros("0.0500"), objects=()), lease_token=run.lease_token)
    scripts.settle(owner.id, run.pk, micros("0.2000"))
    transitions.dispute(run, reason="RECEIPT_DIFFERS")
    return run


def test_an_operator_cancels_a_queued_run_for_free(otto: Client, acme: Customer, queued_run: Run) -> None:
    page = otto.get(f"/admin/runs/run/{queued_run.pk}/change/").content.decode()
    assert "Cancel the run" in page

    answer = otto.post(f"/admin/runs/run/{queued_run.pk}/cancel/", {"why": "the tenant asked by phone"})

    assert answer.status_code == 302
    run = Run.objects.get(pk=queued_run.pk)
    assert (run.status, run.money_state, run.last_error_reason_code) == ("FAILED", "REFUNDED", "RUN_CANCELLED")
    assert_balanced(acme, micros("10.0000"))
    ended = RunTransition.objects.filter(run=run).exclude(actor="api").values_list("actor", flat=True)
    assert list(ended) == ["admin", "admin"]
    assert trail() == ["Cancelled before it started; nothing was charged. Why: the tenant asked by phone"]
    again = otto.get(f"/admin/runs/run/{queued_run.pk}/change/").content.decode()
    assert "Cancel the run" not in again
    assert "Cancelled by a person" in again


def test_an_operator_asks_a_running_run_to_stop(otto: Client, acme: Customer, processing_run: Run) -> None:
    otto.post(f"/admin/runs/run/{processing_run.pk}/cancel/", {"why": "runs wild"})

    run = Run.objects.get(pk=processing_run.pk)
    assert run.cancel_requested_at is not None
    assert (run.status, run.version) == ("PROCESSING", processing_run.version)
    assert trail() == ["Asked the worker to stop at its next step; the tenant pays the minimum fee. Why: runs wild"]


def test_a_run_that_has_ended_is_not_cancelled(otto: Client, acme: Customer) -> None:
    ended = completed_run(acme)

    answer = otto.post(f"/admin/runs/run/{ended.pk}/cancel/", {"why": "too late"})

    assert "has ended" in answer.content.decode()
    assert Run.objects.get(pk=ended.pk).status == Status.COMPLETED
    assert trail() == []


def test_a_claim_by_cancel_is_committed_before_its_money_moves(
    otto: Client, acme: Customer, queued_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were it held back in the page's transaction, a crash would leave refunded money and a run that goes on."""
    seen: list[bool] = []

    def look(name: str) -> None:
        if name == "finalize.claimed":
            seen.append(connection.in_atomic_block)

    monkeypatch.setattr("runs.lifecycle.finalize.crash_point", look)
    otto.post(f"/admin/runs/run/{queued_run.pk}/cancel/", {"why": "order of things"})

    assert seen == [False]


def test_an_operator_starts_a_job_and_a_maintenance_worker_makes_the_pass(
    otto: Client, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    assert "/admin/runs/jobpass/reap/start/" in otto.get("/admin/runs/jobpass/").content.decode()

    answer = otto.post("/admin/runs/jobpass/reap/start/", {"why": "not waiting for beat"})

    assert answer.status_code == 302
    assert trail() == ["Asked for a pass of reap. Why: not waiting for beat"]
    maintenance = worker(MaintenanceWorker)
    ends = time.monotonic() + 120
    while not JobPass.objects.filter(pk="reap").exists():
        assert time.monotonic() < ends, maintenance.lines()
        time.sleep(0.1)
    assert otto.post("/admin/runs/jobpass/no_such_job/start/", {"why": "x"}).status_code == 404


def test_only_operators_cancel_runs_and_start_jobs(
    vera: Client, fiona: Client, acme: Customer, queued_run: Run
) -> None:
    for client in (vera, fiona):
        for page in (f"/admin/runs/run/{queued_run.pk}/cancel/", "/admin/runs/jobpass/reap/start/"):
            assert client.post(page, {"why": "curious"}).status_code == 403
    assert "Start now" not in vera.get("/admin/runs/jobpass/").content.decode()
    assert Run.objects.get(pk=queued_run.pk).status == Status.QUEUED
    assert trail() == []
