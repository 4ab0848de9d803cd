"""manage.py audit_ledger [--repair] [--json]"""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from budget.exceptions import LedgerError
from runs.reports.invariants import Report, audit_ledger


class Command(BaseCommand):
    help = "Check the invariants I1-I8 of runs and money on the live system. Exit code 1 on a violation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="rebuild tenants whose money in Redis differs")
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = audit_ledger(repair=options["repair"])
        except LedgerError as error:
            raise CommandError(f"The ledger could not be repaired: {error}") from error
        if options["json"]:
            self.stdout.write(json.dumps({"ok": report.is_clean, **asdict(report)}))
        else:
            self._show_report(report)
        if not report.is_clean:
            raise SystemExit(1)

    def _show_report(self, report: Report) -> None:
        for finding in report.findings:
            verdict = f"{finding.violations} VIOLATED" if finding.violations else "ok"
            self.stdout.write(f"{finding.invariant}  {verdict:<12} {finding.checked} {finding.unit}: {finding.promise}")
            for example in finding.examples:
                self.stdout.write(f"      {example}")
        if report.forgotten:
            self.stdout.write(f"Not in Redis at present, rebuilt with the next call: {', '.join(report.forgotten)}")
        if report.repaired:
            self.stdout.write(f"Rebuilt in Redis: {', '.join(report.repaired)}")
