"""Plans: limits, retention and the alert of a tenant; the profile is the plan of whoever has none."""

import importlib
import json
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from dpp_project.profile import PROFILE
from runs.access import plans
from runs.jobs.expire import expire
from runs.models import Plan, Run, Tenant
from storage import store
from storage.models import StoredObject
from storage.object_keys import LONG_ROOT, ROOT
from storage.s3 import S3ObjectStore
from tests.api.caller import Caller
from tests.api.ended_runs import completed_run
from tests.builders import Customer, customer, on_plan, submitted
from tests.owner import owner_cursor


@pytest.fixture
def acme_api(api: Client, acme: Customer) -> Caller:
    return Caller(api, acme)


def _kept(run: Run) -> timedelta:
    return run.retention_until - run.created_at


def _answer(response: Any) -> Any:
    assert response.status_code == 200, response.content
    return json.loads(response.content)


def _pass_days(days: int) -> None:
    with owner_cursor(guards=False) as cursor:
        cursor.execute(
            "UPDATE runs SET created_at = created_at - make_interval(days => %(days)s),"
            " retention_until = retention_until - make_interval(days => %(days)s)",
            {"days": days},
        )


def _is_stored(key: str) -> bool:
    return store.object_store().first(key.rsplit("/", 1)[0] + "/") is not None


def test_without_a_plan_the_profile_holds(acme: Customer) -> None:
    assert plans.terms_of(acme.tenant) == plans.PlanTerms(
        "default",
        PROFILE.poll_rate_per_min,
        PROFILE.submit_rate_per_min,
        PROFILE.max_concurrent_runs,
        PROFILE.retention_days,
        PROFILE.budget_alert,
    )
    assert _kept(submitted(acme)) == PROFILE.retention == timedelta(days=30)


def test_what_a_plan_does_not_say_is_the_profiles(acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=7)
    assert plans.terms_of(acme.tenant) == plans.PlanTerms(
        *("of-acme", PROFILE.poll_rate_per_min, 7, PROFILE.max_concurrent_runs),
        *(PROFILE.retention_days, PROFILE.budget_alert),
    )


@pytest.mark.parametrize("days", [1, 29, 31, 365])
def test_a_run_is_kept_as_long_as_the_plan_says(acme: Customer, days: int) -> None:
    on_plan(acme, retention_days=days)
    run = submitted(acme)
    assert _kept(Run.objects.get(pk=run.pk)) == _kept(run) == timedelta(days=days)


def test_a_run_keeps_the_retention_it_was_accepted_with(acme: Customer) -> None:
    on_plan(acme, retention_days=90)
    run = submitted(acme)
    plans.assign(acme.tenant, "default")
    assert _kept(Run.objects.get(pk=run.pk)) == timedelta(days=90)
    assert _kept(submitted(acme)) == timedelta(days=30)


def test_results_lie_where_the_buckets_rule_does_not_delete_them_early(acme: Customer) -> None:
    """A rule deletes what is under its prefix by age; the shortest that fits an object wins."""
    backend = store.object_store()
    assert isinstance(backend, S3ObjectStore)
    rules = backend.client.get_bucket_lifecycle_configuration(Bucket=backend.place)["Rules"]
    days_of = {rule["Filter"]["Prefix"]: rule["Expiration"]["Days"] for rule in rules}
    large = {"inputs": {"question": "Which?", "options": ["Alpha", "Beta"], "context": "x" * 70_000}}
    for days in (1, 30, 31, 365):
        on_plan(acme, retention_days=days)
        run = completed_run(acme, **large)
        keys = [run.payload.object_key, *StoredObject.objects.filter(run=run).values_list("key", flat=True)]
        assert len(keys) >= 2
        for key in keys:
            assert key is not None
            assert key.startswith(ROOT if days <= 30 else LONG_ROOT)
            assert min(rule for prefix, rule in days_of.items() if key.startswith(prefix)) >= days


def test_the_retention_job_goes_by_the_plan(acme: Customer, rival: Customer) -> None:
    on_plan(acme, retention_days=1)
    on_plan(rival, retention_days=365)
    short, long = completed_run(acme), completed_run(rival)
    objects = {run.pk: str(run.result_key) for run in (short, long)}
    _pass_days(2)
    expire()
    assert Run.objects.get(pk=short.pk).status == "EXPIRED"
    assert Run.objects.get(pk=long.pk).status == "COMPLETED"
    assert not _is_stored(objects[short.pk])
    assert _is_stored(objects[long.pk])
    _pass_days(364)
    expire()
    assert Run.objects.get(pk=long.pk).status == "EXPIRED"
    assert not _is_stored(objects[long.pk])


def test_the_key_of_a_run_that_is_kept_longer_names_it_as_long(acme: Customer) -> None:
    """Redis forgets a key after 30 days; the database does not."""
    from dpp_project.redis import client

    on_plan(acme, retention_days=90)
    run = submitted(acme, key="a-key-for-long")
    client().delete(f"idem:{acme.id}:a-key-for-long")
    assert submitted(acme, key="a-key-for-long").pk == run.pk


