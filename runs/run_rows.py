"""A run's row by a prepared statement: for the poll and the worker, where the ORM takes longer than the database."""

from collections.abc import Sequence
from typing import Any

from runs.models import Run

_NAMES = [field.attname for field in Run._meta.concrete_fields]

COLUMNS = ", ".join(f"runs.{name}" for name in _NAMES)


def run_of(row: Sequence[Any]) -> Run:
    """From a row that begins with `COLUMNS`."""
    return Run.from_db(None, _NAMES, row[: len(_NAMES)])


def extra_columns(row: Sequence[Any]) -> Sequence[Any]:
    """What the row has after `COLUMNS`."""
    return row[len(_NAMES) :]
