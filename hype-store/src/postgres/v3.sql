-- The hash of an event and all before it in its session; none where an earlier version wrote the event.
ALTER TABLE events ADD COLUMN chain bytea;

-- The hash of a log with one more event. An event has no form here, which is hashed as an empty text.
-- Declared stable because `convert_to` is stable. PostgreSQL would not inline it if it were declared immutable.
CREATE FUNCTION next_link(link bytea, event text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT substring(sha256(link || substring(sha256('') FOR 8) || convert_to(event, 'UTF8')) FOR 8)
$$;

-- The hash of a session's log as it is, computed from its events.
CREATE FUNCTION link_of(log text, log_id bigint) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    link bytea := substring(sha256(convert_to(log, 'UTF8')) FOR 8);
    line text;
BEGIN
    FOR line IN SELECT event FROM events WHERE session = log_id ORDER BY number LOOP
        link := next_link(link, line);
    END LOOP;
    RETURN link;
END $$;

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
    SELECT id INTO log_id FROM sessions WHERE name = log;
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

-- What happens to places: each row is a place's state from then on.
CREATE TABLE place_changes (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    place bigint NOT NULL CHECK (place >= 0),
    -- How many changes the place has had before.
    number bigint NOT NULL CHECK (number >= 0),
    -- Who holds the place, or held it last and may come back.
    holder text,
    -- Microseconds.
    until bigint NOT NULL,
    -- How many have held it.
    holders bigint NOT NULL,
    occupancy text NOT NULL CHECK (occupancy IN ('free', 'held', 'done')),
    UNIQUE (place, number)
);

INSERT INTO place_changes (place, number, holder, until, holders, occupancy)
SELECT place, 0, holder, until, holders, state FROM places ORDER BY place;

CREATE TRIGGER place_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON place_changes
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DROP FUNCTION claim_next;
DROP TABLE places;

-- Appends changes of places in the order given; tells of each its position if it is the last one of its place then. With
-- a position in first_after, the change's holder must not be in a later entry.
CREATE FUNCTION change_places(
    changed bigint[], numbers bigint[], names text[], ends bigint[], counts bigint[], kinds text[],
    first_after bigint[]
) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    appended bigint;
BEGIN
    -- One statement after the other, so that positions are in the order in which they can be read.
    PERFORM pg_advisory_xact_lock('place_changes'::regclass::oid::bigint);
    FOR i IN 1 .. cardinality(changed) LOOP
        INSERT INTO place_changes (place, number, holder, until, holders, occupancy)
        SELECT changed[i], numbers[i], names[i], ends[i], counts[i], kinds[i]
        WHERE numbers[i] = (SELECT coalesce(max(number) + 1, 0) FROM place_changes WHERE place = changed[i])
        AND NOT EXISTS (
            SELECT FROM place_changes AS later WHERE later.position > first_after[i] AND later.holder = names[i]
        )
        RETURNING position INTO appended;
        IF NOT FOUND THEN
            SELECT had.position INTO appended FROM place_changes AS had
            WHERE had.place = changed[i] AND had.number = numbers[i]
            AND had.holder IS NOT DISTINCT FROM names[i] AND had.until = ends[i] AND had.holders = counts[i]
            AND had.occupancy = kinds[i]
            AND NOT EXISTS (SELECT FROM place_changes WHERE place = changed[i] AND number > numbers[i]);
        END IF;
        RETURN NEXT appended;
    END LOOP;
END $$;

ALTER FUNCTION spend_link RENAME TO redeem_link;
