"""Fill the books as years of work would: many tenants, a long chained journal, ended runs with their history."""

_TENANTS = """
    INSERT INTO tenants (tenant_id, display_name, status, created_at)
    SELECT 'crowd' || n, '', 'ACTIVE', now() FROM generate_series(0, %(tenants)s - 1) AS n
"""
_KEYS = """
    INSERT INTO api_keys (key_id, tenant_id, key_hash, prefix, label, status, created_at, read_only, may_create_keys)
    SELECT gen_random_uuid(), tenant_id, md5(tenant_id), left(md5(tenant_id), 8), '', 'ACTIVE',
        now() - interval '1 second' * substr(tenant_id, 6)::int, false, false
    FROM tenants
"""
# Every run is of the tenant that its number falls to, so that runs and entries are spread evenly.
_RUNS = """
    INSERT INTO runs (run_id, tenant_id, pack_type, profile_version, status, money_state, version, idempotency_key,
        idempotency_released, payload_hash, reservation_max_cost_usd_micros, actual_cost_usd_micros,
        minimum_fee_usd_micros, timebox_sec, min_reliability_score, inline_result, retention_until, lease_token,
        lease_expires_at, finalize_token, finalize_stage, finalize_claimed_at, intended_status, intended_money_state,
        intended_charge_usd_micros, intended_release_key, trace_id, progress, tokens_consumed, created_at, updated_at)
    SELECT gen_random_uuid(), 'crowd' || (n %% %(tenants)s), 'decision', 'PROFILE_DPP_0_4_2_2', 'COMPLETED', 'SETTLED',
        3, 'population-' || n, false, 'x', 500000, 50000, 10000, 90, 0.8, false, now() + interval '9 days',
        gen_random_uuid(), now(), gen_random_uuid(), 'COMMITTED', now(), 'COMPLETED', 'SETTLED', 50000, false, 'trace',
        1.0, 0, now() - interval '1 second' * n, now()
    FROM generate_series(1, %(runs)s) AS n
"""
_HISTORY = """
    INSERT INTO run_transitions (run_id, actor, to_status, to_money, version_before, version_after, at)
    SELECT run_id, 'worker', 'COMPLETED', 'SETTLED', nullif(step, 0) - 1, step, created_at
    FROM runs CROSS JOIN generate_series(0, 3) AS step
"""
# One credit per tenant, two entries per run, and small adjustments until there are enough.
_ENTRIES = """
    CREATE TEMPORARY TABLE movements AS
    SELECT 'crowd' || n AS tenant_id, NULL::uuid AS run_id, 'CREDIT' AS kind, 1000000000::bigint AS amount, 0 AS part
    FROM generate_series(0, %(tenants)s - 1) AS n
    UNION ALL
    SELECT tenant_id, run_id, kind, amount, part
    FROM runs CROSS JOIN (VALUES ('RESERVE', -500000::bigint, 1), ('SETTLE', 450000, 2)) AS each (kind, amount, part)
    UNION ALL
    SELECT 'crowd' || (n %% %(tenants)s), NULL, 'ADJUST', -10, 3
    FROM generate_series(1, %(entries)s - 2 * %(runs)s - %(tenants)s) AS n
"""
_CHAIN = """
    INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at, sequence, previous_hash,
        entry_hash)
    SELECT tenant_id, run_id, kind, amount, '', now(), number,
           lag(hash, 1, ''::bytea) OVER (PARTITION BY tenant_id ORDER BY number), hash
    FROM (
        SELECT *, pg_temp.dpp_chain(tenant_id, number, run_id, kind, amount, NULL, '', now())
               OVER (PARTITION BY tenant_id ORDER BY number) AS hash
        FROM (SELECT *, row_number() OVER (PARTITION BY tenant_id ORDER BY part > 0, part = 3, run_id, part) AS number
              FROM movements) AS numbered
    ) AS hashed
    ORDER BY number, tenant_id
"""
_BALANCES = """
    INSERT INTO tenant_balances (tenant_id, available_usd_micros)
    SELECT tenant_id, sum(amount) FROM movements GROUP BY tenant_id
"""
_CHECKPOINTS = """
    INSERT INTO ledger_checkpoints (tenant_id, sequence, entry_hash, total_usd_micros)
    SELECT tenant_id, sequence, entry_hash, available_usd_micros
    FROM (SELECT DISTINCT ON (tenant_id) tenant_id, sequence, entry_hash FROM ledger_entries
          ORDER BY tenant_id, sequence DESC) AS heads JOIN tenant_balances USING (tenant_id)
"""
_POSITIONS = """
    INSERT INTO audit_positions (name, position)
    SELECT name, jsonb_build_object('from', at, 'to', at)
    FROM (SELECT 'journal' AS name, (SELECT max(id) FROM ledger_entries) AS at
          UNION ALL SELECT 'redis', (SELECT max(id) FROM ledger_entries)
          UNION ALL SELECT 'transitions', (SELECT max(id) FROM run_transitions)) AS heads
"""


def fill_books(tenants: int, entries: int, runs: int) -> None:
    """Tenants with a key each, ended runs, and a chained journal that is verified up to now."""
    # A connection of its own: those of the platform wait for no statement as long as this takes.
    from tests.owner import owner_cursor

    sizes = {"tenants": tenants, "entries": entries, "runs": runs}
    with owner_cursor(guards=False) as cursor:
        cursor.execute("SET work_mem = '256MB'")
        cursor.execute(
            "CREATE AGGREGATE pg_temp.dpp_chain(text, bigint, uuid, text, bigint, text, text, timestamptz)"
            " (SFUNC = dpp_entry_hash, STYPE = bytea, INITCOND = '')"
        )
        for statement in (_TENANTS, _KEYS, _RUNS, _HISTORY, _ENTRIES):
            cursor.execute(statement, sizes)
        for statement in (_CHAIN, _BALANCES, _CHECKPOINTS, _POSITIONS):
            cursor.execute(statement)
        cursor.execute("DROP TABLE movements")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
