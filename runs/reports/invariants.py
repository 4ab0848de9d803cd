"""Check on a live system that every run ends once and every micro is accounted for: invariants I1 to I8.

All but I7 are SQL on one snapshot of PostgreSQL (REPEATABLE READ), so that a run that ends meanwhile is seen wholly
before or wholly after. I7 looks at Redis tenant by tenant under the tenant's row lock. Called by
`manage.py audit_ledger` and by every torture test. The standing audit, which looks at what has changed, is
`runs.jobs.audit_books` and, for Redis, `runs.jobs.drift_repair`.
"""

import time
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError, connection, transaction

from budget.alarms import alarm
from budget.drift import Drift, examine
from budget.models import TenantBalance
from budget.rebuild import rebuild
from runs.lifecycle.key_budget_checks import ALL_BUDGETS, KEY_BUDGETS
from runs.lifecycle.run_checks import ALL_RUNS, OVERDUE, RUN_CHECKS, RunCheck, numbers

# Shown of each invariant; the number of all of them is always told.
EXAMPLES = 5

# A tenant that differs is looked at again after this long: a call between its two steps has then finished.
_SECOND_LOOK_SEC = 1.2
_MOST_LOOKS = 3


@dataclass(frozen=True)
class Finding:
    """One invariant: what was looked at and what breaks it."""

    invariant: str
    promise: str
    checked: int
    unit: str
    violations: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    findings: tuple[Finding, ...]
    forgotten: tuple[str, ...]
    """Tenants Redis does not know. No violation: it may forget, and their next call rebuilds them."""
    repaired: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        return not any(finding.violations for finding in self.findings)


@dataclass(frozen=True)
class _Check:
    invariant: str
    promise: str
    unit: str
    population: str
    """SQL: how many there are to check."""
    violations: str
    """SQL: rows (subject, what is wrong)."""


_TENANTS = "SELECT count(*) FROM tenants"
_RUNS = "SELECT count(*) FROM runs"
_LIVE_RUNS = "SELECT count(*) FROM runs WHERE status IN ('QUEUED', 'PROCESSING')"
_ENTRIES = "SELECT count(*) FROM ledger_entries"


def _subjects(sql: str) -> str:
    return f"SELECT subject, wrong FROM ({sql}) AS found (tenant_id, subject, wrong, freezes)"  # noqa: S608 (our own)


def _of_runs(check: RunCheck) -> _Check:
    return _Check(check.invariant, check.promise, "runs", _RUNS, _subjects(check.over(ALL_RUNS)))


_CHECKS = (
    _Check(
        "I1",
        "credits + adjustments = available + open reservations + settled charges; the journal's chain is whole",
        "tenants",
        _TENANTS,
        # Three sources that must agree: the journal, the balance row, and the runs themselves.
        """
        WITH books AS (
            SELECT tenant_id, sum(amount_usd_micros) AS total,
                   coalesce(sum(amount_usd_micros) FILTER (WHERE kind IN ('CREDIT', 'ADJUST')), 0) AS paid_in
            FROM ledger_entries GROUP BY tenant_id
        ), work AS (
            SELECT tenant_id,
                   coalesce(sum(reservation_max_cost_usd_micros) FILTER (WHERE status IN ('QUEUED', 'PROCESSING')), 0)
                       AS open,
                   coalesce(sum(actual_cost_usd_micros) FILTER (WHERE status NOT IN ('QUEUED', 'PROCESSING')), 0)
                       AS charged
            FROM runs GROUP BY tenant_id
        ), sides AS (
            SELECT t.tenant_id, coalesce(paid_in, 0) AS paid_in, coalesce(total, 0) AS total,
                   coalesce(available_usd_micros, 0) AS available, coalesce(open, 0) AS open,
                   coalesce(charged, 0) AS charged
            FROM tenants t
            LEFT JOIN tenant_balances b ON b.tenant_id = t.tenant_id
            LEFT JOIN books ON books.tenant_id = t.tenant_id
            LEFT JOIN work ON work.tenant_id = t.tenant_id
        )
        SELECT tenant_id, format('paid in %%s, journal %%s, available %%s, open %%s, charged %%s',
                                 paid_in, total, available, open, charged)
        FROM sides WHERE paid_in <> available + open + charged OR total <> available
        UNION ALL
        SELECT tenant_id, format('entry %%s breaks the chain', min(sequence))
        FROM (SELECT e.*, sequence = row_number() OVER chain AND previous_hash = lag(entry_hash, 1, '') OVER chain
                     AND entry_hash = dpp_entry_hash(previous_hash, tenant_id, sequence, run_id, kind,
                         amount_usd_micros, reference, note, created_at) AS intact
              FROM ledger_entries e WINDOW chain AS (PARTITION BY tenant_id ORDER BY sequence)) AS links
        WHERE NOT intact GROUP BY tenant_id
        """,
    ),
    *(_of_runs(check) for check in RUN_CHECKS[:2]),
    _Check(
        "I4",
        "available >= 0 at every instant",
        "entries",
        _ENTRIES,
        # A tenant's entries are written under its row lock: their ids are the order in which they happened.
        """
        SELECT tenant_id, format('%%s micros after entry %%s', running, id)
        FROM (SELECT tenant_id, id, sum(amount_usd_micros) OVER (PARTITION BY tenant_id ORDER BY id) AS running
              FROM ledger_entries) history
        WHERE running < 0
        UNION ALL
        SELECT tenant_id, format('%%s micros available', available_usd_micros)
        FROM tenant_balances WHERE available_usd_micros < 0
        """,
    ),
    _of_runs(RUN_CHECKS[2]),
    _Check("I6", OVERDUE.promise, "live runs", _LIVE_RUNS, _subjects(OVERDUE.over(ALL_RUNS))),
    _Check(
        "I8",
        KEY_BUDGETS.promise,
        "key budgets",
        "SELECT count(*) FROM key_budgets",
        f"{_subjects(KEY_BUDGETS.over(ALL_BUDGETS))} UNION ALL {_subjects(RUN_CHECKS[3].over(ALL_RUNS))}",
    ),
)


