"""When a message does not arrive: the schedule, what a receiver may ask for, and when it is given up."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from django.db import connection
from django.db.models.functions import Now

from dpp_project.profile import PROFILE
from runs.models import Webhook, WebhookDelivery
from runs.webhooks import schedule, subscriptions
from runs.webhooks.sender import Sender
from tests.builders import Customer
from tests.packs.fetch.zoo import Handler, Zoo, page, redirect
from tests.runs.webhooks.receivers import HOST, Subscription, all_is_due, completed_run

_NOW = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
_PUBLISHED = [0, 5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600]


def _wait_sec(hook: Subscription) -> float:
    delivery = hook.only_delivery()
    assert delivery.last_attempt_at
    return (delivery.next_attempt_at - delivery.last_attempt_at).total_seconds()


def test_the_schedule_is_the_published_one_with_a_little_spread() -> None:
    assert list(PROFILE.webhook_delays_sec) == _PUBLISHED
    for attempts, planned in enumerate(_PUBLISHED[1:], start=1):
        waits = [schedule.wait_sec(attempts, None, now=_NOW) for _ in range(50)]
        assert all(wait is not None and 0.9 * planned <= wait <= 1.1 * planned for wait in waits)
        assert len(set(waits)) > 1
    assert schedule.wait_sec(len(_PUBLISHED), None, now=_NOW) is None


@pytest.mark.parametrize(
    ("asked", "at_least", "at_most"),
    [
        ("120", 120, 120),
        ("0", 4.5, 5.5),
        ("999999999999999999", 86_400, 86_400),
        (format_datetime(_NOW + timedelta(minutes=10), usegmt=True), 600, 600),
        (format_datetime(_NOW - timedelta(days=1), usegmt=True), 4.5, 5.5),
        ("soon", 4.5, 5.5),
        ("-5", 4.5, 5.5),
        ("²", 4.5, 5.5),
        ("Thu, 99 Foo 9999", 4.5, 5.5),
    ],
)
def test_a_receiver_may_ask_for_a_longer_wait(asked: str, at_least: float, at_most: float) -> None:
    wait = schedule.wait_sec(1, asked, now=_NOW)
    assert wait is not None
    assert at_least <= wait <= at_most


@pytest.mark.parametrize(
    ("handler", "status", "problem"),
    [
        (page("", status=500), 500, "HTTP_STATUS"),
        (page("", status=404), 404, "HTTP_STATUS"),
        (redirect("https://elsewhere.example.org/"), 302, "REDIRECT"),
        (redirect(f"https://{HOST}/other", status=308), 308, "REDIRECT"),
        (lambda tls, _: tls.close(), None, "BAD_RESPONSE"),
    ],
)
def test_all_but_2xx_is_tried_again(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender, handler: Handler, status: int | None, problem: str
) -> None:
    zoo.site(HOST, handler)
    completed_run(acme)

    assert sender.send_due() == {"failed": 1}

    delivery = hook.only_delivery()
    assert (delivery.state, delivery.attempts) == ("PENDING", 1)
    assert (delivery.last_status_code, delivery.last_problem) == (status, problem)
    assert 4 <= _wait_sec(hook) <= 16
    assert zoo.record.lookups == [HOST], "a redirect is not followed"
    assert sender.send_due() == {}, "it is not due yet"


def test_a_retry_that_arrives_ends_it(acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender) -> None:
    zoo.site(HOST, page("", status=503, headers=[("Retry-After", "90")]))
    completed_run(acme)
    sender.send_due()
    assert 89 <= _wait_sec(hook) <= 101
    zoo.site(HOST, page("", status=204))
    all_is_due()
    assert sender.send_due() == {"delivered": 1}
    assert hook.only_delivery().attempts == 2
    assert not hook.now().is_slow


def test_after_the_last_attempt_it_is_given_up_and_a_receiver_that_took_nothing_is_switched_off(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    zoo.site(HOST, page("", status=500))
    completed_run(acme)
    outcomes = []
    for _ in range(len(_PUBLISHED)):
        outcomes += list(sender.send_due())
        all_is_due()
    assert outcomes == ["failed"] * 9 + ["given_up"]
    assert len(zoo.record.requests) == 10
    assert hook.only_delivery().state == "FAILED"
    assert (hook.now().status, hook.now().disabled_reason) == ("DISABLED", "FAILING")


def test_a_receiver_that_takes_other_messages_stays_on(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    zoo.site(HOST, page("", status=500))
    completed_run(acme)
    WebhookDelivery.objects.update(attempts=9)
    Webhook.objects.update(last_success_at=Now())
    assert sender.send_due() == {"given_up": 1}
    assert hook.now().status == "ACTIVE"


def test_410_switches_it_off_at_once(acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender) -> None:
    zoo.site(HOST, page("", status=410))
    completed_run(acme)
    assert sender.send_due() == {"gone": 1}
    assert (hook.now().status, hook.now().disabled_reason) == ("DISABLED", "GONE")
    completed_run(acme)
    assert len(hook.deliveries()) == 1, "nothing further is kept for it"


def test_what_waited_is_sent_once_it_is_switched_on_again(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    zoo.site(HOST, page("", status=500))
    completed_run(acme)
    sender.send_due()
    subscriptions.disable(hook.webhook)
    all_is_due()
    assert sender.send_due() == {}
    zoo.site(HOST, page("", status=200))
    subscriptions.enable(hook.now(), by_operator=True)
    assert sender.send_due() == {"delivered": 1}


def test_a_message_that_was_given_up_can_be_sent_again_by_hand(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    completed_run(acme)
    WebhookDelivery.objects.update(state="FAILED", attempts=10)
    assert sender.send_due() == {}
    before = hook.only_delivery()
    subscriptions.redeliver(hook.webhook, before)
    assert sender.send_due() == {"delivered": 1}
    (request,) = zoo.record.requests
    assert request.headers["webhook-id"] == str(before.pk)


def test_a_redelivery_while_an_attempt_is_under_way_is_not_overwritten_by_it(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    completed_run(acme)

    def redelivered_meanwhile(tls: object, request: object) -> None:
        WebhookDelivery.objects.update(attempts=0, next_attempt_at=Now())
        connection.close()  # of the site's thread
        page("", status=500)(tls, request)  # type: ignore[arg-type]
        zoo.site(HOST, page("", status=200))

    zoo.site(HOST, redelivered_meanwhile)
    outcomes = sender.send_due()
    assert outcomes == {"overtaken": 1, "delivered": 1}
    assert hook.only_delivery().state == "DELIVERED"
