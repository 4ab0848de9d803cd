"""The rows of all watched runs, read again at each keep-alive: what was committed but never told comes out here."""

import logging
from collections.abc import Sequence
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection

from dpp_project.dependency import begin_request
from dpp_project.logging import fields
from runs.events.event import Event, of_row
from runs.models import Run

log = logging.getLogger("dpp.events")

# One query for so many runs: a process with thousands of listeners asks a handful of times, not thousands.
BATCH = 500


def read(run_ids: Sequence[UUID]) -> list[Event]:
    """What the rows say. Runs in a thread; gives its connection back."""
    begin_request()
    try:
        rows = list(Run.objects.filter(pk__in=run_ids))
    except (DatabaseError, InterfaceError) as error:
        log.warning("event_rows_unread", extra=fields(runs=len(run_ids), error=type(error).__name__))
        return []
    finally:
        connection.close()
    return [event for run in rows if (event := of_row(run, at=run.updated_at))]
