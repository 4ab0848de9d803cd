"""manage.py setup_database"""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection

from dpp_project.postgresql.roles import as_owner, prepare_serving_role


class Command(BaseCommand):
    help = (
        "Migrate as the owner of the tables (DATABASE_OWNER_URL), then grant the serving role (DATABASE_URL) what it "
        "needs and no more; it is made if it is missing. Safe to repeat. Without DATABASE_OWNER_URL it only migrates."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        serving = connection.settings_dict["USER"], connection.settings_dict["PASSWORD"]
        with as_owner():
            call_command("migrate", interactive=False, verbosity=options["verbosity"])
            if settings.DATABASE_OWNER is None:
                self.stdout.write("Migrated. One role owns and serves: DATABASE_OWNER_URL is not set.")
                return
            appended = prepare_serving_role(*serving)
        self.stdout.write(f"Migrated. The role {serving[0]} serves; it can only append to {', '.join(appended)}.")
