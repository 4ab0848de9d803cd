-- For a journal that was written before there was a chain: numbers and hashes in the order of the ids, which is the order
-- in which a tenant's entries were written. The audit begins behind them. The aggregate, used as a window function, gives
-- every entry its hash in one reading.
CREATE AGGREGATE pg_temp.dpp_chain(text, bigint, uuid, text, bigint, text, text, timestamptz) (
    SFUNC = dpp_entry_hash, STYPE = bytea, INITCOND = ''
);
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_append_only;
UPDATE ledger_entries SET sequence = chained.number, previous_hash = chained.previous, entry_hash = chained.hash
FROM (
    SELECT id, number, hash, lag(hash, 1, ''::bytea) OVER (PARTITION BY tenant_id ORDER BY number) AS previous
    FROM (
        SELECT id, tenant_id, number, pg_temp.dpp_chain(tenant_id, number, run_id, kind, amount_usd_micros, reference, note,
            created_at) OVER (PARTITION BY tenant_id ORDER BY number) AS hash
        FROM (SELECT *, row_number() OVER (PARTITION BY tenant_id ORDER BY id) AS number FROM ledger_entries) AS numbered
    ) AS hashed
) AS chained
WHERE chained.id = ledger_entries.id;
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_append_only;
INSERT INTO ledger_checkpoints (tenant_id, sequence, entry_hash, total_usd_micros)
SELECT DISTINCT ON (tenant_id) tenant_id, sequence, entry_hash, sum(amount_usd_micros) OVER (PARTITION BY tenant_id)
FROM ledger_entries ORDER BY tenant_id, sequence DESC;
DROP AGGREGATE pg_temp.dpp_chain(text, bigint, uuid, text, bigint, text, text, timestamptz);
