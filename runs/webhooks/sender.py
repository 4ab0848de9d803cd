"""Sends what is due, many messages at a time, so that no receiver keeps another waiting.

A receiver that fails or is slow is tried on places of its own, one message at a time; a tenant has a few places of all.
Attempts run in threads; rows are read and written by one thread, on one connection.
"""

import logging
import threading
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from django.db import DatabaseError, InterfaceError, connection

from dpp_project import clock
from dpp_project.faults import crash_point
from dpp_project.logging import fields
from dpp_project.metrics import WEBHOOK_ATTEMPTS, WEBHOOK_SECONDS, WEBHOOKS_DISABLED
from runs.webhooks import deliveries, schedule
from runs.webhooks.attempt import GONE, Answer, Poster, attempt
from runs.webhooks.deliveries import Places, Taken

log = logging.getLogger("dpp.webhooks")

_LOOK_EVERY_SEC = 1.0


@dataclass
class Sender:
    poster: Poster
    quick_places: int = 8
    slow_places: int = 8
    places_of_tenant: int = 4
    places_of_webhook: int = 4
    _under_way: dict["Future[Answer]", Taken] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(self.quick_places + self.slow_places, thread_name_prefix="webhook")

    def run_until_stopped(self, stopped: threading.Event) -> None:
        """What is under way then is finished."""
        while not stopped.is_set():
            try:
                begun = self.begin()
                self.collect(wait_sec=_LOOK_EVERY_SEC)
            except (DatabaseError, InterfaceError):
                log.warning("webhooks_wait_for_database", exc_info=True)
                connection.close()
                begun = 0
            if not begun and not self._under_way:
                stopped.wait(_LOOK_EVERY_SEC)
        self.finish()
        connection.close()

    def send_due(self) -> Counter[str]:
        """All that is due now, and what came of it."""
        outcomes: Counter[str] = Counter()
        while self.begin() or self._under_way:
            outcomes += self.collect(wait_sec=_LOOK_EVERY_SEC)
        return outcomes

    def begin(self) -> int:
        """What is due and has a place."""
        found = deliveries.take(self._places())
        crash_point("webhook.taken")
        for taken in found:
            self._under_way[self._threads.submit(attempt, taken, self.poster)] = taken
        return len(found)

    def collect(self, *, wait_sec: float | None) -> Counter[str]:
        """Write down what has come back, at the latest after the wait."""
        done, _ = wait(self._under_way, timeout=wait_sec, return_when=FIRST_COMPLETED)
        return Counter(self._write_down(future) for future in done)

    def finish(self) -> None:
        while self._under_way:
            self.collect(wait_sec=None)
        self._threads.shutdown()

    def _places(self) -> Places:
        busy = list(self._under_way.values())
        slow = sum(taken.is_slow for taken in busy)
        return Places(
            quick=self.quick_places - (len(busy) - slow),
            slow=self.slow_places - slow,
            of_webhook=self.places_of_webhook,
            of_tenant=self.places_of_tenant,
            tenants=Counter(taken.tenant_id for taken in busy),
            webhooks=Counter(str(taken.webhook_id) for taken in busy),
        )

    def _write_down(self, future: "Future[Answer]") -> str:
        taken = self._under_way.pop(future)
        try:
            answer = future.result()
        except Exception:
            # Ours: no answer of a receiver raises anything that is not handled. The lease brings it back.
            log.exception("webhook_attempt_broke", extra=_line(taken))
            return "broke"
        crash_point("webhook.sent")
        outcome = record(taken, answer)
        WEBHOOK_ATTEMPTS.labels(outcome=outcome).inc()
        WEBHOOK_SECONDS.observe(answer.seconds)
        log.info(
            "webhook_attempt",
            extra=_line(
                taken,
                outcome=outcome,
                status_code=answer.status,
                problem=answer.problem,
                seconds=round(answer.seconds, 3),
            ),
        )
        return outcome


def record(taken: Taken, answer: Answer) -> str:
    """What becomes of the message."""
    if answer.problem is None:
        assert answer.status is not None
        won = deliveries.delivered(taken, status=answer.status, seconds=answer.seconds)
        return "delivered" if won else "overtaken"
    gone = answer.status == GONE
    wait_sec = None if gone else schedule.wait_sec(taken.attempts, answer.retry_after, now=clock.now())
    if not deliveries.not_delivered(taken, status=answer.status, problem=answer.problem, wait_sec=wait_sec):
        return "overtaken"
    if wait_sec is not None:
        return "failed"
    if deliveries.disable_gone(taken.webhook_id) if gone else deliveries.disable_failing(taken):
        WEBHOOKS_DISABLED.labels(reason="gone" if gone else "failing").inc()
        log.warning("webhook_disabled", extra=_line(taken))
    return "gone" if gone else "given_up"


def _line(taken: Taken, **more: object) -> dict[str, object]:
    """No address: its path may be a secret."""
    return fields(
        webhook_id=taken.webhook_id,
        delivery_id=taken.delivery_id,
        tenant_id=taken.tenant_id,
        webhook_event=taken.event,
        attempt=taken.attempts,
        **more,
    )
