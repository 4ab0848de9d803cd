"""manage.py bootstrap_storage"""

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.core.management.base import CommandError

from runs.lifecycle.queue import bootstrap_queues
from runs.management.output import OurCommand
from storage import store
from storage.exceptions import StorageError


class Command(OurCommand):
    help = "Create or update the results bucket and the queues. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bucket, queues = store.bootstrap(), bootstrap_queues()
        except (StorageError, BotoCoreError, ClientError) as error:
            raise CommandError(f"S3 or SQS refused: {error}") from error
        self.show(
            options,
            {"bucket": bucket, "queues": queues},
            f"Bucket {bucket} and queues {', '.join(queues)} are ready.",
        )
