"""Low budgets are told once, by the books; old messages are dropped."""

from datetime import timedelta

from django.db.models.functions import Now

from budget.ledger import top_up
from dpp_project.money import Micros
from runs.access import plans
from runs.models import WebhookDelivery
from runs.webhooks import subscriptions
from runs.webhooks.housekeeping import keep_webhooks
from runs.webhooks.sender import Sender
from tests.builders import Customer, on_plan, submitted
from tests.packs.fetch.zoo import Zoo
from tests.runs.webhooks.receivers import Subscription, completed_run, subscribed


def _watching(owner: Customer, below: int) -> Subscription:
    return subscribed(owner, events=("budget.low",), budget_low=Micros(below))


def test_a_low_budget_is_told_once_and_again_after_it_had_recovered(acme: Customer, zoo: Zoo, sender: Sender) -> None:
    hook = _watching(acme, 9_800_000)
    assert keep_webhooks().alerted == 0
    submitted(acme)

    assert keep_webhooks().alerted == 1
    assert keep_webhooks().alerted == 0
    sender.send_due()
    assert hook.verified(zoo.record.requests[0])["data"] == {"available_usd": "9.5000", "below_usd": "9.8000"}

    top_up(acme.id, Micros(5_000_000), reference="t-1")
    assert keep_webhooks().alerted == 0
    for _ in range(12):
        submitted(acme)
    assert keep_webhooks().alerted == 1


def test_exactly_at_the_threshold_is_not_below_it(acme: Customer) -> None:
    _watching(acme, 10_000_000)
    assert keep_webhooks().alerted == 0


def test_without_a_threshold_of_its_own_that_of_the_plan_holds(acme: Customer, rival: Customer) -> None:
    """The plan's, else the profile's; 0 is never."""
    hook = subscribed(acme, events=("budget.low",))
    subscribed(rival, events=("budget.low",))
    on_plan(rival, budget_alert_usd_micros=0)
    assert keep_webhooks().alerted == 0
    on_plan(acme, budget_alert_usd_micros=10_000_001)
    assert keep_webhooks().alerted == 1
    assert hook.deliveries()[0].data == {"available_usd": "10.0000", "below_usd": "10.0000"}
    on_plan(acme, budget_alert_usd_micros=10_000_000)
    assert keep_webhooks().alerted == 0
    on_plan(acme, budget_alert_usd_micros=10_000_001)
    assert keep_webhooks().alerted == 1
    for owner in (acme, rival):
        plans.assign(owner.tenant, "default")
    submitted(acme, max_cost="9.1000")
    assert keep_webhooks().alerted == 0, "it was told, and has not recovered"
    submitted(rival, max_cost="9.0001")
    assert keep_webhooks().alerted == 1


def test_messages_are_dropped_after_their_time(acme: Customer, hook: Subscription) -> None:
    completed_run(acme)
    completed_run(acme)
    old = hook.deliveries()[0]
    WebhookDelivery.objects.filter(pk=old.pk).update(created_at=Now() - timedelta(days=31))
    assert keep_webhooks().dropped == 1
    assert old.pk not in [one.pk for one in hook.deliveries()]


def test_a_message_whose_webhook_is_gone_is_dropped(acme: Customer, hook: Subscription) -> None:
    subscriptions.delete(hook.webhook)
    WebhookDelivery.objects.create(
        webhook_id=hook.webhook.pk, event="run.completed", data={}, next_attempt_at=Now() - timedelta(minutes=2)
    )
    assert keep_webhooks().dropped == 1
    assert WebhookDelivery.objects.count() == 0
