"""Walk the journal in bounded steps: every link of every tenant's chain, its sum, and the balance row beside it.

Three walks. `new_entries` follows what is written, from each tenant's checkpoint on: it costs what has happened.
`balances` compares the rows of tenants with the sum of their journals, from the checkpoint on. `history` reads the
whole journal again, entry by entry. Each step reads one snapshot, writes nothing but checkpoints and its position, and
is safe beside another. What is found is reported before the walk goes on: a process that dies in between finds it
again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from budget.audit_walk import go_on, position, snapshot
from budget.books import Disagreement
from budget.models import LedgerEntry

_NEW_BATCH = 20_000
_BALANCES_BATCH = 5_000
_HISTORY_BATCH = 20_000


Report = Callable[[Disagreement], object]


@dataclass(frozen=True)
class Step:
    checked: int
    at_end: bool
    """Whether the walk has come to its end, and begins anew with the next step."""


# Journal entries and their chain from a checkpoint on. `before_*` is what stands before the first entry read.
_LINKS = """
    SELECT entry.tenant_id, entry.sequence, entry.entry_hash, entry.run_id, entry.kind,
           entry.entry_hash = dpp_entry_hash(entry.previous_hash, entry.tenant_id, entry.sequence, entry.run_id,
               entry.kind, entry.amount_usd_micros, entry.reference, entry.note, entry.created_at) AS intact,
           entry.sequence = lag(entry.sequence, 1, before_sequence) OVER chain + 1
               AND entry.previous_hash = lag(entry.entry_hash, 1, before_hash) OVER chain AS follows,
           before_total + sum(entry.amount_usd_micros) OVER chain AS running
"""

_NEW = f"""
    WITH touched AS (
        SELECT tenant_id, max(sequence) AS upto, bool_and(sequence > 0) AS numbered FROM ledger_entries
        WHERE id > %(after)s AND id <= %(upto)s GROUP BY tenant_id
    ), verified AS (
        SELECT touched.*, coalesce(checkpoint.sequence, 0) AS before_sequence,
               coalesce(checkpoint.entry_hash, '') AS before_hash, coalesce(total_usd_micros, 0) AS before_total
        FROM touched LEFT JOIN ledger_checkpoints AS checkpoint USING (tenant_id)
    ), links AS (
        {_LINKS}
        FROM verified JOIN ledger_entries AS entry ON entry.tenant_id = verified.tenant_id
            AND entry.sequence > before_sequence AND entry.sequence <= verified.upto
        WINDOW chain AS (PARTITION BY entry.tenant_id ORDER BY entry.sequence)
    ), tails AS (
        SELECT tenant_id, count(*) AS entries, max(sequence) AS sequence,
               (array_agg(entry_hash ORDER BY sequence DESC))[1] AS entry_hash,
               (array_agg(running ORDER BY sequence DESC))[1] AS total,
               min(sequence) FILTER (WHERE NOT intact) AS damaged, min(sequence) FILTER (WHERE NOT follows) AS unlinked,
               min(sequence) FILTER (WHERE running < 0) AS overdrawn
        FROM links GROUP BY tenant_id
    )
    SELECT verified.tenant_id, numbered, coalesce(entries, 0), sequence, entry_hash, total, damaged, unlinked,
           overdrawn,
           CASE WHEN EXISTS (SELECT FROM ledger_entries AS later WHERE later.tenant_id = verified.tenant_id
                             AND later.sequence > greatest(upto, before_sequence)) THEN NULL
                ELSE available_usd_micros - coalesce(total, before_total) END
    FROM verified LEFT JOIN tails USING (tenant_id) LEFT JOIN tenant_balances USING (tenant_id)
"""  # noqa: S608 (our own text)

_ADVANCE = """
    INSERT INTO ledger_checkpoints (tenant_id, sequence, entry_hash, total_usd_micros)
    SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bytea[], %s::bigint[])
    ON CONFLICT (tenant_id) DO UPDATE SET sequence = excluded.sequence, entry_hash = excluded.entry_hash,
        total_usd_micros = excluded.total_usd_micros
    WHERE excluded.sequence > ledger_checkpoints.sequence
"""


def new_entries(report: Report) -> Step:
    """The chains that have grown, and the balance rows of their tenants.

    An id is given before its entry is committed. Entries that came late behind a position are seen by beginning each
    pass where the one before it began; and a tenant's next entry covers all of its chain from the checkpoint on.
    """
    place = position("journal", {"from": 0, "to": 0})
    last = LedgerEntry.objects.order_by("-id").values_list("id", flat=True).first() or 0
    upto = min(place["to"] + _NEW_BATCH, last)
    with snapshot():
        rows = _rows(_NEW, {"after": place["from"], "upto": upto})
    verified = []
    for tenant_id, numbered, _, sequence, entry_hash, total, damaged, unlinked, overdrawn, apart in rows:
        if not numbered:
            report(_inserted(tenant_id))
        _report_links(report, tenant_id, damaged, unlinked, overdrawn)
        if apart:
            report(_row_differs(tenant_id, apart))
        if sequence is not None and damaged is None and unlinked is None:
            verified.append((tenant_id, sequence, bytes(entry_hash), int(total)))
    if verified:
        with connection.cursor() as cursor:
            cursor.execute(_ADVANCE, [list(column) for column in zip(*verified, strict=True)])
    go_on("journal", {"from": place["to"] if upto > place["to"] else upto, "to": upto})
    return Step(sum(row[2] for row in rows), upto == last)


_BALANCES = """
    SELECT balance.tenant_id, available_usd_micros - coalesce(total_usd_micros, 0) - coalesce(
               (SELECT sum(amount_usd_micros) FROM ledger_entries AS entry WHERE entry.tenant_id = balance.tenant_id
                AND entry.sequence > coalesce(checkpoint.sequence, 0)), 0),
           checkpoint.sequence IS NULL OR EXISTS (
               SELECT FROM ledger_entries AS head WHERE head.tenant_id = balance.tenant_id
               AND head.sequence = checkpoint.sequence AND head.entry_hash = checkpoint.entry_hash)
    FROM tenant_balances AS balance LEFT JOIN ledger_checkpoints AS checkpoint USING (tenant_id)
    WHERE balance.tenant_id > %s ORDER BY balance.tenant_id LIMIT %s
