CREATE OR REPLACE TRIGGER run_transitions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON run_transitions
    FOR EACH STATEMENT EXECUTE FUNCTION dpp_refuse_change();
