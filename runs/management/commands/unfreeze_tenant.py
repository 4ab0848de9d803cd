"""manage.py unfreeze_tenant TENANT_ID --follow-journal --reason "row edited by hand, restored" """

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from budget import books, journal
from budget.exceptions import LedgerError
from dpp_project.money import format_usd
from runs.access import key_budgets
from runs.management.output import OurCommand


class Command(OurCommand):
    help = "Settle the findings of a tenant whose books disagree, once a person knows why; it may then spend again."
    examples = 'manage.py unfreeze_tenant acme --follow-journal --reason "balance row was edited by hand"'

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant_id")
        parser.add_argument(
            "--follow-journal",
            action="store_true",
            help="set the balance row to the journal's sum, and the budgets of keys to what their runs say",
        )
        parser.add_argument("--reason", required=True, help="why, for the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant_id = options["tenant_id"]
        try:
            settled = books.settle(
                tenant_id, by="manage.py", why=options["reason"], follow_journal=options["follow_journal"]
            )
        except LedgerError as error:
            raise CommandError(str(error)) from error
        if options["follow_journal"]:
            key_budgets.recount(tenant_id)
        balance = format_usd(journal.available(tenant_id))
        self.show(
            options,
            {"tenant_id": tenant_id, "findings_settled": settled, "balance_usd": balance},
            f"{tenant_id}: {settled} findings settled, {balance} USD available. It may spend again.",
        )
