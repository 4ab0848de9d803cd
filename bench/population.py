"""Fill the tables with many ended runs, as months of work would, without going through the platform."""

from django.db import connection

from dpp_project.postgresql.roles import as_owner
from dpp_project.redis import client

# Ended runs with their two journal entries each; a thousand tenants. The guards are off: nothing here is a transition.
_RUNS = """
    INSERT INTO runs (run_id, tenant_id, pack_type, profile_version, status, money_state, version, idempotency_key,
        idempotency_released, payload_hash, reservation_max_cost_usd_micros, actual_cost_usd_micros,
        minimum_fee_usd_micros, timebox_sec, min_reliability_score, inline_result, retention_until, lease_token,
        lease_expires_at, finalize_token, finalize_stage, finalize_claimed_at, intended_status, intended_money_state,
        intended_charge_usd_micros, intended_release_key, trace_id, progress, tokens_consumed, created_at, updated_at)
    SELECT gen_random_uuid(), 'crowd' || (n %% 1000), 'decision', 'PROFILE_DPP_0_4_2_2', 'COMPLETED', 'SETTLED', 3,
        'population-' || n, false, 'x', 500000, 50000, 10000, 90, 0.8, false,
        now() + interval '1 day' * (1 + n %% 29), gen_random_uuid(), now(), gen_random_uuid(), 'COMMITTED', now(),
        'COMPLETED', 'SETTLED', 50000, false, 'trace', 1.0, 0, now() - interval '1 second' * n, now()
    FROM generate_series((SELECT count(*) + 1 FROM runs WHERE idempotency_key LIKE 'population-%%'), %s) AS n
"""
_ENTRIES = """
    INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)
    SELECT tenant_id, run_id, kind, amount, '', created_at
    FROM runs CROSS JOIN (VALUES ('RESERVE', -500000), ('SETTLE', 450000)) AS movement (kind, amount)
    WHERE idempotency_key LIKE 'population-%%' AND NOT EXISTS (
        SELECT 1 FROM ledger_entries known WHERE known.run_id = runs.run_id)
"""


def populate_to(number: int) -> None:
    """Until there are this many ended runs."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "INSERT INTO tenants (tenant_id, display_name, status, created_at)"
            " SELECT 'crowd' || n, '', 'ACTIVE', now() FROM generate_series(0, 999) AS n ON CONFLICT DO NOTHING"
        )
        cursor.execute(
            "INSERT INTO tenant_balances (tenant_id, available_usd_micros)"
            " SELECT tenant_id, 0 FROM tenants ON CONFLICT DO NOTHING"
        )
        cursor.execute(_RUNS, [number])
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(_ENTRIES, [])  # chained by their trigger
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")  # or it is written to disk beside what is measured
        cursor.execute("SET statement_timeout = '30s'")


# What a measurement left queued, ended as if it had been worked off: the next one begins with no live run.
_END = """
    UPDATE runs SET status = 'COMPLETED', money_state = 'SETTLED', actual_cost_usd_micros = 0, version = version + 1
    WHERE status IN ('QUEUED', 'PROCESSING')
"""
_RETURN = """
    WITH returned AS (
        INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)
        SELECT tenant_id, run_id, 'SETTLE', reservation_max_cost_usd_micros, '', now()
        FROM runs WHERE status = 'COMPLETED' AND NOT EXISTS (
            SELECT 1 FROM ledger_entries known WHERE known.run_id = runs.run_id AND known.kind = 'SETTLE')
        RETURNING tenant_id, amount_usd_micros
    )
    UPDATE tenant_balances SET available_usd_micros = available_usd_micros + amount
    FROM (SELECT tenant_id, sum(amount_usd_micros) AS amount FROM returned GROUP BY tenant_id) AS sums
    WHERE sums.tenant_id = tenant_balances.tenant_id
"""


def end_live_runs() -> None:
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(_END)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(_RETURN)
        cursor.execute("VACUUM runs")
    client().flushall()
