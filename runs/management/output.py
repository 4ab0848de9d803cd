"""What all commands of ours have in common: `--json`, examples in `--help`, a failing exit code with one clear line."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand


class OurCommand(BaseCommand):
    """A command parses, calls one function, prints."""

    examples = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        epilog = f"examples:\n  {self.examples.strip()}" if self.examples else None
        return super().create_parser(
            prog_name, subcommand, epilog=epilog, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def show(self, options: dict[str, Any], result: dict[str, Any], sentence: str) -> None:
        self.stdout.write(json.dumps(result, default=str) if options["json"] else sentence)
