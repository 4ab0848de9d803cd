"""manage.py bootstrap_storage"""

import json
from argparse import ArgumentParser
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.core.management.base import BaseCommand, CommandError

from runs.queue import bootstrap_queues
from storage.bootstrap import bootstrap_bucket


class Command(BaseCommand):
    help = "Create or update the results bucket and the queues. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bucket, queues = bootstrap_bucket(), bootstrap_queues()
        except (BotoCoreError, ClientError) as error:
            raise CommandError(f"S3 or SQS refused: {error}") from error
        if options["json"]:
            self.stdout.write(json.dumps({"bucket": bucket, "queues": queues}))
        else:
            self.stdout.write(f"Bucket {bucket} and queues {', '.join(queues)} are ready.")
