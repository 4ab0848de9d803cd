"""manage.py enrol_second_factor admin"""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from runs.management.output import OurCommand


class Command(OurCommand):
    help = (
        "Make a person's second factor for the admin, in the place of any other. Scan or type the address into an "
        "authenticator; it is shown now and never again."
    )
    examples = "manage.py enrol_second_factor admin"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        from runs.admin import second_factor  # the admin's modules are slow to load, and only this command needs them

        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no person {options['username']!r}.")
        device = second_factor.enrol(user)
        result = {"username": user.username, "otpauth_url": device.config_url}
        self.show(options, result, f"For the authenticator of {user.username}, shown only now:\n{device.config_url}")
