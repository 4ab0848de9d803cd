"""manage.py topup acme 25.0000 --reference invoice-4711"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from budget import journal, ledger
from budget.exceptions import LedgerError
from dpp_project.money import InvalidMoney, format_usd, parse_usd
from runs.management.output import OurCommand
from runs.models import Tenant


class Command(OurCommand):
    help = "Credit a tenant. The reference is credited once, however often the command is repeated."
    examples = 'manage.py topup acme 25.0000 --reference invoice-4711 --note "bank transfer"'

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant_id")
        parser.add_argument("amount", help='decimal USD with at most 4 places, "25.0000"')
        parser.add_argument("--reference", required=True, help="what this credit is for; credited once")
        parser.add_argument("--note", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant_id, reference = options["tenant_id"], options["reference"]
        if not Tenant.objects.filter(pk=tenant_id).exists():
            raise CommandError(f"There is no tenant {tenant_id!r}; `manage.py seed_tenant` creates one.")
        try:
            credited = ledger.top_up(tenant_id, parse_usd(options["amount"]), reference=reference, note=options["note"])
        except (InvalidMoney, LedgerError, ValueError) as error:
            raise CommandError(str(error)) from error
        balance = format_usd(journal.available(tenant_id))
        done = "credited" if credited else f"nothing: reference {reference!r} had been credited before"
        self.show(
            options,
            {"tenant_id": tenant_id, "credited": credited, "balance_usd": balance},
            f"{tenant_id}: {done}; {balance} USD available.",
        )
