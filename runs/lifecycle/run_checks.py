"""What must be true of every run: I2, I3, I5 and the runs' side of I8, as SQL over all runs or some of them; I6, over
the live ones.

Each gives rows (tenant, subject, what is wrong, whether journal and run disagree). Journal entries are asked for by
kind, as their partial indexes are. `runs.reports.invariants` asks these of all runs at once, `runs.jobs.audit_books` of
those that changed and of a part of the others.
"""

import json
from dataclasses import dataclass

from dpp_project.profile import PROFILE, PROFILES, Profile

ALL_RUNS = "true"
THESE_RUNS = "r.run_id = ANY(%(run_ids)s)"

# Beat sends on the second, a worker may be busy, a pass takes its time.
_PASS_SEC = 30


@dataclass(frozen=True)
class RunCheck:
    invariant: str
    promise: str
    sql: str
    """With `{scope}`, a condition on `r`."""

    def over(self, scope: str) -> str:
        return self.sql.replace("{scope}", scope)


RUN_CHECKS = (
    RunCheck(
        "I2",
        "one settlement per ended run, none for a live one",
        """
        SELECT r.tenant_id, r.run_id::text, format('%%s/%%s with %%s RESERVE, %%s SETTLE, %%s REFUND',
                                      r.status, r.money_state, n.reserves, n.settles, n.refunds), true
        FROM runs r CROSS JOIN LATERAL (
            SELECT (SELECT count(*) FROM ledger_entries e
                    WHERE e.run_id = r.run_id AND e.tenant_id = r.tenant_id AND kind = 'RESERVE') AS reserves,
                   count(*) FILTER (WHERE kind = 'SETTLE') AS settles,
                   count(*) FILTER (WHERE kind = 'REFUND') AS refunds
            FROM ledger_entries e
            WHERE e.run_id = r.run_id AND e.tenant_id = r.tenant_id AND kind IN ('SETTLE', 'REFUND')
        ) n
        WHERE {scope} AND (
              n.reserves <> 1
           OR n.settles <> CASE WHEN r.money_state = 'SETTLED' THEN 1 ELSE 0 END
           OR n.refunds <> CASE WHEN r.money_state = 'REFUNDED' THEN 1 ELSE 0 END)
        """,
    ),
    RunCheck(
        "I3",
        "0 <= charge <= reservation; a failure costs the minimum fee, what never started costs nothing",
        # What a person resolved (actor admin) may cost anything up to the reservation. A run is held to the fee of its
        # own profile; where that is served no more, to the fee that it recorded.
        """
        SELECT tenant_id, run_id::text,
               format('%%s %%s: charge %%s of %%s, fee %%s (recorded %%s), journal %%s', status,
                      coalesce(last_error_reason_code, ''), charge, reserved, fee,
                      minimum_fee_usd_micros, booked),
               booked IS DISTINCT FROM CASE WHEN status IN ('QUEUED', 'PROCESSING') THEN -reserved ELSE -charge END
        FROM (
            SELECT r.*, coalesce(actual_cost_usd_micros, 0) AS charge, reservation_max_cost_usd_micros AS reserved,
                   CASE WHEN rule.version IS NULL THEN minimum_fee_usd_micros ELSE
                       LEAST(GREATEST(rule.floor, reservation_max_cost_usd_micros * rule.percent / 100),
                             rule.ceiling, reservation_max_cost_usd_micros) END AS fee,
                   EXISTS (SELECT FROM run_transitions t WHERE t.run_id = r.run_id AND t.to_status = 'PROCESSING')
                       OR last_error_reason_code = 'WORKER_CRASHED' AS owes_fee,
                   EXISTS (SELECT FROM run_transitions t WHERE t.run_id = r.run_id AND t.actor = 'admin') AS by_person,
                   (SELECT sum(e.amount_usd_micros) FROM ledger_entries e
                    WHERE e.run_id = r.run_id AND kind = 'RESERVE')
                   + coalesce((SELECT sum(e.amount_usd_micros) FROM ledger_entries e
                               WHERE e.run_id = r.run_id AND kind IN ('SETTLE', 'REFUND')), 0) AS booked
            FROM runs r LEFT JOIN jsonb_to_recordset(%(fees)s::jsonb)
                AS rule (version text, floor bigint, percent bigint, ceiling bigint) ON rule.version = r.profile_version
            WHERE {scope}
        ) AS facts
        WHERE charge NOT BETWEEN 0 AND reserved
           OR minimum_fee_usd_micros <> fee
           OR (status IN ('QUEUED', 'PROCESSING') AND (charge <> 0 OR booked IS DISTINCT FROM -reserved))
           OR (status NOT IN ('QUEUED', 'PROCESSING') AND booked IS DISTINCT FROM -charge)
           OR (status IN ('FAILED', 'EXPIRED') AND last_error_reason_code IS NOT NULL AND NOT by_person
               AND charge <> CASE WHEN owes_fee THEN fee ELSE 0 END)
        """,
    ),
    RunCheck(
        "I5",
        "one key, one unreleased run; every run has one beginning and an unbroken history",
        """
        SELECT DISTINCT r.tenant_id, r.tenant_id,
               format('%%s unreleased runs under key %%s', same.number, r.idempotency_key), false
        FROM runs r CROSS JOIN LATERAL (
            SELECT count(*) AS number FROM runs other
            WHERE other.tenant_id = r.tenant_id AND other.idempotency_key = r.idempotency_key
              AND other.status <> 'EXPIRED' AND NOT other.idempotency_released
        ) same
        WHERE {scope} AND r.status <> 'EXPIRED' AND NOT r.idempotency_released AND same.number > 1
        UNION ALL
        SELECT r.tenant_id, r.run_id::text,
               format('version %%s, but %%s transitions up to %%s', r.version, h.steps, h.latest), false
        FROM runs r LEFT JOIN LATERAL (
            SELECT count(*) AS steps, max(version_after) AS latest,
                   count(*) FILTER (WHERE version_before IS NULL) AS born
            FROM run_transitions t WHERE t.run_id = r.run_id
        ) h ON true
        WHERE {scope} AND (h.born <> 1 OR h.steps <> r.version + 1 OR h.latest <> r.version)
        UNION ALL
        SELECT r.tenant_id, r.run_id::text, 'live without its inputs', false FROM runs r
        WHERE {scope} AND r.status IN ('QUEUED', 'PROCESSING')
          AND NOT EXISTS (SELECT FROM run_payloads p WHERE p.run_id = r.run_id)
        UNION ALL
        SELECT r.tenant_id, r.run_id::text,
               format('%%s %%s, and its key was released', r.status, coalesce(r.last_error_reason_code, '')), false
        FROM runs r WHERE {scope} AND r.idempotency_released
          AND r.last_error_reason_code IS DISTINCT FROM 'QUEUE_ENQUEUE_FAILED'
        """,
    ),
    RunCheck(
        "I8",
        "every run counts against the budget of its key",
        """
        SELECT r.tenant_id, r.run_id::text, 'does not count against the budget of its key', true
        FROM runs r JOIN api_keys k ON k.key_id = r.api_key_id
        WHERE {scope} AND r.key_budget_id IS DISTINCT FROM k.budget_id
        """,
    ),
)

