-- The journal is a chain per tenant: every entry has the next number of its tenant, carries the hash of the entry before
-- it, and its own hash covers both and all of its fields. Whoever edits, deletes or inserts an entry breaks a link.

-- The hash of one entry. The length of the reference stands before it, so that no two entries are written alike.
CREATE OR REPLACE FUNCTION dpp_entry_hash(
    previous bytea, tenant text, number bigint, run uuid, kind text, amount bigint, reference text, note text,
    created timestamptz
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(previous || convert_to(
        tenant || '|' || number::text || '|' || coalesce(run::text, '') || '|' || kind || '|' || amount::text || '|'
        || (extract(epoch FROM created) * 1000000)::bigint::text || '|' || coalesce(length(reference)::text, '') || '|'
        || coalesce(reference, '') || '|' || note, 'UTF8'))
$$;

-- Fills number and hashes of a new entry, whatever its writer gave. The tenant's row lock, which every path of money
-- holds by now, puts the entries in order; the unique number refuses a fork. The look at the last entry is a statement
-- of its own, after the lock, and sees what was committed until then.
CREATE OR REPLACE FUNCTION dpp_chain_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before record;
BEGIN
    PERFORM FROM tenant_balances WHERE tenant_id = NEW.tenant_id FOR NO KEY UPDATE;
    SELECT sequence, entry_hash INTO before FROM ledger_entries
    WHERE tenant_id = NEW.tenant_id ORDER BY sequence DESC LIMIT 1;
    NEW.sequence := coalesce(before.sequence, 0) + 1;
    NEW.previous_hash := coalesce(before.entry_hash, '');
    NEW.entry_hash := dpp_entry_hash(NEW.previous_hash, NEW.tenant_id, NEW.sequence, NEW.run_id, NEW.kind,
        NEW.amount_usd_micros, NEW.reference, NEW.note, NEW.created_at);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER ledger_entries_are_chained BEFORE INSERT ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION dpp_chain_entry();
