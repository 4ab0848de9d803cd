"""manage.py warm_documents hot.txt"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from runs.documents.warm import MAX_DOCUMENTS, warm
from runs.management.output import OurCommand
from runs.worker.pack_services import pack_services


class Command(OurCommand):
    help = (
        "Download documents of the platform's own list and keep them for every tenant, for six hours. Runs then read "
        "them without a download and without the database. Repeat it as often as the copies should be renewed."
    )
    examples = "manage.py warm_documents hot.txt\n  manage.py warm_documents hot.txt --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("list", help=f"a file with one URL per line, at most {MAX_DOCUMENTS}; # begins a comment")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = Path(options["list"]).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['list']} cannot be read: {error}") from error
        urls = list(dict.fromkeys(line.strip() for line in lines if line.strip() and not line.strip().startswith("#")))
        if not 0 < len(urls) <= MAX_DOCUMENTS:
            raise CommandError(f"The list has {len(urls)} URLs; between 1 and {MAX_DOCUMENTS} are warmed.")
        warmed = warm(pack_services()["documents"], urls)
        kept = [each for each in warmed if each.problem is None]
        result = {
            "kept": len(kept),
            "documents": [{"url": each.url, "bytes": each.size, "problem": each.problem} for each in warmed],
        }
        problems = [f"{each.url}: {each.problem}" for each in warmed if each.problem is not None]
        self.show(options, result, "\n".join([*problems, f"{len(kept)} of {len(warmed)} documents are warm."]))
        if problems:
            raise CommandError(f"{len(problems)} of {len(warmed)} documents were not kept.")
