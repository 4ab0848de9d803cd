-- A run moves only along the edges of the state machine, the same as `runs.states.ALLOWED` (a test compares them). The
-- version moves by one exactly when status, money or finalize stage move, or a claim changes hands. Retention and leases
-- are judged by the database's clock. A run is never deleted.
CREATE OR REPLACE FUNCTION dpp_guard_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.status, OLD.money_state) IS DISTINCT FROM (NEW.status, NEW.money_state)
       AND (OLD.status, OLD.money_state, NEW.status, NEW.money_state) NOT IN (
            ('QUEUED', 'RESERVED', 'PROCESSING', 'RESERVED'),
            ('QUEUED', 'RESERVED', 'FAILED', 'REFUNDED'),
            ('QUEUED', 'RESERVED', 'FAILED', 'SETTLED'),
            ('QUEUED', 'RESERVED', 'QUEUED', 'DISPUTED'),
            ('QUEUED', 'DISPUTED', 'FAILED', 'REFUNDED'),
            ('QUEUED', 'DISPUTED', 'FAILED', 'SETTLED'),
            ('PROCESSING', 'RESERVED', 'COMPLETED', 'SETTLED'),
            ('PROCESSING', 'RESERVED', 'FAILED', 'SETTLED'),
            ('PROCESSING', 'RESERVED', 'PROCESSING', 'DISPUTED'),
            ('PROCESSING', 'DISPUTED', 'COMPLETED', 'SETTLED'),
            ('PROCESSING', 'DISPUTED', 'FAILED', 'SETTLED'),
            ('PROCESSING', 'DISPUTED', 'COMPLETED', 'REFUNDED'),
            ('PROCESSING', 'DISPUTED', 'FAILED', 'REFUNDED'),
            ('COMPLETED', 'SETTLED', 'EXPIRED', 'SETTLED'),
            ('FAILED', 'SETTLED', 'EXPIRED', 'SETTLED'),
            ('COMPLETED', 'REFUNDED', 'EXPIRED', 'REFUNDED'),
            ('FAILED', 'REFUNDED', 'EXPIRED', 'REFUNDED'))
    THEN
        RAISE EXCEPTION 'run %: %/% -> %/% is not an edge of the state machine',
            OLD.run_id, OLD.status, OLD.money_state, NEW.status, NEW.money_state USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.status, OLD.money_state, OLD.finalize_stage, OLD.finalize_token)
       IS DISTINCT FROM (NEW.status, NEW.money_state, NEW.finalize_stage, NEW.finalize_token)
       AND NEW.version <> OLD.version + 1
    THEN
        RAISE EXCEPTION 'run %: a change of state moves the version by one', OLD.run_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- Whatever clock a process has: nothing expires before its time, and no lease is taken from a worker that holds it.
    IF NEW.status = 'EXPIRED' AND OLD.status <> 'EXPIRED' AND NEW.retention_until > statement_timestamp() THEN
        RAISE EXCEPTION 'run %: kept until %', OLD.run_id, NEW.retention_until USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.finalize_stage IS NULL AND NEW.finalize_stage = 'CLAIMED' AND NEW.intended_reason_code = 'WORKER_TIMEOUT'
       AND OLD.lease_expires_at >= statement_timestamp()
    THEN
        RAISE EXCEPTION 'run %: its lease is good until %', OLD.run_id, OLD.lease_expires_at
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER runs_follow_the_edges BEFORE UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION dpp_guard_run();
CREATE OR REPLACE TRIGGER runs_are_never_deleted BEFORE DELETE OR TRUNCATE ON runs
    FOR EACH STATEMENT EXECUTE FUNCTION dpp_refuse_change();
