"""Kombu's SQS transport, except that a queue that refuses or is gone is not the worker's end.

As it comes, an answer of SQS other than success stops the whole worker process. Here a receive that is refused is no
message: the worker asks again later, once the queue answers a question that costs nothing. So is one that is never
answered, which would otherwise be waited for for ever, in a worker that looks well: its messages count as received, so
that asking on and on during a brownout would make dead letters of a backlog. And a message that cannot be given back
stays where it is: SQS shows it again by itself, unless somebody has finished it. What the children do goes
on meanwhile. Every process uses it, through the alias in `celery.py`.

A worker that takes several queues asks each of them for no more than it has slots for, and takes from a backlog queue
only what leaves half of its slots to the direct ones (`work_queues`).
"""

import logging
import threading
import time
from typing import Any

import pycurl  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from kombu.asynchronous.aws.connection import AsyncHTTPSConnection
from kombu.asynchronous.aws.sqs.connection import AsyncSQSConnection
from kombu.asynchronous.http.curl import CurlClient
from kombu.transport import SQS

from dpp_project.work_queues import backlog_slots, named

log = logging.getLogger("dpp.queue")

ASK_AGAIN_SEC = 1.0
# SQS keeps a question for the waiting time when there is no message; its answer may take this much longer.
ANSWER_WITHIN_SEC = settings.SQS_WAIT_TIME_SEC + 5


# SQS gives out no more at once.
_MOST_AT_ONCE = 10
_BACKLOGS = frozenset(queues.backlog for queues in named(settings.SQS_QUEUE_PREFIX).values())


class _Unavailable(dict[str, Any]):
    """In place of an answer with messages."""


class HttpClient(CurlClient):
    def _set_timeout(self, msecs: int) -> None:
        """As in the parent class, which takes curl's milliseconds for seconds: the limit of a question that was long
        answered would stay in the hub's timer for hours."""
        if msecs >= 0:
            self.hub.call_later(msecs / 1000, self._timeout_check)  # type: ignore[attr-defined]


def limit_time(curl: Any) -> None:
    curl.setopt(pycurl.TIMEOUT, ANSWER_WITHIN_SEC)


class _Question(AsyncHTTPSConnection):
    def getrequest(self) -> Any:
        """As in the parent class, whose own limits reach nobody: its HTTP client does not look at them."""
        request = super().getrequest()
        request.on_prepare = limit_time
        return request


class _Receiver(AsyncSQSConnection):
    def get_http_connection(self) -> _Question:
        return _Question(http_client=self._httpclient)

    def _on_list_ready(self, parent: Any, markers: Any, operation: str, response: Any) -> Any:
        if response.status != self.STATUS_CODE_OK:
            log.warning("queue_unavailable: HTTP %s %.300r", response.status, response.read())
            return _Unavailable()
        return super()._on_list_ready(parent, markers, operation, response)  # type: ignore[misc]


class _Probe:
    """Asks for a queue's attributes, in a thread, until there is an answer: unlike a receive it takes nothing."""

    def __init__(self, client: Any, url: str) -> None:
        self.is_answered = False
        self._client = client
        self._url = url
        threading.Thread(target=self._until_answered, daemon=True).start()

    def _until_answered(self) -> None:
        while not self.is_answered:
            try:
                self._client.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])
                self.is_answered = True
            except (ClientError, BotoCoreError, OSError):
                time.sleep(ASK_AGAIN_SEC)


class Channel(SQS.Channel):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # How many messages each queue is asked for at the moment, and which queues had some when last asked.
        self._asked: dict[str, int] = {}
        self._had_messages: set[str] = set()

    def asynsqs(self, queue: str | None = None) -> Any:
        """As in the parent class; every queue of ours is a predefined one."""
        assert queue is not None
        clients = self._predefined_queue_async_clients
        if queue not in clients:
            names = self.get_message_attributes
            clients[queue] = _Receiver(
                sqs_connection=self.sqs(queue=queue),
                http_client=HttpClient(self.hub),  # type: ignore[attr-defined]
                region=self.predefined_queues[queue]["region"],
                message_system_attribute_names=names.get("MessageSystemAttributeNames"),
                message_attribute_names=names.get("MessageAttributeNames"),
            )
        return clients[queue]

    def _restore(self, message: Any) -> Any:
        try:
            return super()._restore(message)
        except (ClientError, BotoCoreError) as error:
            log.warning("message_not_given_back: %.300s", error)
            return None

    def _on_messages_ready(self, queue: str, qname: str, messages: Any) -> Any:
        if isinstance(messages, _Unavailable):
            return messages
        return super()._on_messages_ready(queue, qname, messages)  # type: ignore[misc]

    def _get_bulk_async(self, queue: str, callback: Any = None) -> Any:
        """As in the parent class, which asks every queue for as many as there are free slots."""
        most = self._room_for(queue)
        if not most:
            return callback([])
        self._asked[queue] = most
        return self._get_async(queue, most, callback=callback)  # type: ignore[attr-defined]

    def _room_for(self, queue: str) -> int:
        """How many messages to ask this queue for.

        A queue that was empty is asked for one: its question may stay open for long, and what it asks for is kept from
        the others. Half of the slots are never given to a backlog, unless no slot has work of one: the direct queues do
        not keep it waiting for ever either.
        """
        free: int = self._get_message_estimate() if self.qos.can_consume() else 0  # type: ignore[attr-defined]
        if len(self._active_queues) == 1 or not free:
            return free
        wanted = free if queue in self._had_messages else 1
        asked_elsewhere = sum(number for other, number in self._asked.items() if other != queue)
        if queue not in _BACKLOGS:
            return min(wanted, max(free - asked_elsewhere, 1))
        slots: int = self.qos.prefetch_count
        kept = slots - backlog_slots(slots)
        if free <= kept:
            return 0 if self._works_on_a_backlog() else 1
        return min(wanted, max(free - max(asked_elsewhere, kept), 1))

    def _works_on_a_backlog(self) -> bool:
        delivered: dict[str, Any] = self.qos._delivered or {}
        finished: set[str] = self.qos._dirty or set()
        urls = (delivered[tag].delivery_info.get("sqs_queue", "") for tag in delivered if tag not in finished)
        return any(url.rpartition("/")[2] in _BACKLOGS for url in urls)

    def _loop1(self, queue: str, messages_fetched: Any = None) -> None:
        # Only what was asked has an answer.
        if self._asked.pop(queue, 0):
            if messages_fetched and not isinstance(messages_fetched, _Unavailable):
                self._had_messages.add(queue)
            else:
                self._had_messages.discard(queue)
        if isinstance(messages_fetched, _Unavailable):
            url = self.predefined_queues[queue]["url"]
            self._receive_after(_Probe(self.sqs(queue=queue), url), queue)
        else:
            super()._loop1(queue, messages_fetched)  # type: ignore[misc]

    def _receive_after(self, probe: _Probe, queue: str) -> None:
        hub = self.hub  # type: ignore[attr-defined]
        if probe.is_answered:
            self._schedule_queue(queue)  # type: ignore[attr-defined]
        else:
            hub.call_later(ASK_AGAIN_SEC, self._receive_after, probe, queue)


class Transport(SQS.Transport):
    Channel = Channel
