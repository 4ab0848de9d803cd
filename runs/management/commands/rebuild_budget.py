"""manage.py rebuild_budget acme"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from budget.exceptions import LedgerUnavailable
from budget.models import TenantBalance
from budget.rebuild import rebuild
from dpp_project.money import ZERO, format_usd
from runs.management.output import OurCommand


class Command(OurCommand):
    help = "Write the books' view of a tenant, or of all, into Redis. Exact at any moment, safe to repeat."
    examples = "manage.py rebuild_budget acme\n  manage.py rebuild_budget --all --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant_id", nargs="*")
        parser.add_argument("--all", action="store_true", help="every tenant")

    def handle(self, *args: Any, **options: Any) -> None:
        known = TenantBalance.objects.order_by("tenant_id").values_list("tenant_id", flat=True)
        if options["all"] == bool(options["tenant_id"]):
            raise CommandError("Name tenants, or say --all.")
        for tenant_id in known if options["all"] else options["tenant_id"]:
            if tenant_id not in known:
                raise CommandError(f"There is no tenant {tenant_id!r}.")
            try:
                rebuilt = rebuild(tenant_id)
            except LedgerUnavailable as error:
                raise CommandError(f"{error}: is Redis up?") from error
            before = "unknown" if rebuilt.before is None else format_usd(rebuilt.before)
            self.show(
                options,
                {"tenant_id": tenant_id, "before_usd_micros": rebuilt.before, "after_usd_micros": rebuilt.after},
                f"{tenant_id}: {before} -> {format_usd(rebuilt.after or ZERO)} USD, "
                f"{rebuilt.holds_restored} holds restored, {rebuilt.holds_closed} closed.",
            )
