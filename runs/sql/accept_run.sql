-- A submit's whole transaction as one function: run, payload, transition, balance row, the key's budget if it has one,
-- RESERVE entry, in one call. Returns what the tenant has left. SQLSTATE DP402: too little money. DP403: its books
-- disagree, nothing is spent. DP420: more than the key, or one above it, may spend. DP503: the sweeper gave this
-- reservation back.
--
-- All times are the database's: `moment` and `retained_until` only say how long the run is kept.
--
-- Each statement of a volatile function sees what was committed before it began. That is why the look at the voids is a
-- statement of its own, after the balance row is locked: the sweeper voids under the same lock, so that either it sees
-- our run, or we see its void. Lock order everywhere: run, then balance row.
CREATE OR REPLACE FUNCTION dpp_accept_run(
    new_run_id uuid, tenant text, pack text, profile text, key text, hash text, amount bigint, fee bigint,
    timebox integer, reliability double precision, inline boolean, retained_until timestamptz, trace text,
    moment timestamptz, request text, request_key text, caller text DEFAULT NULL, caller_version text DEFAULT NULL,
    used_key uuid DEFAULT NULL, used_budget uuid DEFAULT NULL, given_tags jsonb DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    remaining bigint;
    budgets uuid[];
    counted bigint;
BEGIN
    INSERT INTO runs (
        run_id, tenant_id, pack_type, profile_version, status, money_state, version, idempotency_key,
        idempotency_released, payload_hash, reservation_max_cost_usd_micros, minimum_fee_usd_micros, timebox_sec,
        min_reliability_score, inline_result, retention_until, intended_release_key, trace_id, progress,
        tokens_consumed, created_at, updated_at, client_name, client_version,
        api_key_id, key_budget_id, tags)
    VALUES (
        new_run_id, tenant, pack, profile, 'QUEUED', 'RESERVED', 0, key,
        false, hash, amount, fee, timebox,
        reliability, inline, statement_timestamp() + (retained_until - moment), false, trace, 0,
        0, statement_timestamp(), statement_timestamp(), caller, caller_version,
        used_key, used_budget, given_tags);
    INSERT INTO run_payloads (run_id, body, object_key, sha256) VALUES (new_run_id, request, request_key, hash);
    INSERT INTO run_transitions (run_id, actor, to_status, to_money, version_after, at)
    VALUES (new_run_id, 'api', 'QUEUED', 'RESERVED', 0, clock_timestamp());

    UPDATE tenant_balances SET available_usd_micros = available_usd_micros - amount
    WHERE tenant_id = tenant AND available_usd_micros >= amount AND frozen_at IS NULL
    RETURNING available_usd_micros INTO remaining;
    IF NOT FOUND THEN
        IF EXISTS (SELECT FROM tenant_balances WHERE tenant_id = tenant AND frozen_at IS NOT NULL) THEN
            RAISE EXCEPTION 'the spending of tenant % is frozen', tenant USING ERRCODE = 'DP403';
        END IF;
        RAISE EXCEPTION 'tenant % has less than %', tenant, amount USING ERRCODE = 'DP402';
    END IF;
    IF used_budget IS NOT NULL THEN
        -- Under the tenant's balance row, which every acceptance and every ending of the tenant takes first: budgets
        -- that stand above each other are never waited for.
        SELECT lineage INTO budgets FROM key_budgets WHERE budget_id = used_budget AND tenant_id = tenant;
        UPDATE key_budgets SET held_usd_micros = held_usd_micros + amount
        WHERE budget_id = ANY (budgets)
          AND (max_per_run_usd_micros IS NULL OR amount <= max_per_run_usd_micros)
          AND (max_total_usd_micros IS NULL OR spent_usd_micros + held_usd_micros + amount <= max_total_usd_micros);
        GET DIAGNOSTICS counted = ROW_COUNT;
        IF counted IS DISTINCT FROM cardinality(budgets) THEN
            RAISE EXCEPTION 'the key may not spend %', amount USING ERRCODE = 'DP420';
        END IF;
    END IF;
    IF EXISTS (SELECT FROM voided_reservations AS voided WHERE voided.run_id = new_run_id) THEN
        RAISE EXCEPTION 'the reservation of % was given back', new_run_id USING ERRCODE = 'DP503';
    END IF;
    INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)
    VALUES (tenant, new_run_id, 'RESERVE', -amount, '', clock_timestamp());
    RETURN remaining;
END $$;
