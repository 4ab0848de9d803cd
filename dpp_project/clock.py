"""The database's clock: leases are given and judged by it alone, since the clocks of workers differ."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now


def db_now_plus(delta: timedelta) -> ExpressionWrapper[CombinedExpression]:
    return ExpressionWrapper(Now() + Value(delta), output_field=DateTimeField())
