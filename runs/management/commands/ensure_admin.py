"""manage.py ensure_admin --username admin --password-file PATH"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Create the admin user, or set its password to the one in the file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--username", default="admin")
        parser.add_argument("--password-file", required=True, type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            password = options["password_file"].read_text(encoding="utf-8").strip()
        except OSError as error:
            raise CommandError(f"The password file cannot be read: {error}") from error
        if not password:
            raise CommandError("The password file is empty.")
        users = get_user_model().objects
        user, created = users.get_or_create(
            username=options["username"], defaults={"is_staff": True, "is_superuser": True}
        )
        if not user.check_password(password):
            user.set_password(password)
            user.save()
        self.stdout.write(f"Admin user {options['username']} {'created' if created else 'is there'}.")
