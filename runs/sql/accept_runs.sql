-- Submits that are under way at the same time, of any tenants, in one call: for each of them what dpp_accept_run does for
-- one, with the same outcome. A tenant's balance row is taken once. Returns for each number its state (00000: accepted,
-- otherwise the SQLSTATE that dpp_accept_run would end with) and what its tenant had left after it.
--
-- What is refused leaves nothing: all is undone and done again without the refused ones. 23505: the key has a run.
-- 55P03: somebody holds the tenant's row for long; that one is to be asked for alone, the others do not wait for it.
--
-- Lock order as everywhere: runs, in the order of their keys, then balance rows, in the order of the tenants. So two of
-- these calls never wait for each other.
CREATE OR REPLACE FUNCTION dpp_accept_runs(requests jsonb)
RETURNS TABLE (place integer, outcome text, remaining bigint) LANGUAGE plpgsql AS $$
DECLARE
    states text[] := array_fill(NULL::text, ARRAY[jsonb_array_length(requests)]);
    balances bigint[] := array_fill(NULL::bigint, ARRAY[jsonb_array_length(requests)]);
    created integer[];
    refused boolean;
    payer text;
    balance bigint;
    frozen boolean;
    one record;
BEGIN
    PERFORM set_config('lock_timeout', '100ms', true);
    WHILE array_position(states, NULL) IS NOT NULL LOOP
        payer := NULL;
        refused := false;
        BEGIN
            WITH asked AS (
                SELECT * FROM jsonb_to_recordset(requests) AS asked (
                    number integer, run_id uuid, tenant_id text, pack_type text, profile_version text,
                    idempotency_key text, payload_hash text, reservation bigint, minimum_fee bigint, timebox_sec integer,
                    min_reliability_score double precision, inline_result boolean, retention_until timestamptz,
                    trace_id text, created_at timestamptz, body text, object_key text, client_name text,
                    client_version text, api_key_id uuid, key_budget_id uuid, tags jsonb)
                WHERE states[asked.number] IS NULL
            ), inserted AS (
                INSERT INTO runs (
                    run_id, tenant_id, pack_type, profile_version, status, money_state, version, idempotency_key,
                    idempotency_released, payload_hash, reservation_max_cost_usd_micros, minimum_fee_usd_micros, timebox_sec,
                    min_reliability_score, inline_result, retention_until, intended_release_key, trace_id, progress,
                    tokens_consumed, created_at, updated_at, client_name, client_version,
                    api_key_id, key_budget_id, tags)
                SELECT run_id, tenant_id, pack_type, profile_version, 'QUEUED', 'RESERVED', 0, idempotency_key,
                    false, payload_hash, reservation, minimum_fee, timebox_sec,
                    min_reliability_score, inline_result, statement_timestamp() + (retention_until - created_at), false,
                    trace_id, 0,
                    0, statement_timestamp(), statement_timestamp(), client_name, client_version,
                    api_key_id, key_budget_id, tags
                FROM asked ORDER BY tenant_id, idempotency_key
                ON CONFLICT (tenant_id, idempotency_key) WHERE status <> 'EXPIRED' AND NOT idempotency_released DO NOTHING
                RETURNING run_id
            ), payloads AS (
                INSERT INTO run_payloads (run_id, body, object_key, sha256)
                SELECT run_id, body, object_key, payload_hash FROM asked JOIN inserted USING (run_id)
            ), transitions AS (
                INSERT INTO run_transitions (run_id, actor, to_status, to_money, version_after, at)
                SELECT run_id, 'api', 'QUEUED', 'RESERVED', 0, clock_timestamp() FROM inserted
            )
            SELECT array_agg(asked.number) INTO created FROM asked JOIN inserted USING (run_id);

            FOR one IN
                SELECT asked.* FROM jsonb_to_recordset(requests) AS asked (
                    number integer, run_id uuid, tenant_id text, reservation bigint, key_budget_id uuid)
                WHERE states[asked.number] IS NULL
                ORDER BY asked.tenant_id, asked.number
            LOOP
                IF one.number <> ALL (coalesce(created, '{}')) THEN
                    -- Stays so: nothing was inserted for it.
                    states[one.number] := '23505';
                    CONTINUE;
                END IF;
                IF payer IS DISTINCT FROM one.tenant_id THEN
                    IF payer IS NOT NULL THEN
                        UPDATE tenant_balances SET available_usd_micros = balance WHERE tenant_id = payer;
                    END IF;
                    payer := one.tenant_id;
                    SELECT available_usd_micros, frozen_at IS NOT NULL INTO balance, frozen
                    FROM tenant_balances WHERE tenant_id = payer FOR NO KEY UPDATE;
                END IF;
                -- The look at the voids is a statement of its own, after the balance row is locked: see dpp_accept_run.
                states[one.number] := CASE
                    WHEN frozen THEN 'DP403'
                    WHEN balance IS NULL OR balance < one.reservation THEN 'DP402'
                    WHEN NOT dpp_key_may_spend(one.key_budget_id, payer, one.reservation) THEN 'DP420'
                    WHEN EXISTS (SELECT FROM voided_reservations WHERE run_id = one.run_id) THEN 'DP503'
                END;
                IF states[one.number] IS NOT NULL THEN
                    refused := true;
                    CONTINUE;
                END IF;
                balance := balance - one.reservation;
                balances[one.number] := balance;
                IF one.key_budget_id IS NOT NULL THEN
                    UPDATE key_budgets SET held_usd_micros = held_usd_micros + one.reservation
                    WHERE budget_id = ANY (SELECT unnest(lineage) FROM key_budgets WHERE budget_id = one.key_budget_id);
                END IF;
                INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)
                VALUES (payer, one.run_id, 'RESERVE', -one.reservation, '', clock_timestamp());
            END LOOP;
            UPDATE tenant_balances SET available_usd_micros = balance WHERE tenant_id = payer;
            IF refused THEN
                RAISE EXCEPTION 'once more without the refused ones' USING ERRCODE = 'DP000';
            END IF;
            EXIT;
        EXCEPTION
            WHEN SQLSTATE 'DP000' THEN
                NULL;
            WHEN lock_not_available THEN
                FOR one IN SELECT asked.* FROM jsonb_to_recordset(requests) AS asked (number integer, tenant_id text) LOOP
                    IF states[one.number] IS NULL AND one.tenant_id = coalesce(payer, one.tenant_id) THEN
                        states[one.number] := '55P03';
                    END IF;
                END LOOP;
        END;
    END LOOP;
    RETURN QUERY SELECT position, coalesce(states[position], '00000'), balances[position]
    FROM generate_subscripts(states, 1) AS position;
END $$;

-- Whether a key's budget, and all above it, cover so much more. Under the tenant's balance row.
CREATE OR REPLACE FUNCTION dpp_key_may_spend(used_budget uuid, tenant text, amount bigint)
RETURNS boolean LANGUAGE sql AS $$
    SELECT used_budget IS NULL OR coalesce((
        SELECT count(*) FILTER (
                WHERE (above.max_per_run_usd_micros IS NULL OR amount <= above.max_per_run_usd_micros)
                  AND (above.max_total_usd_micros IS NULL
                       OR above.spent_usd_micros + above.held_usd_micros + amount <= above.max_total_usd_micros)
            ) = cardinality(own.lineage)
        FROM key_budgets AS own JOIN key_budgets AS above ON above.budget_id = ANY (own.lineage)
        WHERE own.budget_id = used_budget AND own.tenant_id = tenant
        GROUP BY own.lineage
    ), false)
$$;
