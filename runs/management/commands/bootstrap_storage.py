"""manage.py bootstrap_storage"""

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.core.management.base import CommandError

from runs.management.output import OurCommand
from runs.queue import bootstrap_queues
from storage.bootstrap import bootstrap_bucket


class Command(OurCommand):
    help = "Create or update the results bucket and the queues. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bucket, queues = bootstrap_bucket(), bootstrap_queues()
        except (BotoCoreError, ClientError) as error:
            raise CommandError(f"S3 or SQS refused: {error}") from error
        self.show(
            options,
            {"bucket": bucket, "queues": queues},
            f"Bucket {bucket} and queues {', '.join(queues)} are ready.",
        )
