"""manage.py seed_tenant acme --budget 5.0000 --json"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from dpp_project.money import InvalidMoney, format_usd, parse_usd
from runs.access import tenants
from runs.management.output import OurCommand


class Command(OurCommand):
    help = "Create a tenant, or top an existing one up to a budget, and issue an API key (shown once)."
    examples = "manage.py seed_tenant acme --budget 5.0000\n  manage.py seed_tenant acme --budget 5.0000 --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant_id")
        parser.add_argument("--budget", default="5.0000", help='decimal USD with at most 4 places, "5.0000"')
        parser.add_argument("--no-key", action="store_true", help="do not issue a key")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            budget = parse_usd(options["budget"])
            seeded = tenants.seed(options["tenant_id"], budget=budget, with_key=not options["no_key"])
        except (InvalidMoney, tenants.BadTenantId) as error:
            raise CommandError(str(error)) from error
        result = {
            "tenant_id": seeded.tenant.pk,
            "api_key": seeded.api_key,
            "balance_usd": format_usd(seeded.balance),
        }
        sentence = f"Tenant {result['tenant_id']} has {result['balance_usd']} USD available."
        if seeded.api_key:
            sentence += f"\nAPI key, shown only now: {seeded.api_key}"
        self.show(options, result, sentence)