"""


def balances(report: Report) -> Step:
    """Balance rows against the journal, and whether the last verified entries still stand."""
    place = position("balances", {"tenant": ""})
    with snapshot():
        rows = _rows(_BALANCES, [place["tenant"], _BALANCES_BATCH])
    for tenant_id, apart, head_stands in rows:
        if apart:
            report(_row_differs(tenant_id, apart))
        if not head_stands:
            report(Disagreement(tenant_id, "chain", tenant_id, "the last verified entry is gone or was changed"))
    at_end = len(rows) < _BALANCES_BATCH
    go_on("balances", {"tenant": "" if at_end else rows[-1][0]})
    return Step(len(rows), at_end)


_HISTORY = f"""
    WITH slice AS (
        SELECT *, CASE WHEN tenant_id = %(tenant)s THEN %(sequence)s ELSE 0 END AS before_sequence,
               CASE WHEN tenant_id = %(tenant)s THEN %(hash)s ELSE ''::bytea END AS before_hash,
               CASE WHEN tenant_id = %(tenant)s THEN %(total)s ELSE 0 END::bigint AS before_total
        FROM ledger_entries WHERE (tenant_id, sequence) > (%(tenant)s, %(sequence)s)
        ORDER BY tenant_id, sequence LIMIT %(batch)s
    ), links AS (
        {_LINKS} FROM slice AS entry WINDOW chain AS (PARTITION BY entry.tenant_id ORDER BY entry.sequence)
    )
    SELECT links.tenant_id, count(*), max(links.sequence),
           (array_agg(links.entry_hash ORDER BY links.sequence DESC))[1],
           (array_agg(running ORDER BY links.sequence DESC))[1],
           min(links.sequence) FILTER (WHERE NOT intact), min(links.sequence) FILTER (WHERE NOT follows),
           min(links.sequence) FILTER (WHERE running < 0),
           bool_and(checkpoint.sequence IS NULL
                    OR (checkpoint.entry_hash = links.entry_hash AND total_usd_micros = running)),
           min(links.sequence) FILTER (WHERE links.run_id IS NOT NULL
                    AND NOT EXISTS (SELECT FROM runs WHERE runs.run_id = links.run_id))
    FROM links LEFT JOIN ledger_checkpoints AS checkpoint
        ON checkpoint.tenant_id = links.tenant_id AND checkpoint.sequence = links.sequence
    GROUP BY links.tenant_id ORDER BY links.tenant_id
"""  # noqa: S608 (our own text)


def history(report: Report) -> Step:
    """The whole journal, in the order of tenants and numbers, some of it in each pass."""
    start = {"tenant": "", "sequence": 0, "hash": "", "total": 0}
    place = position("history", start)
    given = {**place, "hash": bytes.fromhex(place["hash"]), "batch": _HISTORY_BATCH}
    with snapshot():
        rows = _rows(_HISTORY, given)
    for tenant_id, _, _, _, _, damaged, unlinked, overdrawn, as_verified, without_run in rows:
        _report_links(report, tenant_id, damaged, unlinked, overdrawn)
        if not as_verified:
            wrong = "the chain or its sum is not what the audit has verified"
            report(Disagreement(tenant_id, "chain", tenant_id, wrong))
        if without_run is not None:
            subject = f"{tenant_id} entry {without_run}"
            report(Disagreement(tenant_id, "I2", subject, "an entry of a run that does not exist"))
    checked = sum(row[1] for row in rows)
    at_end = checked < _HISTORY_BATCH
    if at_end:
        go_on("history", start)
    else:
        tenant_id, _, sequence, entry_hash, total, *_ = rows[-1]
        go_on(
            "history",
            {"tenant": tenant_id, "sequence": sequence, "hash": bytes(entry_hash).hex(), "total": int(total)},
        )
    return Step(checked, at_end)


def _report_links(
    report: Report, tenant_id: str, damaged: int | None, unlinked: int | None, overdrawn: int | None
) -> None:
    broken = (
        (damaged, "chain", "does not fit its own hash: it was changed"),
        (unlinked, "chain", "does not follow the one before it: an entry was deleted, inserted or replaced"),
        (overdrawn, "I4", "takes the balance below zero"),
    )
    for sequence, invariant, wrong in broken:
        if sequence is not None:
            report(Disagreement(tenant_id, invariant, f"{tenant_id} entry {sequence}", wrong))


def _inserted(tenant_id: str) -> Disagreement:
    return Disagreement(tenant_id, "chain", tenant_id, "an entry stands outside the chain: it was inserted past it")


def _row_differs(tenant_id: str, apart: int) -> Disagreement:
    return Disagreement(tenant_id, "I1", tenant_id, f"the balance row is {int(apart):+d} micros from the journal")


def _rows(sql: str, params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
