"""A tenant's runs, newest first, page by page. A cursor names the last run seen: new ones never shift a page."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from runs.models import Run, Tenant
from runs.states import Status

DEFAULT_LIMIT = 20
MAX_LIMIT = 100


class BadCursor(ValueError):
    """The text is not a cursor we gave."""


@dataclass(frozen=True)
class Cursor:
    created_at: datetime
    run_id: UUID

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        try:
            raw = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True).decode("ascii")
            created_at, _, run_id = raw.partition("|")
            cursor = cls(datetime.fromisoformat(created_at), UUID(run_id))
        except (ValueError, binascii.Error) as error:
            raise BadCursor(text) from error
        if cursor.created_at.tzinfo != UTC or str(cursor) != text:
            raise BadCursor(text)
        return cursor

    def __str__(self) -> str:
        created_at = self.created_at.astimezone(UTC).isoformat()
        return base64.urlsafe_b64encode(f"{created_at}|{self.run_id}".encode()).decode()


@dataclass(frozen=True)
class Filters:
    status: Status | None = None
    pack_type: str | None = None
    tag: tuple[str, str] | None = None
    """A name and its text."""
    created_after: datetime | None = None
    created_before: datetime | None = None


@dataclass(frozen=True)
class Page:
    runs: list[Run]
    next_cursor: Cursor | None


def page(tenant: Tenant, filters: Filters, *, after: Cursor | None, limit: int, now: datetime) -> Page:
    """At most `limit` runs after the cursor. One query, along the index (tenant, created_at desc)."""
    runs = _filtered(Run.objects.filter(tenant=tenant), filters, now)
    if after is not None:
        # The first condition is implied by the second; it is what the index can use.
        runs = runs.filter(created_at__lte=after.created_at).filter(
            Q(created_at__lt=after.created_at) | Q(run_id__lt=after.run_id)
        )
    found = list(runs.order_by("-created_at", "-run_id")[: limit + 1])
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], Cursor(last.created_at, last.pk))


def _filtered(runs: QuerySet[Run], filters: Filters, now: datetime) -> QuerySet[Run]:
    # A run past its retention counts as expired before the retention job has come to it, as for GET of the run.
    if filters.status == Status.EXPIRED:
        runs = runs.filter(Q(status=Status.EXPIRED) | Q(retention_until__lte=now))
    elif filters.status is not None:
        runs = runs.filter(status=filters.status, retention_until__gt=now)
    if filters.pack_type is not None:
        runs = runs.filter(pack_type=filters.pack_type)
    if filters.tag is not None:
        runs = runs.filter(tags__contains=dict([filters.tag]))
    if filters.created_after is not None:
        runs = runs.filter(created_at__gt=filters.created_after)
    if filters.created_before is not None:
        runs = runs.filter(created_at__lt=filters.created_before)
    return runs
