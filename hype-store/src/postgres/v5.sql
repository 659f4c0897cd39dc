-- What operators did.
CREATE TABLE actions (
    number bigint PRIMARY KEY CHECK (number >= 0),
    -- JSON, as it was written.
    action text NOT NULL,
    -- The hash of this entry and all before it.
    chain bytea NOT NULL
);

CREATE TRIGGER actions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON actions
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Appends an action if the log has so many entries; tells whether the entry with this number is the given one then.
CREATE FUNCTION append_action(wanted bigint, line text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
    link bytea;
BEGIN
    PERFORM pg_advisory_xact_lock('actions'::regclass::oid::bigint);
    SELECT number, chain INTO last, link FROM actions ORDER BY number DESC LIMIT 1;
    IF wanted = coalesce(last + 1, 0) THEN
        link := next_link(coalesce(link, substring(sha256(convert_to('actions', 'UTF8')) FOR 8)), line);
        INSERT INTO actions (number, action, chain) VALUES (wanted, line, link);
        RETURN true;
    END IF;
    RETURN EXISTS (SELECT FROM actions WHERE number = wanted AND action = line);
END $$;
