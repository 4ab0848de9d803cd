"""Receivers that are silent, slow or hostile: nobody else waits for them, and nothing inside is reached."""

import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from packs.fetch import FetchPolicy
from runs.lifecycle.fetch_policy import webhook_policy
from runs.models import Webhook
from runs.webhooks.sender import Sender
from tests.builders import Customer, customer
from tests.packs.fetch.zoo import Request, Zoo, drip, page
from tests.runs.webhooks.receivers import HOST, Subscription, completed_run, subscribed

_SLOW = "slow.example.org"


def _never_answers(tls: socket.socket, _: Request) -> None:
    time.sleep(30)


def _until_delivered(hook: Subscription, *, seconds: float) -> float:
    began = time.monotonic()
    while any(one.state != "DELIVERED" for one in hook.deliveries()):
        assert time.monotonic() - began < seconds
        time.sleep(0.02)
    return time.monotonic() - began


def test_dead_receivers_of_many_tenants_do_not_delay_a_quick_one(acme: Customer, hook: Subscription, zoo: Zoo) -> None:
    """More dead ones than there are places for all together."""
    dead = [customer(f"dead-{number}", budget="100.0000") for number in range(6)]
    zoo.site(_SLOW, _never_answers)
    zoo.site(HOST, page("", status=200))
    for owner in dead:
        subscribed(owner, host=_SLOW)
        for _ in range(3):
            completed_run(owner)
    Webhook.objects.filter(url__contains=_SLOW).update(is_slow=True)
    sender = Sender(zoo.fetcher(replace(webhook_policy(), timeout_sec=10)), quick_places=4, slow_places=4)
    stopped = threading.Event()
    thread = threading.Thread(target=sender.run_until_stopped, args=(stopped,))
    thread.start()
    try:
        time.sleep(1.5)
        for _ in range(5):
            completed_run(acme)
        assert _until_delivered(hook, seconds=5) < 5
    finally:
        stopped.set()
        thread.join(timeout=30)
    under_way = [request for request in zoo.record.requests if request.sni == _SLOW]
    assert 1 <= len(under_way) <= 8, "those that fail have their own places"


def test_a_tenant_has_only_some_of_the_places(acme: Customer, zoo: Zoo) -> None:
    zoo.site(_SLOW, _never_answers)
    subscribed(acme, host=_SLOW)
    subscribed(acme, host=f"a.{_SLOW}")
    for _ in range(8):
        completed_run(acme)
    sender = Sender(zoo.fetcher(FetchPolicy(timeout_sec=1)), places_of_tenant=3)
    assert sender.begin() == 3
    assert sender.begin() == 0
    sender.finish()


def test_a_slow_receiver_moves_to_the_places_of_the_slow(acme: Customer, hook: Subscription, zoo: Zoo) -> None:
    def late(tls: socket.socket, request: Request) -> None:
        time.sleep(2.2)
        page("", status=200)(tls, request)

    zoo.site(HOST, late)
    completed_run(acme)
    sender = Sender(zoo.fetcher(webhook_policy()))
    assert sender.send_due() == {"delivered": 1}
    assert hook.now().is_slow
    zoo.site(HOST, page("", status=200))
    completed_run(acme)
    sender.send_due()
    assert not hook.now().is_slow
    sender.finish()


@pytest.mark.parametrize(
    ("handler", "problem"),
    [
        (_never_answers, "TIMEOUT"),
        (lambda tls, _: tls.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000), "BAD_RESPONSE"),
        (lambda tls, _: tls.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000), "BAD_RESPONSE"),
        (lambda tls, _: tls.sendall(b"\x00\x01\x02 not HTTP\r\n\r\n"), "BAD_RESPONSE"),
        (lambda tls, _: tls.sendall(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n"), "BAD_RESPONSE"),
    ],
)
def test_a_hostile_answer_is_a_failed_attempt_in_bounded_time(
    acme: Customer, hook: Subscription, zoo: Zoo, handler: object, problem: str
) -> None:
    zoo.site(HOST, handler)  # type: ignore[arg-type]
    completed_run(acme)
    began = time.monotonic()
    sender = Sender(zoo.fetcher(FetchPolicy(timeout_sec=2)))
    assert sender.send_due() == {"failed": 1}
    assert time.monotonic() - began < 8
    assert hook.only_delivery().last_problem == problem
    sender.finish()


def test_an_endless_body_is_not_waited_for(acme: Customer, hook: Subscription, zoo: Zoo) -> None:
    zoo.site(HOST, drip)
    completed_run(acme)
    began = time.monotonic()
    sender = Sender(zoo.fetcher(FetchPolicy(timeout_sec=5)))
    assert sender.send_due() == {"delivered": 1}
    assert time.monotonic() - began < 3
    sender.finish()


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1", "100.64.0.1"]
)
def test_a_name_that_leads_inside_is_never_dialled(acme: Customer, hook: Subscription, zoo: Zoo, address: str) -> None:
    """Also when it led outside a moment ago: it is looked up for every attempt."""
    answers: Sequence[str] = [address]
    fetcher = replace(zoo.fetcher(webhook_policy()), resolver=lambda name: answers)
    completed_run(acme)
    sender = Sender(fetcher)
    assert sender.send_due() == {"failed": 1}
    assert zoo.record.dialled == []
    assert (hook.only_delivery().last_problem or "").startswith("SSRF_")
    sender.finish()
