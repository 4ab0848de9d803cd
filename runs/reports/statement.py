"""A tenant's statement of a month, from the journal: every entry, the balances between, and the chain's hashes.

Whoever has it can check it without us: each hash follows from the entry and the hash before it, and the head is signed.
Long months come in pages; the chain runs through them.
"""

import json
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
    WITH entry AS (
        SELECT *{running} FROM ledger_entries
        WHERE tenant_id = %(tenant_id)s AND created_at >= %(begins)s AND created_at < %(ends)s
          AND sequence > %(after)s
    ), listed AS (
        SELECT entry.*, runs.pack_type, runs.api_key_id, runs.tags
        FROM entry LEFT JOIN runs USING (run_id)
        WHERE {condition}
        ORDER BY entry.sequence LIMIT %(most)s + 1
    )
    SELECT (SELECT coalesce(sum(amount_usd_micros), 0) FROM ledger_entries
            WHERE tenant_id = %(tenant_id)s AND created_at < %(ends)s
              AND (created_at < %(begins)s OR sequence <= %(after)s)),
           sequence, created_at, kind, amount_usd_micros, run_id, pack_type, api_key_id, tags, reference, note,
           previous_hash, entry_hash, {balance}
    FROM (SELECT 1) AS always LEFT JOIN listed ON true
    ORDER BY sequence
"""
_WHOLE = _ENTRIES.format(running="", condition="true", balance="NULL")
# What the balance was after an entry follows from those that are not listed, too.
_FILTERED = _ENTRIES.format(
    running=", sum(amount_usd_micros) OVER (ORDER BY sequence) AS moved",
    condition="(%(tag)s::jsonb IS NULL OR runs.tags @> %(tag)s::jsonb)"
    " AND (%(key_id)s::uuid IS NULL OR runs.api_key_id = %(key_id)s::uuid)",
    balance="moved",
)


@dataclass(frozen=True)
class Filter:
    """Only entries of runs with this tag, of runs of this key; None: of all."""

    tag: tuple[str, str] | None = None
    key_id: UUID | None = None

    def __bool__(self) -> bool:
        return self.tag is not None or self.key_id is not None


EVERY_ENTRY = Filter()


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
    api_key_id: UUID | None
    """With which the run was submitted."""
    tags: dict[str, str] | None
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

    @property
    def listed(self) -> Micros:
        """The effects of the entries here, together."""
        return Micros(sum(entry.amount for entry in self.entries))


def statement(
    tenant_id: str, month: datetime, *, after: int = 0, limit: int = MAX_ENTRIES, only: Filter = EVERY_ENTRY
) -> Statement:
    """`month` is its first moment, in UTC."""
    ends = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"tenant_id": tenant_id, "begins": month, "ends": ends, "after": after, "most": limit}
        if only:
            tag = None if only.tag is None else json.dumps(dict([only.tag]))
            cursor.execute(_FILTERED, {**values, "tag": tag, "key_id": only.key_id})
        else:
            cursor.execute(_WHOLE, values)
        rows = cursor.fetchall()
    opening = balance = Micros(int(rows[0][0]))
    entries = []
    for row in rows[:limit]:
        if row[1] is not None:
            balance = Micros(balance + row[4] if row[-1] is None else opening + int(row[-1]))
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
    _, sequence, created_at, kind, amount, run_id, pack_type, api_key_id, tags, reference, note, previous, own, _ = row
    tags = json.loads(tags) if isinstance(tags, str) else tags
    return StatementEntry(
        *(sequence, created_at, kind, Micros(amount), balance, run_id, pack_type, api_key_id, tags, reference, note),
        bytes(previous).hex(),
        bytes(own).hex(),
    )
