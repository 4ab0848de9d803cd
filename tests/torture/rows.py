"""All rows, in the order of the catalogue."""

from tests.torture import (
    crash_points,
    money,
    other_endings,
    postgres_faults,
    queue_faults,
    redis_faults,
    stopped_faults,
    storage_faults,
    webhook_faults,
    worker_faults,
)
from tests.torture.table import ROWS, Row

_ORDER = ("Crash points", "Money", "Redis", "PostgreSQL", "SQS", "Worker and clock", "S3", "Webhooks")

# Importing a module adds its rows.
_MODULES = (
    crash_points,
    other_endings,
    money,
    redis_faults,
    postgres_faults,
    queue_faults,
    worker_faults,
    storage_faults,
    stopped_faults,
    webhook_faults,
)

ALL: list[Row] = sorted(ROWS, key=lambda row: _ORDER.index(row.section))
