"""A run's row by a prepared statement: for the poll and the worker, where the ORM takes longer than the database."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import models

from runs.models import Run

_NAMES = [field.attname for field in Run._meta.concrete_fields]
# Django keeps them as text until a field reads them.
_JSON = [number for number, field in enumerate(Run._meta.concrete_fields) if isinstance(field, models.JSONField)]

COLUMNS = ", ".join(f"runs.{name}" for name in _NAMES)


def run_of(row: Sequence[Any]) -> Run:
    """From a row that begins with `COLUMNS`."""
    values = list(row[: len(_NAMES)])
    for number in _JSON:
        if isinstance(values[number], str):
            values[number] = json.loads(values[number])
    return Run.from_db(None, _NAMES, values)


def extra_columns(row: Sequence[Any]) -> Sequence[Any]:
    """What the row has after `COLUMNS`."""
    return row[len(_NAMES) :]
