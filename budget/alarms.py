"""Something that must not happen with money, happened: a metric that pages somebody and a line that says what."""

import logging
from uuid import UUID

from dpp_project.logging import fields
from dpp_project.metrics import LEDGER_ALARMS, LedgerAlarm

log = logging.getLogger("dpp.budget")


def alarm(event: LedgerAlarm, tenant_id: str, run_id: UUID | None = None, **detail: int | str) -> None:
    LEDGER_ALARMS.labels(event=event).inc()
    log.error(event, extra=fields(tenant_id=tenant_id, run_id=run_id, **detail))
