CREATE TABLE hype_version (version integer NOT NULL);
INSERT INTO hype_version VALUES (6);

CREATE TABLE study (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    digest text NOT NULL
);

CREATE TABLE sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- In the order of bytes, whatever the database's language.
    name text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE events (
    session bigint NOT NULL REFERENCES sessions (id),
    number bigint NOT NULL CHECK (number >= 0),
    -- JSON, as it was written: jsonb would change numbers and refuse some texts.
    event text NOT NULL,
    -- The hash of this event and all before it in its session.
    chain bytea NOT NULL,
    PRIMARY KEY (session, number)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;

CREATE TRIGGER sessions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON sessions
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
    -- How many of the holders answered a trial.
    spent bigint NOT NULL,
    -- Whether the current or last holder is one of them.
    answered boolean NOT NULL,
    UNIQUE (place, number)
);

CREATE TRIGGER place_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON place_changes
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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

CREATE TABLE people (
    key text PRIMARY KEY,
    holder text NOT NULL
);

CREATE INDEX people_by_holder ON people (holder);

CREATE TABLE sealed (
    holder text PRIMARY KEY,
    sealed bytea NOT NULL
);

CREATE TABLE links (
    link text PRIMARY KEY,
    holder text NOT NULL
);

CREATE TABLE secret (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    secret bytea NOT NULL CHECK (length(secret) = 32)
);

-- Binds the schema to a study, and tells to which one it is bound.
CREATE FUNCTION bind_study(wanted text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO study (digest) VALUES (wanted) ON CONFLICT DO NOTHING;
    RETURN (SELECT digest FROM study);
END $$;

-- The hash of a log with one more event. An event has no form here, which is hashed as an empty text.
-- Declared stable because `convert_to` is stable. PostgreSQL would not inline it if it were declared immutable.
CREATE FUNCTION next_link(link bytea, event text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT substring(sha256(link || substring(sha256('') FOR 8) || convert_to(event, 'UTF8')) FOR 8)
$$;

-- Appends events if the log holds so many, and tells how many it holds then: -1 if the session's answers were erased. If it
-- holds others with all of the numbers, they are kept. Of several who append at once, all but one violate a unique key and
-- have to ask again.
CREATE FUNCTION append_events(
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
        link := coalesce(link, substring(sha256(convert_to(log, 'UTF8')) FOR 8));
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

-- Appends to several logs in the order given, to each so many (`counts`) of the texts, as `append_events` does to one.
CREATE FUNCTION append_all(
    logs text[], expected bigint[], counts integer[], texts text[],
    OUT appended boolean, OUT length bigint, OUT kept text[]
) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    first integer := 1;
BEGIN
    FOR number IN 1 .. cardinality(logs) LOOP
        SELECT one.appended, one.length, one.kept INTO appended, length, kept
        FROM append_events(logs[number], expected[number], texts[first : first + counts[number] - 1]) AS one;
        RETURN NEXT;
        first := first + counts[number];
    END LOOP;
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
            AND had.occupancy = kinds[i] AND had.spent = spending[i]
            AND had.answered = answering[i]
            AND NOT EXISTS (SELECT FROM place_changes WHERE place = changed[i] AND number > numbers[i]);
        END IF;
        RETURN NEXT appended;
    END LOOP;
END $$;

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

-- Binds a person's key, and what is sealed, to a holder; tells who it was bound to if it was.
CREATE FUNCTION register_person(person text, wanted text, blob bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    bound text;
BEGIN
    LOOP
        INSERT INTO people (key, holder) VALUES (person, wanted) ON CONFLICT DO NOTHING;
        IF FOUND THEN
            INSERT INTO sealed (holder, sealed) SELECT wanted, blob WHERE blob IS NOT NULL ON CONFLICT DO NOTHING;
            RETURN NULL;
        END IF;
        SELECT holder INTO bound FROM people WHERE key = person;
        -- Not so if somebody has been forgotten meanwhile.
        IF FOUND THEN
            RETURN bound;
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION forget_holder(gone text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM people WHERE holder = gone;
    DELETE FROM sealed WHERE holder = gone;
END $$;

-- Binds a link to a holder; tells who it was bound to if it was.
CREATE FUNCTION redeem_link(wanted text, spender text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO links (link, holder) VALUES (wanted, spender) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT holder FROM links WHERE link = wanted);
END $$;

CREATE FUNCTION share_secret(fresh bytea) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO secret (secret) VALUES (fresh) ON CONFLICT DO NOTHING;
    RETURN (SELECT secret.secret FROM secret);
END $$;