def audit_ledger(*, repair: bool = False) -> Report:
    """Look at everything once. With `repair`, tenants that differ or are forgotten are rebuilt and looked at again."""
    findings = _examine_database()
    unsettled = _examine_redis()
    repaired: list[str] = []
    if repair and unsettled:
        for tenant_id, drift in unsettled.items():
            rebuilt = rebuild(tenant_id)
            if drift is not None and not drift.is_forgotten:
                alarm(
                    "drift_repaired",
                    tenant_id,
                    delta_usd_micros=drift.delta or 0,
                    balance_before=rebuilt.before or 0,
                    balance_after=rebuilt.after,
                    why="audit_ledger --repair found Redis and the journal apart on two looks",
                )
            repaired.append(tenant_id)
        unsettled = _examine_redis()
    forgotten = tuple(tenant for tenant, drift in unsettled.items() if drift is not None and drift.is_forgotten)
    wrong = {tenant: drift for tenant, drift in unsettled.items() if tenant not in forgotten}
    redis_finding = Finding(
        "I7",
        "Redis = PostgreSQL for every tenant",
        TenantBalance.objects.count(),
        "tenants",
        len(wrong),
        tuple(f"{tenant}: {_shown(drift)}" for tenant, drift in list(wrong.items())[:EXAMPLES]),
    )
    in_order = sorted((*findings, redis_finding), key=lambda finding: finding.invariant)
    return Report(tuple(in_order), forgotten, tuple(repaired))


def _examine_database() -> list[Finding]:
    assert not connection.in_atomic_block, "the snapshot must be this audit's own"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The limit of ordinary statements is for calls that somebody waits for.
        cursor.execute("SET LOCAL statement_timeout = '15min'")
        return [_run(check, cursor) for check in _CHECKS]


def _run(check: _Check, cursor: Any) -> Finding:
    cursor.execute(check.population)
    checked = cursor.fetchone()[0]
    cursor.execute(
        f"SELECT *, count(*) OVER () FROM ({check.violations}) AS found (subject, wrong) LIMIT {EXAMPLES}",  # noqa: S608 (our own text)
        numbers(),
    )
    rows = cursor.fetchall()
    examples = tuple(f"{subject}: {wrong}" for subject, wrong, _ in rows)
    return Finding(check.invariant, check.promise, checked, check.unit, rows[0][2] if rows else 0, examples)


def _examine_redis() -> dict[str, Drift | None]:
    """The tenants that differ, or could not be looked at (None), on every one of at least two looks."""
    suspects = list(TenantBalance.objects.order_by("tenant_id").values_list("tenant_id", flat=True))
    for look in range(_MOST_LOOKS):
        if look:
            time.sleep(_SECOND_LOOK_SEC)
        seen = {tenant_id: _look(tenant_id) for tenant_id in suspects}
        unsettled = {tenant_id: drift for tenant_id, drift in seen.items() if drift is None or not drift.is_clean}
        suspects = list(unsettled)
        if not suspects or (look and None not in unsettled.values()):
            break
    return unsettled


def _look(tenant_id: str) -> Drift | None:
    try:
        return examine(tenant_id)
    except OperationalError:
        # Somebody holds the tenant's row lock for longer than the lock timeout.
        return None


def _shown(drift: Drift | None) -> str:
    return "its balance row stayed locked" if drift is None else str(drift)
