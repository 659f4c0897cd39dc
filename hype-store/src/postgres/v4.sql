-- How many of the holders answered a trial. None where an earlier version wrote the row: all of them.
ALTER TABLE place_changes ADD COLUMN spent bigint;

-- Whether the current or last holder is one of them.
ALTER TABLE place_changes ADD COLUMN answered boolean NOT NULL DEFAULT true;

DROP FUNCTION change_places;

-- Appends changes of places in the order given; tells of each its position if it is the last one of its place then. With
-- a position in first_after, the change's holder must not be in a later entry.
CREATE FUNCTION change_places(
    changed bigint[], numbers bigint[], names text[], ends bigint[], counts bigint[], kinds text[],
    first_after bigint[], spending bigint[], answering boolean[]
) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    appended bigint;
BEGIN
    -- One statement after the other, so that positions are in the order in which they can be read.
    PERFORM pg_advisory_xact_lock('place_changes'::regclass::oid::bigint);
    FOR i IN 1 .. cardinality(changed) LOOP
        INSERT INTO place_changes (place, number, holder, until, holders, occupancy, spent, answered)
        SELECT changed[i], numbers[i], names[i], ends[i], counts[i], kinds[i], spending[i], answering[i]
        WHERE numbers[i] = (SELECT coalesce(max(number) + 1, 0) FROM place_changes WHERE place = changed[i])
        AND NOT EXISTS (
            SELECT FROM place_changes AS later WHERE later.position > first_after[i] AND later.holder = names[i]
        )
        RETURNING position INTO appended;
        IF NOT FOUND THEN
            SELECT had.position INTO appended FROM place_changes AS had
            WHERE had.place = changed[i] AND had.number = numbers[i]
            AND had.holder IS NOT DISTINCT FROM names[i] AND had.until = ends[i] AND had.holders = counts[i]
            AND had.occupancy = kinds[i] AND coalesce(had.spent, had.holders) = spending[i]
            AND had.answered = answering[i]
            AND NOT EXISTS (SELECT FROM place_changes WHERE place = changed[i] AND number > numbers[i]);
        END IF;
        RETURN NEXT appended;
    END LOOP;
END $$;

-- Sessions whose answers were erased on request.
CREATE TABLE erasures (
    session bigint PRIMARY KEY REFERENCES sessions (id),
    -- The hash of the last event that was erased. The hashes of the events in its place follow from it.
    chain bytea NOT NULL,
    -- Whether the events are erased; until then, within one transaction, they may be deleted.
    done boolean NOT NULL DEFAULT false
);

CREATE FUNCTION refuse_other_than_erasure() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM erasures WHERE session = OLD.session AND NOT done) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;

DROP TRIGGER events_stay ON events;
CREATE TRIGGER events_stay BEFORE UPDATE OR TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
FOR EACH ROW EXECUTE FUNCTION refuse_other_than_erasure();

CREATE TRIGGER erasures_stay BEFORE DELETE OR TRUNCATE ON erasures
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refuse_other_than_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT OLD.done AND NEW.done AND NEW.session = OLD.session AND NEW.chain = OLD.chain THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;

CREATE TRIGGER erasures_only_end BEFORE UPDATE ON erasures
FOR EACH ROW EXECUTE FUNCTION refuse_other_than_end();

-- Appends events if the log holds so many, and tells how many it holds then: -1 if the session's answers were erased. If it
-- holds others with all of the numbers, they are kept. Of several who append at once, all but one violate a unique key and
-- have to ask again.
CREATE OR REPLACE FUNCTION append_events(
    log text, expected bigint, texts text[],
    OUT appended boolean, OUT length bigint, OUT kept text[]
) LANGUAGE plpgsql AS $$
DECLARE
    log_id bigint;
    link bytea;
    links bytea[] := '{}';
    line text;
BEGIN
    -- Waits for an erasure of the log. The new event locks the row in the same way.
    SELECT id INTO log_id FROM sessions WHERE name = log FOR KEY SHARE;
    IF EXISTS (SELECT FROM erasures WHERE session = log_id) THEN
        appended := false;
        length := -1;
        RETURN;
    END IF;
    SELECT number + 1, chain INTO length, link FROM events WHERE session = log_id ORDER BY number DESC LIMIT 1;
    length := coalesce(length, 0);
    appended := length = expected;
    IF appended AND cardinality(texts) > 0 THEN
        IF log_id IS NULL THEN
            INSERT INTO sessions (name) VALUES (log) RETURNING id INTO log_id;
        END IF;
        IF link IS NULL THEN
            link := link_of(log, log_id);
        END IF;
        IF cardinality(texts) = 1 THEN
            -- Pages append one event at a time, and a plain insert is cheaper than one from arrays.
            INSERT INTO events (session, number, event, chain)
            VALUES (log_id, expected, texts[1], next_link(link, texts[1]));
        ELSE
            FOREACH line IN ARRAY texts LOOP
                link := next_link(link, line);
                links := links || link;
            END LOOP;
            INSERT INTO events (session, number, event, chain)
            SELECT log_id, expected + place - 1, text_of, link_of
            FROM unnest(texts, links) WITH ORDINALITY AS lines (text_of, link_of, place);
        END IF;
        length := length + cardinality(texts);
    ELSIF length > expected AND length - expected >= cardinality(texts) THEN
        SELECT coalesce(array_agg(event ORDER BY number), '{}') INTO kept FROM events
        WHERE session = log_id AND number >= expected AND number < expected + cardinality(texts);
    END IF;
END $$;

-- Replaces the events of a log that holds `expected` events, and tells how many it holds: as many if it was erased before.
CREATE FUNCTION erase_log(log text, expected bigint, texts text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    log_id bigint;
    length bigint;
    link bytea;
BEGIN
    SELECT id INTO log_id FROM sessions WHERE name = log FOR UPDATE;
    IF EXISTS (SELECT FROM erasures WHERE session = log_id) THEN
        RETURN expected;
    END IF;
    SELECT number + 1, chain INTO length, link FROM events WHERE session = log_id ORDER BY number DESC LIMIT 1;
    IF length IS DISTINCT FROM expected THEN
        RETURN coalesce(length, 0);
    END IF;
    IF link IS NULL THEN
        link := link_of(log, log_id);
    END IF;
    INSERT INTO erasures (session, chain) VALUES (log_id, link);
    DELETE FROM events WHERE session = log_id;
    link := substring(sha256(link || substring(sha256('erased') FOR 8)) FOR 8);
    FOR i IN 1 .. cardinality(texts) LOOP
        link := next_link(link, texts[i]);
        INSERT INTO events (session, number, event, chain) VALUES (log_id, i - 1, texts[i], link);
    END LOOP;
    UPDATE erasures SET done = true WHERE session = log_id;
    RETURN expected;
END $$;
