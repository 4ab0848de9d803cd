"""manage.py assign_plan acme large"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.access import plans
from runs.access.plans import UnknownPlan
from runs.models import Tenant


class Command(BaseCommand):
    help = "Put a tenant on a plan; `default` is the profile. Works within 5 seconds; safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant_id")
        parser.add_argument("plan")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(pk=options["tenant_id"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant_id']}.")
        try:
            plans.assign(tenant, options["plan"])
        except UnknownPlan as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{tenant.pk} is on the plan {options['plan']}.")