def test_no_link_outlives_what_it_leads_to(acme: Customer, acme_api: Caller) -> None:
    run = completed_run(acme)
    shown = _answer(acme_api.get(f"/v1/runs/{run.pk}"))["result"]
    assert "X-Amz-Expires=600" in shown["presigned_url"]
    with owner_cursor(guards=False) as cursor:
        cursor.execute("UPDATE runs SET retention_until = now() + interval '100 seconds' WHERE run_id = %s", [run.pk])
    shown = _answer(acme_api.get(f"/v1/runs/{run.pk}"))["result"]
    match = re.search(r"X-Amz-Expires=(\d+)", shown["presigned_url"])
    assert match
    assert 90 <= int(match[1]) <= 100
    assert shown["expires_at"] <= Run.objects.get(pk=run.pk).retention_until.isoformat()


def test_the_budget_tells_the_plan_and_whether_the_balance_is_low(acme: Customer, acme_api: Caller) -> None:
    on_plan(acme, retention_days=90, poll_rate_per_min=500, budget_alert_usd_micros=9_600_000)
    told = _answer(acme_api.get("/v1/budget"))
    assert told["plan"] == {
        "name": "of-acme",
        "poll_rate_per_min": 500,
        "submit_rate_per_min": 60,
        "max_concurrent_runs": 100,
        "retention_days": 90,
        "budget_alert_usd": "9.6000",
    }
    assert told["balance_is_low"] is False
    submitted(acme)
    assert _answer(acme_api.get("/v1/budget"))["balance_is_low"] is True


def test_a_balance_exactly_at_the_threshold_is_not_low(acme: Customer, acme_api: Caller) -> None:
    on_plan(acme, budget_alert_usd_micros=10_000_000)
    assert _answer(acme_api.get("/v1/budget"))["balance_is_low"] is False


def test_a_plan_costs_no_round_trip_more(acme: Customer, rival: Customer, api: Client) -> None:
    from django.test.utils import CaptureQueriesContext

    on_plan(rival, poll_rate_per_min=600)
    counted = []
    for owner in (acme, rival):
        caller = Caller(api, owner)
        caller.get("/v1/packs")
        with CaptureQueriesContext(connection) as queries:
            assert caller.submit().status_code == 202
        counted.append(len(queries))
    assert counted[0] == counted[1]


@pytest.mark.parametrize(
    "wrong",
    [{"retention_days": 0}, {"retention_days": 366}, {"budget_alert_usd_micros": -1}, {"name": "default"}],
)
def test_the_database_refuses_a_plan_that_cannot_be(platform: object, wrong: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Plan.objects.create(**{"name": "large", **wrong})


def test_the_commands_make_change_and_assign(acme: Customer) -> None:
    out = StringIO()
    call_command("set_plan", "large", "--retention-days", "90", "--alert-below-usd", "25", "--json", stdout=out)
    assert json.loads(out.getvalue())["budget_alert"] == "25.0000"
    call_command("set_plan", "large", "--polls-per-min", "600", stdout=StringIO())
    call_command("assign_plan", acme.id, "large", stdout=StringIO())
    plan = Tenant.objects.get(pk=acme.id).plan
    assert plan is not None
    assert (plan.retention_days, plan.poll_rate_per_min, plan.budget_alert_usd_micros) == (90, 600, 25_000_000)
    call_command("assign_plan", acme.id, "default", stdout=StringIO())
    assert Tenant.objects.get(pk=acme.id).plan is None
    for arguments in (
        *(["set_plan", "x", "--retention-days", "366"], ["set_plan", "x", "--alert-below-usd", "much"]),
        *(["set_plan", "default"], ["set_plan", "No Name"]),
        *(["assign_plan", acme.id, "none"], ["assign_plan", "nobody", "large"]),
    ):
        with pytest.raises(CommandError):
            call_command(*arguments, stdout=StringIO())
    assert Plan.objects.count() == 1


def test_the_limits_of_single_tenants_become_plans(platform: object) -> None:
    """Given tenants as the release before kept them, Expect one plan for each set of limits and none without."""
    limits = {"one": (7, None, 3), "two": (7, None, 3), "three": (None, 9, None), "none": (None, None, None)}
    for name, numbers in limits.items():
        tenant = customer(name, budget="1.0000").tenant
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE tenants SET poll_rate_per_min = %s, submit_rate_per_min = %s, max_concurrent_runs = %s"
                " WHERE tenant_id = %s",
                [*numbers, tenant.pk],
            )
    migration = importlib.import_module("runs.migrations.0017_plans")
    state = MigrationLoader(connection).project_state([("runs", "0016_repeated_receipts")])
    for operation in migration.Migration.operations[:2]:
        operation.state_forwards("runs", state)

    migration.limits_to_plans(state.apps, None)

    plan_of = {tenant.pk: tenant.plan for tenant in Tenant.objects.select_related("plan")}
    assert plan_of["none"] is None
    assert plan_of["one"] == plan_of["two"] != plan_of["three"]
    for name in ("one", "three"):
        plan = plan_of[name]
        assert plan is not None
        assert (plan.poll_rate_per_min, plan.submit_rate_per_min, plan.max_concurrent_runs) == limits[name]
    assert Plan.objects.count() == 2
