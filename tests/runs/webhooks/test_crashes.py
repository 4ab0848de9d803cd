"""At least once: whatever dies between the commit of an ending and the receiver's answer."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from dpp_project import faults
from runs.models import WebhookDelivery
from runs.webhooks.deliveries import TAKE, Places
from runs.webhooks.sender import Sender
from tests.builders import Customer
from tests.owner import owner_cursor
from tests.packs.fetch.zoo import Zoo
from tests.race.actors import Crash, die
from tests.runs.webhooks.receivers import Subscription, completed_run


def _lease_ends() -> None:
    WebhookDelivery.objects.filter(state="PENDING").update(next_attempt_at=Now() - timedelta(seconds=1))


@pytest.mark.parametrize(("point", "arrivals"), [("webhook.taken", 1), ("webhook.sent", 2)])
def test_a_sender_that_dies_in_an_attempt_delays_its_message(
    acme: Customer, hook: Subscription, zoo: Zoo, point: str, arrivals: int
) -> None:
    completed_run(acme)
    faults.arm(point, die)
    with pytest.raises(Crash):
        Sender(zoo.fetcher()).send_due()
    assert hook.only_delivery().state == "PENDING"

    other = Sender(zoo.fetcher())
    assert other.send_due() == {}, "it is somebody's until the lease is over"
    _lease_ends()
    assert other.send_due() == {"delivered": 1}
    assert len(zoo.record.requests) == arrivals
    assert len({request.headers["webhook-id"] for request in zoo.record.requests}) == 1
    other.finish()


def test_two_senders_never_take_the_same_message(acme: Customer, hook: Subscription, zoo: Zoo) -> None:
    for _ in range(4):
        completed_run(acme)
    one, other = Sender(zoo.fetcher()), Sender(zoo.fetcher())
    assert one.begin() + other.begin() == 4
    one.finish()
    other.finish()
    assert len(zoo.record.requests) == 4
    assert all(delivery.state == "DELIVERED" for delivery in hook.deliveries())


def test_a_long_backlog_of_one_is_not_read_through(acme: Customer, hook: Subscription, zoo: Zoo) -> None:
    WebhookDelivery.objects.bulk_create(
        [WebhookDelivery(webhook=hook.webhook, event="webhook.test", data={}) for _ in range(5_000)]
    )
    places = Places(8, 8, of_webhook=4, of_tenant=4, tenants=Counter(), webhooks=Counter())
    with owner_cursor() as cursor:
        cursor.execute("ANALYZE webhook_deliveries")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {TAKE}", places.as_parameters())
        found = cursor.fetchall()[0][0]
    assert max(_rows_read(found[0]["Plan"])) < 100


def _rows_read(node: dict[str, Any]) -> Iterator[float]:
    if node.get("Relation Name") == "webhook_deliveries":
        yield node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0)
    for child in node.get("Plans", ()):
        yield from _rows_read(child)
