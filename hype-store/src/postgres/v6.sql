-- What was listed and paid.
CREATE TABLE ledger (
    number bigint PRIMARY KEY CHECK (number >= 0),
    -- JSON, as it was written.
    entry text NOT NULL,
    -- The hash of this entry and all before it.
    chain bytea NOT NULL
);

CREATE TRIGGER ledger_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Appends an entry to one of the logs of the study as a whole, a table of numbers, texts and hashes, if the log has so many
-- entries; tells whether the entry with this number is the given one then.
CREATE FUNCTION append_to_journal(journal text, wanted bigint, line text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
    link bytea;
    is_there boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(journal::regclass::oid::bigint);
    EXECUTE format('SELECT number, chain FROM %I ORDER BY number DESC LIMIT 1', journal) INTO last, link;
    IF wanted = coalesce(last + 1, 0) THEN
        link := next_link(coalesce(link, substring(sha256(convert_to(journal, 'UTF8')) FOR 8)), line);
        EXECUTE format('INSERT INTO %I VALUES ($1, $2, $3)', journal) USING wanted, line, link;
        RETURN true;
    END IF;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I AS entries (number, line) WHERE number = $1 AND line = $2)', journal
    ) INTO is_there USING wanted, line;
    RETURN is_there;
END $$;

DROP FUNCTION append_action;
