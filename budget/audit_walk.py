"""What the walks of the standing audit share: a snapshot to read in, and the place where a walk goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from budget.models import AuditPosition


@contextmanager
def snapshot() -> Iterator[None]:
    """One view of the database for a step: an entry and its balance row are both seen, or neither."""
    assert not connection.in_atomic_block, "the snapshot must be the audit's own"
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def position(name: str, start: dict[str, Any]) -> dict[str, Any]:
    """Where the walk stands. What cannot be a position begins anew."""
    try:
        known: Any = AuditPosition.objects.filter(pk=name).values_list("position", flat=True).first()
    except (RecursionError, ValueError):
        return start
    same = isinstance(known, dict) and {n: type(v) for n, v in known.items()} == {n: type(v) for n, v in start.items()}
    return known if same else start


def go_on(name: str, place: dict[str, Any]) -> None:
    # Without a look at what stood there, which may be unreadable.
    AuditPosition.objects.bulk_create(
        [AuditPosition(name=name, position=place)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["position"],
    )
