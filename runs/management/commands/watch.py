"""manage.py watch RUN_ID"""

from argparse import ArgumentParser
from typing import Any

from runs.management.output import OurCommand
from runs.management.watch import add_watch_arguments, watch


class Command(OurCommand):
    help = "Follow a run to its end, with a progress bar in a terminal and one line per event otherwise."
    examples = "manage.py watch 0b0f…\n  manage.py watch 0b0f… --from-start --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run_id")
        parser.add_argument("--from-start", action="store_true", help="also what happened before, as far as it is kept")
        add_watch_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        last_seq = 0 if options["from_start"] else None
        watch(options["run_id"], {**options, "last_seq": last_seq}, self.stdout)  # type: ignore[arg-type]
