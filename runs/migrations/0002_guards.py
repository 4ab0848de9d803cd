"""Guards in the database itself: the audit trail is append-only, and a run moves only along the state machine's edges."""

from django.db import migrations

_APPEND_ONLY = """
CREATE FUNCTION dpp_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER run_transitions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON run_transitions
    FOR EACH STATEMENT EXECUTE FUNCTION dpp_refuse_change();
"""

# The same edges as runs.states.ALLOWED (a test compares them). The version moves by one exactly when status, money or
# finalize stage move, or a claim changes hands; a run is never deleted.
_EDGES = """
CREATE FUNCTION dpp_guard_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.status, OLD.money_state) IS DISTINCT FROM (NEW.status, NEW.money_state)
       AND (OLD.status, OLD.money_state, NEW.status, NEW.money_state) NOT IN (
            ('QUEUED', 'RESERVED', 'PROCESSING', 'RESERVED'),
            ('QUEUED', 'RESERVED', 'FAILED', 'REFUNDED'),
            ('QUEUED', 'RESERVED', 'FAILED', 'SETTLED'),
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
    RETURN NEW;
END $$;
CREATE TRIGGER runs_follow_the_edges BEFORE UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION dpp_guard_run();
CREATE TRIGGER runs_are_never_deleted BEFORE DELETE OR TRUNCATE ON runs
    FOR EACH STATEMENT EXECUTE FUNCTION dpp_refuse_change();
"""

_UNDO = """
DROP TRIGGER runs_are_never_deleted ON runs;
DROP TRIGGER runs_follow_the_edges ON runs;
DROP FUNCTION dpp_guard_run();
DROP TRIGGER run_transitions_append_only ON run_transitions;
DROP FUNCTION dpp_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_initial")]

    operations = [migrations.RunSQL(_APPEND_ONLY + _EDGES, reverse_sql=_UNDO)]