OVERDUE = RunCheck(
    "I6",
    "every run ends in time (disputed ones wait for a person)",
    """
    SELECT tenant_id, run_id::text, format('%%s %%s, due %%s', status, coalesce(finalize_stage, ''), due), false
    FROM (
        SELECT r.*, coalesce(
                   (SELECT min(t.at) FROM run_transitions t
                    WHERE t.run_id = r.run_id AND t.to_status = 'PROCESSING') + make_interval(
                        secs => r.timebox_sec + %(lease)s + %(reaper)s + %(claim)s + %(reconcile)s),
                   r.created_at + make_interval(secs => %(reservation)s + %(sweeper)s)
                       -- Claimed in its last moment by somebody who then died.
                       + CASE WHEN r.finalize_stage IS NULL THEN interval '0'
                              ELSE make_interval(secs => %(claim)s + %(reconcile)s) END) AS due
        FROM runs r WHERE {scope} AND r.status IN ('QUEUED', 'PROCESSING') AND r.money_state <> 'DISPUTED'
    ) AS live
    WHERE due + make_interval(secs => %(pass)s) < transaction_timestamp()
    """,
)


def _fee(profile: Profile) -> dict[str, int | str]:
    return {
        "version": profile.version,
        "floor": profile.minimum_fee_floor,
        "percent": profile.minimum_fee_percent,
        "ceiling": profile.minimum_fee_ceiling,
    }


def numbers() -> dict[str, int | str]:
    """The parameters of all of these."""
    return {
        "fees": json.dumps([_fee(profile) for profile in set(PROFILES.values())]),
        "lease": PROFILE.lease_ttl_sec,
        "reaper": PROFILE.reaper_interval_sec,
        "claim": PROFILE.reconcile_claim_age_sec,
        "reconcile": PROFILE.reconcile_interval_sec,
        "reservation": PROFILE.reservation_ttl_sec,
        "sweeper": PROFILE.sweeper_interval_sec,
        "pass": _PASS_SEC,
    }
