"""Check on a live system that every run ends once and every micro is accounted for: invariants I1 to I7.

I1 to I6 are SQL on one snapshot of PostgreSQL (REPEATABLE READ), so that a run that ends meanwhile is seen wholly
before or wholly after. I7 looks at Redis tenant by tenant under the tenant's row lock. Called by
`manage.py audit_ledger` and by every torture test; the standing repair of drift is `runs.jobs.audit`.
"""

import time
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError, connection, transaction

from budget.drift import Drift, examine
from budget.ledger import alarm
from budget.models import TenantBalance
from budget.rebuild import rebuild
from dpp_project.profile import PROFILE

# Shown of each invariant; the number of all of them is always told.
EXAMPLES = 5

# A tenant that differs is looked at again after this long: a call between its two steps has then finished.
_SECOND_LOOK_SEC = 1.2
_MOST_LOOKS = 3
# Beat sends on the second, a worker may be busy, a pass takes its time.
_PASS_SEC = 30


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

_CHECKS = (
    _Check(
        "I1",
        "credits + adjustments = available + open reservations + settled charges",
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
        """,
    ),
    _Check(
        "I2",
        "one settlement per ended run, none for a live one",
        "runs",
        _RUNS,
        """
        SELECT r.run_id::text, format('%%s/%%s with %%s RESERVE, %%s SETTLE, %%s REFUND',
                                      r.status, r.money_state, n.reserves, n.settles, n.refunds)
        FROM runs r LEFT JOIN LATERAL (
            SELECT count(*) FILTER (WHERE kind = 'RESERVE') AS reserves,
                   count(*) FILTER (WHERE kind = 'SETTLE') AS settles,
                   count(*) FILTER (WHERE kind = 'REFUND') AS refunds
            FROM ledger_entries e WHERE e.run_id = r.run_id AND e.tenant_id = r.tenant_id
        ) n ON true
        WHERE n.reserves <> 1
           OR n.settles <> CASE WHEN r.money_state = 'SETTLED' THEN 1 ELSE 0 END
           OR n.refunds <> CASE WHEN r.money_state = 'REFUNDED' THEN 1 ELSE 0 END
        """,
    ),
    _Check(
        "I3",
        "0 <= charge <= reservation; a failure costs the minimum fee, what never started costs nothing",
        "runs",
        _RUNS,
        # What a person resolved (actor admin) may cost anything up to the reservation.
        """
        WITH facts AS (
            SELECT r.*, coalesce(actual_cost_usd_micros, 0) AS charge, reservation_max_cost_usd_micros AS reserved,
                   LEAST(GREATEST(%(fee_floor)s, reservation_max_cost_usd_micros * %(fee_percent)s / 100),
                         %(fee_ceiling)s, reservation_max_cost_usd_micros) AS fee,
                   EXISTS (SELECT FROM run_transitions t WHERE t.run_id = r.run_id AND t.to_status = 'PROCESSING')
                       OR last_error_reason_code = 'WORKER_CRASHED' AS owes_fee,
                   EXISTS (SELECT FROM run_transitions t WHERE t.run_id = r.run_id AND t.actor = 'admin') AS by_person,
                   (SELECT sum(e.amount_usd_micros) FROM ledger_entries e
                    WHERE e.run_id = r.run_id AND kind IN ('RESERVE', 'SETTLE', 'REFUND')) AS booked
            FROM runs r WHERE r.profile_version = %(profile)s
        )
        SELECT run_id::text, format('%%s %%s: charge %%s of %%s, fee %%s (recorded %%s), journal %%s', status,
                                    coalesce(last_error_reason_code, ''), charge, reserved, fee,
                                    minimum_fee_usd_micros, booked)
        FROM facts
        WHERE charge NOT BETWEEN 0 AND reserved
           OR minimum_fee_usd_micros <> fee
           OR (status IN ('QUEUED', 'PROCESSING') AND charge <> 0)
           OR (status NOT IN ('QUEUED', 'PROCESSING') AND booked IS DISTINCT FROM -charge)
           OR (status IN ('FAILED', 'EXPIRED') AND last_error_reason_code IS NOT NULL AND NOT by_person
               AND charge <> CASE WHEN owes_fee THEN fee ELSE 0 END)
        """,
    ),
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
    _Check(
        "I5",
        "one key, one unreleased run; every run has one beginning and an unbroken history",
        "runs",
        _RUNS,
        """
        SELECT tenant_id, format('%%s unreleased runs under key %%s', count(*), idempotency_key)
        FROM runs WHERE status <> 'EXPIRED' AND NOT idempotency_released
        GROUP BY tenant_id, idempotency_key HAVING count(*) > 1
        UNION ALL
        SELECT r.run_id::text, format('version %%s, but %%s transitions up to %%s', r.version, h.steps, h.latest)
        FROM runs r LEFT JOIN LATERAL (
            SELECT count(*) AS steps, max(version_after) AS latest,
                   count(*) FILTER (WHERE version_before IS NULL) AS born
            FROM run_transitions t WHERE t.run_id = r.run_id
        ) h ON true
        WHERE h.born <> 1 OR h.steps <> r.version + 1 OR h.latest <> r.version
        UNION ALL
        SELECT r.run_id::text, 'live without its inputs' FROM runs r
        WHERE r.status IN ('QUEUED', 'PROCESSING')
          AND NOT EXISTS (SELECT FROM run_payloads p WHERE p.run_id = r.run_id)
        UNION ALL
        SELECT run_id::text, format('%%s %%s, and its key was released', status, coalesce(last_error_reason_code, ''))
        FROM runs WHERE idempotency_released AND last_error_reason_code IS DISTINCT FROM 'QUEUE_ENQUEUE_FAILED'
        """,
    ),
    _Check(
        "I6",
        "every run ends in time (disputed ones wait for a person)",
        "live runs",
        _LIVE_RUNS,
        """
        WITH live AS (
            SELECT r.*, coalesce(
                       (SELECT min(t.at) FROM run_transitions t
                        WHERE t.run_id = r.run_id AND t.to_status = 'PROCESSING') + make_interval(
                            secs => r.timebox_sec + %(lease)s + %(reaper)s + %(claim)s + %(reconcile)s),
                       r.created_at + make_interval(secs => %(reservation)s + %(sweeper)s)
                           -- Claimed in its last moment by somebody who then died.
                           + CASE WHEN r.finalize_stage IS NULL THEN interval '0'
                                  ELSE make_interval(secs => %(claim)s + %(reconcile)s) END) AS due
            FROM runs r WHERE r.status IN ('QUEUED', 'PROCESSING') AND r.money_state <> 'DISPUTED'
        )
        SELECT run_id::text, format('%%s %%s, due %%s', status, coalesce(finalize_stage, ''), due)
        FROM live WHERE due + make_interval(secs => %(pass)s) < transaction_timestamp()
        """,
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
        tuple(f"{tenant}: {_told(drift)}" for tenant, drift in list(wrong.items())[:EXAMPLES]),
    )
    return Report((*findings, redis_finding), forgotten, tuple(repaired))


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
        _numbers(),
    )
    rows = cursor.fetchall()
    examples = tuple(f"{subject}: {wrong}" for subject, wrong, _ in rows)
    return Finding(check.invariant, check.promise, checked, check.unit, rows[0][2] if rows else 0, examples)


def _numbers() -> dict[str, int | str]:
    return {
        "profile": PROFILE.version,
        "fee_floor": PROFILE.minimum_fee_floor,
        "fee_percent": PROFILE.minimum_fee_percent,
        "fee_ceiling": PROFILE.minimum_fee_ceiling,
        "lease": PROFILE.lease_ttl_sec,
        "reaper": PROFILE.reaper_interval_sec,
        "claim": PROFILE.reconcile_claim_age_sec,
        "reconcile": PROFILE.reconcile_interval_sec,
        "reservation": PROFILE.reservation_ttl_sec,
        "sweeper": PROFILE.sweeper_interval_sec,
        "pass": _PASS_SEC,
    }


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


def _told(drift: Drift | None) -> str:
    return "its balance row stayed locked" if drift is None else str(drift)
