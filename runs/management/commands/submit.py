"""manage.py submit decision --inputs '{"question": "…"}' --max-cost 0.5000 --watch"""

import json
import sys
import urllib.error
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import CommandError

from dpp_project.env import Env
from runs.management.output import OurCommand
from runs.management.watch import add_watch_arguments, watch


class Command(OurCommand):
    help = "Submit a run over HTTP, as its owner, and on request watch it to its end."
    examples = (
        """manage.py submit decision --inputs '{"question": "Tea?", "options": ["yes", "no"]}' --watch\n"""
        "  manage.py submit url --inputs @inputs.json --max-cost 0.2000 --key my-key-0001"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("pack_type")
        parser.add_argument("--inputs", required=True, help="JSON, @file, or - for standard input")
        parser.add_argument("--max-cost", default="0.5000", help='decimal USD with at most 4 places, "0.5000"')
        parser.add_argument("--key", help="Idempotency-Key (default: a new one)")
        parser.add_argument("--watch", action="store_true", help="follow the run to its end")
        parser.add_argument("--api-url", help="address of the API (default: DPP_API_URL)")
        add_watch_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        receipt = _post(options)
        run_id = receipt["run_id"]
        if not options["watch"]:
            sentence = f"Run {run_id} is queued. Watch it: manage.py watch {run_id}"
            self.show(options, receipt, sentence)
            return
        if not options["json"]:
            self.stdout.write(f"Run {run_id}")
        watch(run_id, {**options, "last_seq": 0}, self.stdout)  # type: ignore[arg-type]


def _post(options: dict[str, Any]) -> dict[str, Any]:
    env = Env()
    body = {
        "pack_type": options["pack_type"],
        "inputs": _inputs(options["inputs"]),
        "reservation": {"max_cost_usd": options["max_cost"]},
        "client": {"client_name": "manage.py submit"},
    }
    request = urllib.request.Request(  # noqa: S310  (the operator's own address)
        (options["api_url"] or env.text("DPP_API_URL")).rstrip("/") + "/v1/runs",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {options['api_key'] or env.text('DPP_API_KEY')}",
            "Content-Type": "application/json",
            "Idempotency-Key": options["key"] or f"submit-{uuid4()}",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            receipt: dict[str, Any] = json.load(answer)
            return receipt
    except urllib.error.HTTPError as error:
        raise CommandError(_why(error)) from error
    except OSError as error:
        raise CommandError(f"The API does not answer ({type(error).__name__}).") from error


def _inputs(text: str) -> Any:
    try:
        if text == "-":
            return json.load(sys.stdin)
        return json.loads(Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text)
    except (OSError, ValueError) as error:
        raise CommandError(f"--inputs cannot be read: {error}") from error


def _why(error: urllib.error.HTTPError) -> str:
    try:
        problem = json.load(error)
    except ValueError:
        return f"The API answered {error.code}."
    return f"{problem.get('reason_code')}: {problem.get('detail')} {problem.get('next_action', '')}".strip()
