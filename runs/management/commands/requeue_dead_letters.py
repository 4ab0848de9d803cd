"""manage.py requeue_dead_letters"""

from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from runs.lifecycle import queue
from runs.lifecycle.queue import BadMessage, RunMessage, decode
from runs.management.output import OurCommand
from runs.models import DeadLetter, Run
from runs.states import Status


class Command(OurCommand):
    help = "Send kept dead letters again whose run has since appeared and is still queued; list the others."
    examples = "manage.py requeue_dead_letters\n  manage.py requeue_dead_letters --json"

    def handle(self, *args: Any, **options: Any) -> None:
        requeued, kept = 0, 0
        for letter in DeadLetter.objects.filter(requeued_at__isnull=True).order_by("id"):
            run = _run_of(letter)
            if run is None:
                kept += 1
                continue
            try:
                queue.send(run, now=timezone.now())
            except queue.SendFailed as error:
                raise CommandError(f"The queue does not take messages ({error}); {requeued} were sent.") from error
            DeadLetter.objects.filter(pk=letter.pk).update(requeued_at=timezone.now())
            requeued += 1
        self.show(
            options,
            {"requeued": requeued, "kept": kept},
            f"{requeued} dead letters sent again, {kept} fit no queued run and stay.",
        )


def _run_of(letter: DeadLetter) -> Run | None:
    try:
        message = RunMessage.parse(decode(letter.body))
    except BadMessage:
        return None
    return Run.objects.filter(pk=message.run_id, tenant_id=message.tenant_id, status=Status.QUEUED).first()
