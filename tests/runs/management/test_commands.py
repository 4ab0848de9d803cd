"""The operator's commands: they parse, call, print; `--json` for machines; a clear line on failure."""

import json
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from budget import redis_keys as budget_keys
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.access import api_keys
from runs.lifecycle import finalize, transitions
from runs.lifecycle.outcomes import completed
from runs.models import ApiKey, DeadLetter, Run
from runs.states import Actor
from tests.books import assert_balanced, redis_balance
from tests.builders import Customer, micros, submitted


def call(name: str, *args: str) -> Any:
    out = StringIO()
    call_command(name, *args, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.usefixtures("platform")
def test_seed_tenant_creates_then_tops_up_to_the_budget() -> None:
    first = call("seed_tenant", "newco", "--budget", "5.0000")
    assert (first["tenant_id"], first["balance_usd"]) == ("newco", "5.0000")
    assert api_keys.is_well_formed(first["api_key"])
    again = call("seed_tenant", "newco", "--budget", "5.0000", "--no-key")
    assert (again["balance_usd"], again["api_key"]) == ("5.0000", None)
    assert ApiKey.objects.count() == 1


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(("tenant_id", "budget"), [("Bad/Id", "1"), ("ok", "1e3"), ("ok", "-1"), ("", "1")])
def test_seed_tenant_refuses_nonsense_in_one_line(tenant_id: str, budget: str) -> None:
    with pytest.raises(CommandError) as refused:
        call("seed_tenant", tenant_id, f"--budget={budget}")
    assert "\n" not in str(refused.value)


def test_a_reference_is_credited_once(acme: Customer) -> None:
    assert call("topup", acme.id, "2.5000", "--reference", "invoice-1")["balance_usd"] == "12.5000"
    repeat = call("topup", acme.id, "2.5000", "--reference", "invoice-1")
    assert (repeat["credited"], repeat["balance_usd"]) == (False, "12.5000")
    assert_balanced(acme, 12_500_000)


def test_a_topup_beyond_the_largest_balance_is_refused(acme: Customer) -> None:
    with pytest.raises(CommandError, match="may not pass"):
        call("topup", acme.id, "9007199254.0000", "--reference", "too-much")
    assert_balanced(acme, 10_000_000)


def test_topup_of_nobody_names_the_remedy(acme: Customer) -> None:
    with pytest.raises(CommandError, match="seed_tenant"):
        call("topup", "nobody", "1", "--reference", "x")


def test_rebuild_budget_restores_what_redis_forgot(acme: Customer, queued_run: Run) -> None:
    client().flushall()
    result = call("rebuild_budget", acme.id)
    assert (result["before_usd_micros"], result["after_usd_micros"]) == (None, 9_500_000)
    assert redis_balance(acme) == 9_500_000
    assert client().exists(budget_keys.hold(acme.id, queued_run.pk))


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    "name", ["reap", "sweep", "reconcile", "bury_dead_letters", "retain", "resend", "scrub", "purge_inputs"]
)
def test_every_job_is_a_command_that_finds_nothing_in_a_healthy_system(name: str) -> None:
    assert call(name)["found"] == 0


@pytest.mark.parametrize(
    ("decision", "money", "balance"), [("--refund", "REFUNDED", 10_000_000), ("--charge=0.0300", "SETTLED", 9_970_000)]
)
def test_a_dispute_is_ended_by_a_decision(acme: Customer, decision: str, money: str, balance: int) -> None:
    run = submitted(acme)
    token = uuid4()
    transitions.start(run, lease_token=token)
    transitions.claim_own(run, completed(run, actual=Micros(50_000), objects=()), lease_token=token)
    finalize.move_money(run)
    transitions.dispute(run, reason="RESULT_MISSING_AFTER_SETTLE")
    assert call("resolve_dispute", str(run.pk), decision, "--reason", "test")["money_state"] == money
    assert Run.objects.get(pk=run.pk).status == "FAILED"
    assert_balanced(acme, micros("0") + balance)
    with pytest.raises(CommandError, match="not in dispute"):
        call("resolve_dispute", str(run.pk), "--refund", "--reason", "again")
    assert run.transitions.filter(actor=Actor.ADMIN).count() == 2


def test_dead_letters_are_requeued_only_for_queued_runs(acme: Customer) -> None:
    DeadLetter.objects.create(message_id="m1", body="not a message", problem="unparsable")
    assert call("requeue_dead_letters") == {"requeued": 0, "kept": 1}
