"""Keys that may do less than their tenant: some packs, reading only, some addresses, for some time."""

import json
import re
from collections.abc import Sequence
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from runs.access import api_keys
from runs.access.key_budgets import Limits
from runs.access.key_restrictions import BadRestriction, Restrictions
from runs.models import ApiKey, Run
from tests.api.caller import Caller, problem
from tests.builders import Customer, json_body, micros, submitted
from tests.processes import CLONE


def restricted(
    owner: Customer, *, packs: Sequence[str] = (), read_only: bool = False, networks: Sequence[str] = ()
) -> Caller:
    restrictions = Restrictions.read(packs=packs, read_only=read_only, networks=networks)
    _, text = api_keys.issue(owner.tenant, restrictions=restrictions)
    return Caller(Client(raise_request_exception=False), Customer(owner.tenant, text))


def test_a_key_for_some_packs_submits_no_others_and_nothing_is_held(acme: Customer) -> None:
    caller = restricted(acme, packs=["url", "ocr"])
    refused = problem(caller.submit(json_body()), 403, "KEY_NOT_ALLOWED")
    assert refused["retryable"] is False
    assert Run.objects.count() == 0
    assert restricted(acme, packs=["decision"]).submit(json_body()).status_code == 202


def test_a_key_that_only_reads_changes_nothing(acme: Customer) -> None:
    run = submitted(acme)
    caller = restricted(acme, read_only=True)
    problem(caller.submit(), 403, "KEY_NOT_ALLOWED")
    problem(caller.post(f"/v1/runs/{run.pk}/cancel"), 403, "KEY_NOT_ALLOWED")
    # The same for a run that is not there: a refusal tells nothing of it.
    problem(caller.post("/v1/runs/00000000-0000-0000-0000-000000000000/cancel"), 403, "KEY_NOT_ALLOWED")
    assert caller.get(f"/v1/runs/{run.pk}").status_code == 200
    assert caller.get("/v1/budget").status_code == 200
    assert Run.objects.get().status == "QUEUED"


_CHANGES = [
    (method, path)
    for path, operations in json.loads((CLONE / "openapi.json").read_text(encoding="utf-8"))["paths"].items()
    for method in operations
    if method not in ("get", "head", "parameters")
]


@pytest.mark.parametrize(("method", "path"), _CHANGES)
def test_no_call_that_is_not_a_reading_one_is_open_to_a_key_that_only_reads(
    acme: Customer, method: str, path: str
) -> None:
    """Whatever calls there will be."""
    run = submitted(acme)
    caller = restricted(acme, read_only=True)
    filled = re.sub(r"{\w+}", str(run.pk), path)
    answer = caller.client.generic(
        method.upper(), filled, json_body(), content_type="application/json", headers=caller.owner.headers()
    )
    problem(answer, 403, "KEY_NOT_ALLOWED")
    assert Run.objects.get().status == "QUEUED"


@pytest.mark.parametrize(
    ("address", "status"),
    [("203.0.113.9", 200), ("::ffff:203.0.113.9", 200), ("2001:db8::1", 200), ("198.51.100.1", 401), ("", 401)],
)
def test_a_key_for_some_addresses_is_no_key_elsewhere(acme: Customer, address: str, status: int) -> None:
    caller = restricted(acme, networks=["203.0.113.0/24", "2001:db8::/48"])
    caller.client = Client(raise_request_exception=False, REMOTE_ADDR=address)
    assert caller.get("/v1/budget").status_code == status


def test_a_forged_forwarded_address_opens_nothing(acme: Customer) -> None:
    caller = restricted(acme, networks=["203.0.113.0/24"])
    problem(caller.get("/v1/budget", **{"X-Forwarded-For": "203.0.113.9"}), 401, "AUTH_INVALID")


def test_the_fast_lane_of_polls_knows_addresses_too(acme: Customer) -> None:
    """Given a key that was used from the right address a moment ago, Expect a poll from another one to be refused."""
    from tests.api.test_poll_lane import Lane

    run = submitted(acme)
    caller = restricted(acme, networks=["203.0.113.0/24"])
    caller.client = Client(raise_request_exception=False, REMOTE_ADDR="203.0.113.9")
    assert caller.get(f"/v1/runs/{run.pk}").status_code == 200
    answer = Lane().get(run.pk, caller.owner)
    assert (answer.quick, answer.status) == (False, "401 Unauthorized")


def test_a_key_without_restrictions_costs_no_round_trip_more(acme: Customer) -> None:
    plain, bound = Caller(Client(), acme), restricted(acme, packs=["decision"], networks=["127.0.0.0/8"])
    counted = []
    for caller in (plain, bound):
        caller.get("/v1/budget")
        with CaptureQueriesContext(connection) as queries:
            assert caller.get("/v1/budget").status_code == 200
        counted.append(len(queries))
    assert counted[0] == counted[1]


def test_a_key_with_a_limit_is_told_what_it_has_left(acme: Customer) -> None:
    limits = Limits(micros("0.8000"), micros("0.6000"))
    _, text = api_keys.issue(acme.tenant, limits=limits)
    caller = Caller(Client(raise_request_exception=False), Customer(acme.tenant, text))
    assert caller.submit(json_body()).status_code == 202
    refused = problem(caller.submit(json_body()), 402, "KEY_BUDGET_DRAINED")
    assert (refused["key_remaining"], refused["key_max_per_run"]) == ("0.3000", "0.6000")
    refused = problem(caller.submit(json_body(reservation={"max_cost_usd": "0.7000"})), 402, "KEY_BUDGET_DRAINED")
    assert "0.6000 USD on one run" in refused["detail"]
    assert Run.objects.count() == 1


def test_a_rotated_key_may_not_do_more_than_the_old_one(acme: Customer) -> None:
    caller = restricted(acme, packs=["url"], networks=["203.0.113.0/24"])
    old = api_keys.named(caller.owner.api_key)
    assert old is not None
    fresh, _ = api_keys.rotate(old, overlap=timedelta(0), now=timezone.now())
    assert Restrictions.of(fresh) == Restrictions.of(old)


@pytest.mark.parametrize(
    ("packs", "read_only", "networks"),
    [(["nonsense"], False, []), ([], False, ["10.0.0.1/8"]), ([], False, ["here"]), (["url"], True, [])],
)
def test_nonsense_is_refused(packs: list[str], read_only: bool, networks: list[str]) -> None:
    with pytest.raises(BadRestriction):
        Restrictions.read(packs=packs, read_only=read_only, networks=networks)


def test_the_command_issues_restricted_keys(acme: Customer) -> None:
    out = StringIO()
    call_command("issue_key", acme.id, "--pack", "url", "--from", "203.0.113.0/24", "--json", stdout=out)
    assert '"packs url; from 203.0.113.0/24"' in out.getvalue()
    assert ApiKey.objects.get(packs__isnull=False).packs == ["url"]
    call_command("issue_key", acme.id, "--max-total-usd", "2", "--max-per-run-usd", "0.5000", stdout=StringIO())
    budget = ApiKey.objects.get(budget__isnull=False).budget
    assert budget is not None
    assert (budget.max_total_usd_micros, budget.max_per_run_usd_micros) == (2_000_000, 500_000)
    for wrong in ("much", "0", "0.00001"):
        with pytest.raises(CommandError):
            call_command("issue_key", acme.id, "--max-total-usd", wrong)
    with pytest.raises(CommandError, match="no pack"):
        call_command("issue_key", acme.id, "--pack", "nonsense")
