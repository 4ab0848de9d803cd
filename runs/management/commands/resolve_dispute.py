"""manage.py resolve_dispute RUN_ID --charge 0.0500 --reason "result was delivered by mail" """

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from dpp_project.money import ZERO, InvalidMoney, Micros, format_usd, parse_usd
from runs.exceptions import LostRace
from runs.lifecycle.disputes import NotDisputed, resolve
from runs.management.output import OurCommand
from runs.models import Run


class Command(OurCommand):
    help = "End a disputed run by a person's decision: charge an amount, or refund all of it."
    examples = (
        'manage.py resolve_dispute 5f0c… --charge 0.0500 --reason "result was delivered"\n'
        '  manage.py resolve_dispute 5f0c… --refund --reason "object lost"'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run_id", type=UUID)
        decision = parser.add_mutually_exclusive_group(required=True)
        decision.add_argument("--charge", help='decimal USD, "0.0500"')
        decision.add_argument("--refund", action="store_true")
        parser.add_argument("--reason", required=True, help="why, for the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        run = Run.objects.filter(pk=options["run_id"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run_id']}.")
        try:
            charge = None if options["refund"] else parse_usd(options["charge"])
            if charge is not None and charge > run.reservation_max_cost_usd_micros:
                raise CommandError("The charge is above the reservation.")
            resolve(run, charge=charge, reason=options["reason"])
        except (InvalidMoney, NotDisputed, LostRace) as error:
            raise CommandError(str(error)) from error
        charged = format_usd(Micros(run.actual_cost_usd_micros or ZERO))
        self.show(
            options,
            {"run_id": run.pk, "status": run.status, "money_state": run.money_state, "charged_usd": charged},
            f"{run.pk}: {run.status}/{run.money_state}, {charged} USD charged.",
        )
