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
    PRIMARY KEY (session, number)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;

CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sessions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON sessions
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE places (
    place bigint PRIMARY KEY,
    -- Who holds the place, or held it last and may come back.
    holder text,
    -- Microseconds.
    until bigint NOT NULL,
    -- How many have held it.
    holders bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('free', 'held', 'done'))
);

CREATE INDEX free_places ON places (holders, place) WHERE state = 'free';
CREATE INDEX leases ON places (until) WHERE state = 'held';
CREATE INDEX holders ON places (holder) WHERE holder IS NOT NULL;

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

-- Appends events if the log holds so many, and tells how many it holds then. If it holds others with all of the
-- numbers, they are kept. Of several who append at once, all but one violate a unique key and have to ask again.
CREATE FUNCTION append_events(
    log text, expected bigint, texts text[],
    OUT appended boolean, OUT length bigint, OUT kept text[]
) LANGUAGE plpgsql AS $$
DECLARE
    log_id bigint;
BEGIN
    SELECT id INTO log_id FROM sessions WHERE name = log;
    SELECT coalesce(max(number) + 1, 0) INTO length FROM events WHERE session = log_id;
    appended := length = expected;
    IF appended AND cardinality(texts) > 0 THEN
        IF log_id IS NULL THEN
            INSERT INTO sessions (name) VALUES (log) RETURNING id INTO log_id;
        END IF;
        INSERT INTO events (session, number, event)
        SELECT log_id, expected + place - 1, line
        FROM unnest(texts) WITH ORDINALITY AS lines (line, place);
        length := length + cardinality(texts);
    ELSIF length > expected AND length - expected >= cardinality(texts) THEN
        SELECT coalesce(array_agg(event ORDER BY number), '{}') INTO kept FROM events
        WHERE session = log_id AND number >= expected AND number < expected + cardinality(texts);
    END IF;
END $$;

-- Claims the first free place, or the one that is the holder's; nothing if there is none.
CREATE FUNCTION claim_next(
    claimant text, plan bigint, replacements bigint, instant bigint, lease_end bigint,
    OUT claimed bigint, OUT attempt bigint
) LANGUAGE plpgsql AS $$
DECLARE
    fewest bigint;
    had bigint;
    next bigint;
    candidate bigint;
BEGIN
    -- One claim after the other, so that each finds the first place.
    PERFORM pg_advisory_xact_lock('places'::regclass::oid::bigint);
    UPDATE places SET state = 'held', until = greatest(until, lease_end)
    WHERE place = (SELECT min(place) FROM places WHERE holder = claimant) AND holder = claimant
    RETURNING place, holders - 1 INTO claimed, attempt;
    IF FOUND THEN
        RETURN;
    END IF;
    UPDATE places SET state = 'free' WHERE state = 'held' AND until <= instant;
    LOOP
        SELECT coalesce(max(place) + 1, 0) INTO candidate FROM places;
        -- Visits one free place for each number of holders that a place can have had.
        fewest := 0;
        LOOP
            SELECT holders, place INTO had, next FROM places
            WHERE state = 'free' AND holders >= fewest ORDER BY holders, place LIMIT 1;
            EXIT WHEN NOT FOUND OR had > replacements;
            candidate := least(candidate, next);
            fewest := had + 1;
        END LOOP;
        IF candidate >= plan THEN
            RETURN;
        END IF;
        INSERT INTO places AS kept (place, holder, until, holders, state)
        VALUES (candidate, claimant, lease_end, 1, 'held')
        ON CONFLICT (place) DO UPDATE
        SET holder = claimant, until = lease_end, holders = kept.holders + 1, state = 'held'
        WHERE kept.state = 'free'
        RETURNING place, holders - 1 INTO claimed, attempt;
        -- Not so if its last holder has come back meanwhile.
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
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
CREATE FUNCTION spend_link(wanted text, spender text) RETURNS text LANGUAGE plpgsql AS $$
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
