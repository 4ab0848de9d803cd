"""manage.py revoke_key dpp_sk_XXXXXXXX"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.access import api_keys


class Command(BaseCommand):
    help = "Revoke an API key. All processes refuse it within 5 seconds. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="key_id or prefix (dpp_sk_XXXXXXXX), as the admin and issue_key show it")
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def handle(self, *args: Any, **options: Any) -> None:
        key = api_keys.named(options["key"])
        if key is None:
            raise CommandError(f"There is no key {api_keys.prefix_of(options['key'])}.")
        revoked = api_keys.revoke(key)
        if options["json"]:
            self.stdout.write(json.dumps({"key_id": str(key.pk), "tenant_id": key.tenant_id, "revoked_now": revoked}))
        else:
            state = "is revoked" if revoked else "was revoked before"
            self.stdout.write(f"The key {key} of {key.tenant_id} {state}.")
