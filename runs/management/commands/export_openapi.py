"""manage.py export_openapi"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from runs.api.error_page import error_page
from runs.api.openapi.document import openapi_bytes


class Command(BaseCommand):
    help = "Write openapi.json and docs/errors.md anew from the code."

    requires_system_checks: list[str] = []  # it reads code alone: no service need answer

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="machine-readable output")
        parser.add_argument("--into", type=Path, default=settings.BASE_DIR, help="root of the files (this clone)")

    def handle(self, *args: Any, **options: Any) -> None:
        openapi, errors = options["into"] / "openapi.json", options["into"] / "docs" / "errors.md"
        errors.parent.mkdir(parents=True, exist_ok=True)
        changed = [path for path, body in ((openapi, openapi_bytes()), (errors, error_page())) if _write(path, body)]
        names = [str(path.relative_to(options["into"])) for path in changed]
        if options["json"]:
            self.stdout.write(json.dumps({"changed": names}))
            return
        self.stdout.write(f"Wrote {' and '.join(names)}." if names else "Nothing changed.")


def _write(path: Path, body: bytes) -> bool:
    if path.exists() and path.read_bytes() == body:
        return False
    path.write_bytes(body)
    return True
