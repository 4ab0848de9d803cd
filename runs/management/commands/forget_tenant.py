"""manage.py forget_tenant acme --confirm acme"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from dpp_project.money import format_usd
from runs.jobs.forget_tenant import forget_tenant
from runs.management.output import OurCommand
from runs.models import Tenant


class Command(OurCommand):
    help = (
        "Delete what a customer gave us and what we made of it: keys, webhooks, files, inputs, results, tags. The "
        "journal and the runs' ids and amounts stay (docs/operations.md). Cannot be undone; repeat it until it says "
        "that nothing is left."
    )
    examples = "manage.py forget_tenant acme --confirm acme"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant_id")
        parser.add_argument("--confirm", required=True, metavar="TENANT_ID", help="the same id once more")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(pk=options["tenant_id"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant_id']}.")
        if options["confirm"] != tenant.pk:
            raise CommandError("--confirm must repeat the tenant's id. Nothing was done.")
        done = forget_tenant(tenant)
        balance = format_usd(done.balance)
        left = "Nothing is left."
        if done.runs_left:
            left = f"{done.runs_left} runs are left: repeat this once they have ended."
        self.show(
            options,
            {"tenant_id": tenant.pk, **vars(done), "balance": balance},
            f"{tenant.pk}: {done.runs_deleted} runs, {done.uploads_deleted} files and {done.webhooks_deleted} webhooks "
            f"deleted, {done.keys_revoked} keys revoked. {left} The books owe it {balance} USD.",
        )
