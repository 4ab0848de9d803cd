-- For tables that are only ever appended to: whoever connects, no row of theirs is changed or deleted.
CREATE OR REPLACE FUNCTION dpp_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
