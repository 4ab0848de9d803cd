"""The message stands or falls with the ending: one row per webhook that asked for it, in the same transaction."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.lifecycle import transitions
from runs.lifecycle.finalize import end
from runs.lifecycle.outcomes import failed
from runs.models import Run, WebhookDelivery
from runs.states import Actor, Reason
from runs.webhooks import subscriptions
from tests.books import assert_balanced
from tests.builders import Customer, processing
from tests.race import actors, passing_time
from tests.race.actors import Crash, die
from tests.runs.webhooks.receivers import Subscription, cancelled_run, completed_run, subscribed


def _fails(run: Run) -> None:
    """As its worker ends it."""
    token, outcome = run.lease_token, failed(run, Reason.PACK_FAILED, "")
    assert token
    end(run, lambda: transitions.claim_own(run, outcome, lease_token=token), actor=Actor.WORKER)


def test_only_webhooks_that_asked_for_it_get_a_row(acme: Customer, rival: Customer) -> None:
    both, completed_only = subscribed(acme), subscribed(acme, events=("run.completed",))
    others = subscribed(rival)
    completed_run(acme)
    cancelled_run(acme)
    assert [one.event for one in both.deliveries()] == ["run.completed", "run.failed"]
    assert [one.event for one in completed_only.deliveries()] == ["run.completed"]
    assert others.deliveries() == []


def test_a_disabled_webhook_gets_no_row(acme: Customer, hook: Subscription) -> None:
    subscriptions.disable(hook.webhook)
    completed_run(acme)
    assert hook.deliveries() == []


def test_a_tenant_without_webhooks_writes_nothing_and_asks_nothing_more(acme: Customer) -> None:
    run = processing(acme)
    with CaptureQueriesContext(connection) as queries:
        _fails(run)
    assert len(queries) == 2, "claim and commit"
    assert WebhookDelivery.objects.count() == 0


@pytest.mark.parametrize("point", ["finalize.claimed", "finalize.settled"])
def test_an_ending_that_did_not_commit_tells_nobody_and_is_told_once_when_it_does(
    acme: Customer, hook: Subscription, point: str
) -> None:
    run = processing(acme)
    actors.at(point, die)
    with pytest.raises(Crash):
        _fails(run)
    assert hook.deliveries() == []

    passing_time.claim_is_abandoned(run)
    actors.reconciler(run)

    assert Run.objects.get(pk=run.pk).status == "FAILED"
    assert [one.event for one in hook.deliveries()] == ["run.failed"]
    assert_balanced(acme, 10_000_000 - 10_000)


def test_a_webhook_deleted_while_a_run_ends_does_not_keep_it_from_ending(acme: Customer, hook: Subscription) -> None:
    run = processing(acme)
    actors.at("finalize.settled", lambda: subscriptions.delete(hook.webhook))
    _fails(run)
    assert Run.objects.get(pk=run.pk).status == "FAILED"
    assert WebhookDelivery.objects.count() == 0
