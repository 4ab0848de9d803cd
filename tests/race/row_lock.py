"""Somebody else holds a lock on rows, and this connection does not wait long for it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from runs.models import Run


@contextmanager
def row_locked(run: Run) -> Iterator[None]:
    with rows_locked(Run.objects.filter(pk=run.pk)):
        yield


@contextmanager
def rows_locked(rows: QuerySet[Any]) -> Iterator[None]:
    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(rows.select_for_update())
            locked.set()
            release.wait(20)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    locked.wait()
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")
    try:
        yield
    finally:
        release.set()
        holder.join()
        with connection.cursor() as cursor:
            # The connection goes back to the pool: the next test waits as long as everybody.
            cursor.execute("RESET lock_timeout")
