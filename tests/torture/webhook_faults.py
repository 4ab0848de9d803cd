"""Messages for webhooks: the sender dies between commit and delivery; receivers are silent, slow, hostile.

The verdict on money is that of every row; on top of it every ended run is told to its tenant's receiver.
"""

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from runs.models import Webhook, WebhookDelivery
from tests.builders import Customer
from tests.packs.fetch.zoo import Handler, Request, Zoo, open_zoo, page
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.processes import _Process
from tests.runs.webhooks.receivers import subscribed
from tests.torture.bench import Bench
from tests.torture.processes import _SUPERVISED, is_gone
from tests.torture.table import Figures, Inflict, Size, row

_GOOD, _BAD = "good.example.org", "bad.example.org"
_TAKEN = page("", status=204)


class SupervisedSender(_Process):
    name = "webhooks"

    def command(self) -> list[str]:
        return [*_SUPERVISED, sys.executable, "-m", "tests.webhook_sender"]

    def full_environment(self) -> dict[str, str]:
        return {**super().full_environment(), "DJANGO_SETTINGS_MODULE": "dpp_project.settings"}


@contextmanager
def _sending(bench: Bench) -> Iterator[Zoo]:
    with open_zoo() as zoo, TemporaryDirectory() as folder:
        zoo.site(_GOOD, _TAKEN)
        web = web_of(zoo, Path(folder))
        with bench.with_process(SupervisedSender({**bench.environment, **settings_of(web)})):
            yield zoo


def _told(zoo: Zoo, run_id: UUID) -> int:
    """How often a receiver was told of this run."""
    return sum(str(run_id).encode() in request.body for request in zoo.record.requests)


def _is_delivered(run_id: UUID) -> bool:
    return WebhookDelivery.objects.filter(run_id=run_id, state="DELIVERED").exists()


def _sender_dies(point: str, most: int) -> Inflict:
    def inflict(bench: Bench, size: Size) -> Figures:
        owner = bench.customer()
        subscribed(owner, host=_GOOD)
        slowest = 0.0
        with _sending(bench) as zoo:
            for _ in range(size.kills):
                bench.crash_points.arm(point)
                sent = bench.submit(owner)
                assert is_gone(bench.crashed())
                died = time.monotonic()
                bench.crash_points.disarm()
                bench.until(partial(_is_delivered, sent.run_id), within=60, why="the message was not delivered")
                slowest = max(slowest, time.monotonic() - died)
                assert 1 <= _told(zoo, sent.run_id) <= most
                bench.healed(owner, since=died)
        return Figures(size.kills, slowest)

    return inflict


def _silent(tls: socket.socket, _: Request) -> None:
    time.sleep(8)


def _drips(tls: socket.socket, _: Request) -> None:
    """A head that never ends, a byte at a time."""
    for _step in range(80):
        tls.sendall(b"H")
        time.sleep(0.1)


def _hostile(tls: socket.socket, request: Request) -> None:
    answers = (
        b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 60_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000,
        os.urandom(2_000),
        b"HTTP/1.1 500 Oops\r\nRetry-After: 99999999999999999999\r\n\r\n",
    )
    tls.sendall(answers[len(request.body) % len(answers)])


def _receivers_are(handler: Handler) -> Inflict:
    def inflict(bench: Bench, size: Size) -> Figures:
        """Many tenants with such receivers and runs enough for all places; one whose receiver is well."""
        bad: list[Customer] = [bench.customer() for _ in range(6)]
        for one in bad:
            subscribed(one, host=_BAD)
        good = bench.customer()
        hook = subscribed(good, host=_GOOD)
        with _sending(bench) as zoo:
            zoo.site(_BAD, handler)
            for one in bad:
                bench.submit_many(one, 2)
            bench.until(lambda: any(request.sni == _BAD for request in zoo.record.requests), within=60)
            began = time.monotonic()
            sent = bench.submit_many(good, size.live_runs)
            bench.healed(good, since=began, within=120)
            ended = time.monotonic()
            bench.until(lambda: all(_is_delivered(one.run_id) for one in sent), within=60, why="it waits for others")
            delivered = time.monotonic() - ended
            for one in bad:
                bench.healed(one, since=began, within=120)
            assert Webhook.objects.get(pk=hook.webhook.pk).status == "ACTIVE"
            assert not WebhookDelivery.objects.filter(webhook__url__contains=_BAD, state="DELIVERED").exists()
        return Figures(len(sent), delivered)

    return inflict


row("Webhooks", "webhook sender killed after it took a message, before it was sent", fast=True)(
    _sender_dies("webhook.taken", most=1)
)
row("Webhooks", "webhook sender killed after the receiver answered, before that is written down")(
    _sender_dies("webhook.sent", most=2)
)
row("Webhooks", "webhook receivers of six tenants silent", fast=True)(_receivers_are(_silent))
row("Webhooks", "webhook receivers of six tenants slow, a byte at a time")(_receivers_are(_drips))
row("Webhooks", "webhook receivers of six tenants hostile")(_receivers_are(_hostile))
