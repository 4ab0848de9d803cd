"""A tenant's statement of a month, from the journal: every entry, the balances between, and the chain's hashes.

Whoever has it can check it without us: each hash follows from the entry and the hash before it, and the head is signed.
Long months come in pages; the chain runs through them.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from dpp_project.money import Micros

MAX_ENTRIES = 10_000
_MONTH = re.compile(r"2[0-9]{3}-[0-9]{2}", re.ASCII)

# One statement, hence one snapshot: balance and entries fit together at any moment.
_ENTRIES = """
    WITH month AS (
        SELECT entry.*, runs.pack_type
        FROM ledger_entries AS entry LEFT JOIN runs USING (run_id)
        WHERE entry.tenant_id = %(tenant_id)s AND entry.created_at >= %(begins)s AND entry.created_at < %(ends)s
          AND entry.sequence > %(after)s
        ORDER BY entry.sequence LIMIT %(most)s + 1
    )
    SELECT (SELECT coalesce(sum(amount_usd_micros), 0) FROM ledger_entries
            WHERE tenant_id = %(tenant_id)s AND created_at < %(ends)s
              AND (created_at < %(begins)s OR sequence <= %(after)s)),
           sequence, created_at, kind, amount_usd_micros, run_id, pack_type, reference, note, previous_hash, entry_hash
    FROM (SELECT 1) AS always LEFT JOIN month ON true
    ORDER BY sequence
"""


@dataclass(frozen=True)
class StatementEntry:
    sequence: int
    created_at: datetime
    kind: str
    amount: Micros
    """Its effect on what can be spent."""
    balance: Micros
    """After it."""
    run_id: UUID | None
    pack_type: str | None
    reference: str | None
    note: str
    previous_hash: str
    entry_hash: str


@dataclass(frozen=True)
class Statement:
    tenant_id: str
    month: str
    opening: Micros
    entries: tuple[StatementEntry, ...]
    next_after: int | None
    """The number of the last entry here, if the month has more."""

    @property
    def closing(self) -> Micros:
        return self.entries[-1].balance if self.entries else self.opening


def statement(tenant_id: str, month: datetime, *, after: int = 0, limit: int = MAX_ENTRIES) -> Statement:
    """`month` is its first moment, in UTC."""
    ends = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, {"tenant_id": tenant_id, "begins": month, "ends": ends, "after": after, "most": limit})
        rows = cursor.fetchall()
    opening = balance = Micros(int(rows[0][0]))
    entries = []
    for row in rows[:limit]:
        if row[1] is not None:
            balance = Micros(balance + row[4])
            entries.append(_entry(row, balance))
    return Statement(
        tenant_id, f"{month:%Y-%m}", opening, tuple(entries), entries[-1].sequence if len(rows) > limit else None
    )


def first_moment(month: str) -> datetime:
    """Of `2026-11`. Raises `ValueError` for what is no month of this millennium: there are no other entries."""
    if not _MONTH.fullmatch(month):
        raise ValueError(month)
    return datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)


def _entry(row: tuple[Any, ...], balance: Micros) -> StatementEntry:
    _, sequence, created_at, kind, amount, run_id, pack_type, reference, note, previous, own = row
    return StatementEntry(
        *(sequence, created_at, kind, Micros(amount), balance, run_id, pack_type, reference, note),
        bytes(previous).hex(),
        bytes(own).hex(),
    )
