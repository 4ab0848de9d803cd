"""manage.py set_plan large --retention-days 90 --alert-below-usd 25"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from dpp_project.money import InvalidMoney, Micros, format_usd, parse_usd
from runs.access import plans


class Command(BaseCommand):
    help = (
        "Make a plan, or change what is given of one. What a plan does not say is the profile's. Limits work within "
        "5 seconds; runs that were accepted before keep their retention."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--polls-per-min", type=int, dest="poll_rate_per_min")
        parser.add_argument("--submits-per-min", type=int, dest="submit_rate_per_min")
        parser.add_argument("--live-runs", type=int, dest="max_concurrent_runs", help="live runs at once")
        parser.add_argument("--retention-days", type=int, help="1 to 365")
        parser.add_argument("--alert-below-usd", help="a balance below this is low; 0: never")
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def handle(self, *args: Any, **options: Any) -> None:
        numbers = {
            name: options[name]
            for name in ("poll_rate_per_min", "submit_rate_per_min", "max_concurrent_runs", "retention_days")
            if options[name] is not None
        }
        if options["alert_below_usd"] is not None:
            numbers["budget_alert_usd_micros"] = _amount(options["alert_below_usd"])
        try:
            terms = plans.set_plan(options["name"], numbers)
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        if options["json"]:
            shown = {**vars(terms), "budget_alert": format_usd(terms.budget_alert)}
            self.stdout.write(json.dumps(shown))
            return
        self.stdout.write(
            f"Plan {terms.name}: {terms.poll_rate_per_min} polls and {terms.submit_rate_per_min} submits a minute, "
            f"{terms.max_concurrent_runs} live runs, results kept {terms.retention_days} days, "
            f"balance low below {format_usd(terms.budget_alert)} USD."
        )


def _amount(text: str) -> Micros:
    try:
        return parse_usd(text)
    except InvalidMoney as error:
        raise CommandError(f"{text!r} is no amount such as 25.0000.") from error
