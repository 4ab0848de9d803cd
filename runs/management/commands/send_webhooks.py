"""manage.py send_webhooks [--forever]"""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.db import connection

from dpp_project import tracing
from dpp_project.checks import refuse_unsafe_start
from dpp_project.logging import name_service
from dpp_project.metrics_port import serve_metrics
from packs.fetch import SmartFetcher
from packs.sandbox import kernel
from runs.lifecycle.fetch_policy import revoked_certificates, webhook_policy
from runs.management.output import OurCommand
from runs.webhooks.sender import Sender

_METRICS_PORT = "DPP_WORKER_METRICS_PORT"


class Command(OurCommand):
    help = "Send the messages for webhooks that are due."
    examples = "manage.py send_webhooks --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--forever", action="store_true", help="and those that become due, until SIGTERM")

    def handle(self, *args: Any, **options: Any) -> None:
        sender = Sender(SmartFetcher(policy=webhook_policy(), revoked=revoked_certificates()))
        if options["forever"]:
            self._serve(sender)
            return
        outcomes = sender.send_due()
        sentence = ", ".join(f"{number} {outcome.replace('_', ' ')}" for outcome, number in sorted(outcomes.items()))
        self.show(options, {"attempts": outcomes.total(), **outcomes}, f"Webhooks: {sentence or 'nothing is due'}.")

    def _serve(self, sender: Sender) -> None:
        name_service("webhooks")
        refuse_unsafe_start()
        serve_metrics(_METRICS_PORT)
        stopped = threading.Event()
        for ends in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ends, lambda *_: stopped.set())
        # Keys and passwords are in this process's memory and environment.
        kernel.hide_from_siblings()
        sender.run_until_stopped(stopped)
        connection.close()
        tracing.flush()
