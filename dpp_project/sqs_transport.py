"""Kombu's SQS transport, except that a queue that refuses or is gone is a lost connection and not the worker's end.

As it comes, any answer of SQS to a receive other than success stops the whole worker process. Here it is a broken
connection: Celery connects anew, again and again, at most a few times a second, until the queue answers.
Used by every process through the alias in `celery.py`.
"""

from typing import Any

from kombu.asynchronous.aws.sqs.connection import AsyncSQSConnection
from kombu.transport import SQS


class QueueUnavailable(ConnectionError):
    """SQS answered a receive with something else than messages."""


class _Receiver(AsyncSQSConnection):  # type: ignore[misc]
    def _on_list_ready(self, parent: Any, markers: Any, operation: str, response: Any) -> Any:
        if response.status != self.STATUS_CODE_OK:
            raise QueueUnavailable(f"{operation}: HTTP {response.status} {response.read()!r:.300}")
        return super()._on_list_ready(parent, markers, operation, response)


class Channel(SQS.Channel):  # type: ignore[misc]
    def asynsqs(self, queue: str | None = None) -> AsyncSQSConnection:
        """As in the parent class; every queue of ours is a predefined one."""
        clients = self._predefined_queue_async_clients
        if queue not in clients:
            names = self.get_message_attributes
            clients[queue] = _Receiver(
                sqs_connection=self.sqs(queue=queue),
                region=self.predefined_queues[queue]["region"],
                message_system_attribute_names=names.get("MessageSystemAttributeNames"),
                message_attribute_names=names.get("MessageAttributeNames"),
            )
        return clients[queue]


class Transport(SQS.Transport):  # type: ignore[misc]
    Channel = Channel
