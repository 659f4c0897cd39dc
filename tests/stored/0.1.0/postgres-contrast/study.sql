--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: stored; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA stored;


--
-- Name: append_all(text[], bigint[], integer[], text[]); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.append_all(logs text[], expected bigint[], counts integer[], texts text[], OUT appended boolean, OUT length bigint, OUT kept text[]) RETURNS SETOF record
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: append_events(text, bigint, text[]); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.append_events(log text, expected bigint, texts text[], OUT appended boolean, OUT length bigint, OUT kept text[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: append_to_journal(text, bigint, text); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.append_to_journal(journal text, wanted bigint, line text) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
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
END $_$;


--
-- Name: bind_study(text); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.bind_study(wanted text) RETURNS text
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO study (digest) VALUES (wanted) ON CONFLICT DO NOTHING;
    RETURN (SELECT digest FROM study);
END $$;


--
-- Name: change_places(bigint[], bigint[], text[], bigint[], bigint[], text[], bigint[], bigint[], boolean[]); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.change_places(changed bigint[], numbers bigint[], names text[], ends bigint[], counts bigint[], kinds text[], first_after bigint[], spending bigint[], answering boolean[]) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: erase_log(text, bigint, text[]); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.erase_log(log text, expected bigint, texts text[]) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: forget_holder(text); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.forget_holder(gone text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM people WHERE holder = gone;
    DELETE FROM sealed WHERE holder = gone;
END $$;


--
-- Name: next_link(bytea, text); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.next_link(link bytea, event text) RETURNS bytea
    LANGUAGE sql STABLE
    AS $$
    SELECT substring(sha256(link || substring(sha256('') FOR 8) || convert_to(event, 'UTF8')) FOR 8)
$$;


--
-- Name: redeem_link(text, text); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.redeem_link(wanted text, spender text) RETURNS text
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO links (link, holder) VALUES (wanted, spender) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT holder FROM links WHERE link = wanted);
END $$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;


--
-- Name: refuse_other_than_end(); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.refuse_other_than_end() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT OLD.done AND NEW.done AND NEW.session = OLD.session AND NEW.chain = OLD.chain THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;


--
-- Name: refuse_other_than_erasure(); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.refuse_other_than_erasure() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'stored'
    AS $$
BEGIN
    IF EXISTS (SELECT FROM erasures WHERE session = OLD.session AND NOT done) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% are never altered or deleted', tg_table_name;
END $$;


--
-- Name: register_person(text, text, bytea); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.register_person(person text, wanted text, blob bytea) RETURNS text
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: share_secret(bytea); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.share_secret(fresh bytea) RETURNS bytea
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO secret (secret) VALUES (fresh) ON CONFLICT DO NOTHING;
    RETURN (SELECT secret.secret FROM secret);
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: actions; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.actions (
    number bigint NOT NULL,
    action text NOT NULL,
    chain bytea NOT NULL,
    CONSTRAINT actions_number_check CHECK ((number >= 0))
);


--
-- Name: erasures; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.erasures (
    session bigint NOT NULL,
    chain bytea NOT NULL,
    done boolean DEFAULT false NOT NULL
);


--
-- Name: events; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.events (
    session bigint NOT NULL,
    number bigint NOT NULL,
    event text NOT NULL,
    chain bytea NOT NULL,
    CONSTRAINT events_number_check CHECK ((number >= 0))
);


--
-- Name: hype_version; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.hype_version (
    version integer NOT NULL
);


--
-- Name: ledger; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.ledger (
    number bigint NOT NULL,
    entry text NOT NULL,
    chain bytea NOT NULL,
    CONSTRAINT ledger_number_check CHECK ((number >= 0))
);


--
-- Name: links; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.links (
    link text NOT NULL,
    holder text NOT NULL
);


--
-- Name: people; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.people (
    key text NOT NULL,
    holder text NOT NULL
);


--
-- Name: place_changes; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.place_changes (
    "position" bigint NOT NULL,
    place bigint NOT NULL,
    number bigint NOT NULL,
    holder text,
    until bigint NOT NULL,
    holders bigint NOT NULL,
    occupancy text NOT NULL,
    spent bigint NOT NULL,
    answered boolean NOT NULL,
    CONSTRAINT place_changes_number_check CHECK ((number >= 0)),
    CONSTRAINT place_changes_occupancy_check CHECK ((occupancy = ANY (ARRAY['free'::text, 'held'::text, 'done'::text]))),
    CONSTRAINT place_changes_place_check CHECK ((place >= 0))
);


--
-- Name: place_changes_position_seq; Type: SEQUENCE; Schema: stored; Owner: -
--

ALTER TABLE stored.place_changes ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stored.place_changes_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: sealed; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.sealed (
    holder text NOT NULL,
    sealed bytea NOT NULL
);


--
-- Name: secret; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.secret (
    only_row boolean DEFAULT true NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT secret_only_row_check CHECK (only_row),
    CONSTRAINT secret_secret_check CHECK ((length(secret) = 32))
);


--
-- Name: sessions; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.sessions (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: sessions_id_seq; Type: SEQUENCE; Schema: stored; Owner: -
--

ALTER TABLE stored.sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stored.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: study; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.study (
    only_row boolean DEFAULT true NOT NULL,
    digest text NOT NULL,
    CONSTRAINT study_only_row_check CHECK (only_row)
);


--
-- Data for Name: actions; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.actions (number, action, chain) FROM stdin;
0	{"id":"be2eaa58e349382c139bcf816699fc62","by":"command line","unix_ms":1795731574159,"action":{"kind":"exclude","rater":"ra89af01e12a8275f1cc18a75bff41ffb","session":"p000000-000","reason":"asked a friend"}}	\\xa77bc6ee61e9131e
\.


--
-- Data for Name: erasures; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.erasures (session, chain, done) FROM stdin;
\.


--
-- Data for Name: events; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.events (session, number, event, chain) FROM stdin;
1	0	{"opened":{"rater":"ra89af01e12a8275f1cc18a75bff41ffb","place":{"number":0,"models":[0,1,2],"turn":0},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":null,"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x76048a5eba4962f7
1	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\xddcaaae814d2324e
1	2	{"noted":{"at":0,"note":{"attached":{"tab":"919eb80d009a5df8bc9ae38db475568d","unix_ms":3976333200216}}}}	\\x16c93305d8d8e514
1	3	{"noted":{"at":24365,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x8f97890187dcff25
1	4	{"noted":{"at":27173,"note":{"overrun":{"trial":0,"seen":2808}}}}	\\xfde15bf28302948d
1	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[16,4]},"answer":{"preference":"tie"},"timing":{"at":27173,"rt":400000}}}	\\x9293ff6db346846d
1	6	{"noted":{"at":31907,"note":{"overrun":{"trial":1,"seen":4734}}}}	\\x31292755f54872f7
1	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[12,6]},"answer":{"preference":"both-bad"},"timing":{"at":31907,"rt":410007}}}	\\xf5b559168a2103f4
1	8	{"noted":{"at":34591,"note":{"overrun":{"trial":2,"seen":2684}}}}	\\xc8e3c3234089bead
1	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[11,5]},"answer":{"preference":"B"},"timing":{"at":34591,"rt":420014}}}	\\x85d1b68e69c1c38f
1	10	{"noted":{"at":38923,"note":{"overrun":{"trial":3,"seen":4332}}}}	\\x15c1c7dc4d79b205
1	11	{"answered":{"trial":3,"shown":{"phase":"main","block":0,"stimuli":[9,15]},"answer":{"preference":"both-bad"},"timing":{"at":38923,"rt":430021}}}	\\xe7b3c58fe6d4613f
1	12	{"noted":{"at":42008,"note":{"overrun":{"trial":4,"seen":3085}}}}	\\xf23adfde1a9a5a43
1	13	{"answered":{"trial":4,"shown":{"phase":"main","block":0,"stimuli":[2,14]},"answer":{"preference":"tie"},"timing":{"at":42008,"rt":440028}}}	\\x1f1ec91a3b43ade5
1	14	{"noted":{"at":45040,"note":{"overrun":{"trial":5,"seen":3032}}}}	\\xd5c1341dbf323c17
1	15	{"answered":{"trial":5,"shown":{"phase":"main","block":0,"stimuli":[1,7]},"answer":{"preference":"tie"},"timing":{"at":45040,"rt":450035}}}	\\x99cd656ab0d7e45e
1	16	{"finished":{"ending":"completed","answered":6,"correct":0,"earned":{"base":2.0,"bonus":0.0}}}	\\xa547770eda757410
2	0	{"opened":{"rater":"r279baf161ac2b4165b40b11067d0572e","place":{"number":1,"models":[0,1,2],"turn":1},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,1,2],[1,0,2],[2,2,0]],"wins":[[0,1,0],[0,0,0],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x30a208b61d147760
2	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\xc4c76e01ab555f1b
2	2	{"noted":{"at":0,"note":{"attached":{"tab":"ee115152ad1ac33fac92b01b9b934722","unix_ms":3976333200272}}}}	\\xa4aff831e3037357
2	3	{"noted":{"at":5979,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x4e950251f65cda3c
2	4	{"noted":{"at":10154,"note":{"overrun":{"trial":0,"seen":4175}}}}	\\xdfa1e4522db818eb
2	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[7,13]},"answer":{"preference":"A"},"timing":{"at":10154,"rt":400000}}}	\\x1423a0d82fdca48d
2	6	{"noted":{"at":19365,"note":{"overrun":{"trial":1,"seen":9211}}}}	\\x762a48b6df4e3059
2	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[9,3]},"answer":{"preference":"both-bad"},"timing":{"at":19365,"rt":410007}}}	\\xcd79105a48401f05
2	8	{"noted":{"at":23243,"note":{"overrun":{"trial":2,"seen":3878}}}}	\\x538bc5dbe9f60d17
2	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[4,16]},"answer":{"preference":"tie"},"timing":{"at":23243,"rt":420014}}}	\\x5cf5b634d790f61e
2	10	{"noted":{"at":25628,"note":{"overrun":{"trial":3,"seen":2385}}}}	\\x23c483d5ebd919bb
2	11	{"answered":{"trial":3,"shown":{"phase":"main","block":0,"stimuli":[2,8]},"answer":{"preference":"both-bad"},"timing":{"at":25628,"rt":430021}}}	\\x76e4d20bee3d0cf7
2	12	{"noted":{"at":28190,"note":{"overrun":{"trial":4,"seen":2562}}}}	\\x6019f0460cbbb0b7
2	13	{"answered":{"trial":4,"shown":{"phase":"main","block":0,"stimuli":[17,11]},"answer":{"preference":"tie"},"timing":{"at":28190,"rt":440028}}}	\\x25e464c1d53362fa
2	14	{"noted":{"at":33615,"note":{"overrun":{"trial":5,"seen":5425}}}}	\\xcbead1bc46665478
2	15	{"answered":{"trial":5,"shown":{"phase":"main","block":0,"stimuli":[12,0]},"answer":{"preference":"tie"},"timing":{"at":33615,"rt":450035}}}	\\xb95ee4e7ed0e934d
2	16	{"finished":{"ending":"completed","answered":6,"correct":0,"earned":{"base":2.0,"bonus":0.0}}}	\\x98bdf95c96abfb63
3	0	{"opened":{"rater":"r13a63744cd7135ae81d666a92cd783c8","place":{"number":2,"models":[0,1,2],"turn":2},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x3dec5c8658b29c92
3	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x2622abe51a29729e
3	2	{"noted":{"at":0,"note":{"attached":{"tab":"b5a1c6cde6ae16e4403ee3780ffc29a5","unix_ms":3976333200316}}}}	\\xebfbef34e2568505
3	3	{"noted":{"at":8864,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x469f1270569fe6d0
3	4	{"noted":{"at":11424,"note":{"overrun":{"trial":0,"seen":2560}}}}	\\x9c1a282579bab244
3	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[15,9]},"answer":{"preference":"both-bad"},"timing":{"at":11424,"rt":400000}}}	\\xdc7415bd01b3da69
3	6	{"noted":{"at":18195,"note":{"overrun":{"trial":1,"seen":6771}}}}	\\x3f743190a65a7748
3	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[10,4]},"answer":{"preference":"A"},"timing":{"at":18195,"rt":410007}}}	\\x29d2b137b3c9c99a
3	8	{"left":{"at":21453}}	\\x33105b135047c1b6
3	9	{"finished":{"ending":"left","answered":2,"correct":0,"earned":{"base":0.0,"bonus":0.0}}}	\\x2ea8739cb77565eb
4	0	{"opened":{"rater":"r82ab6495ac25f71c4967100c2839a3e4","place":{"number":2,"models":[0,1,2],"turn":2},"attempt":1,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x192f69b87a5e5219
4	1	{"noted":{"at":0,"note":{"consented":{"text":"1f749ee5d158b8f9892e0dbefb0898f82b71e4088e487f92c94f2456d005a5a9","language":"de","adult":true}}}}	\\x882d0bb65dc6c8c2
4	2	{"noted":{"at":0,"note":{"attached":{"tab":"882f5525aee0cc98b288fb6f0f970aca","unix_ms":3976333200351}}}}	\\x5105b7ecb0605374
4	3	{"noted":{"at":5955,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x8ca5c6ea64710b9e
4	4	{"noted":{"at":11013,"note":{"overrun":{"trial":0,"seen":5058}}}}	\\x2f11ae5e8d235d8e
4	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[15,9]},"answer":{"preference":"tie"},"timing":{"at":11013,"rt":400000}}}	\\xdac3ae1eb60a8d58
4	6	{"noted":{"at":13809,"note":{"overrun":{"trial":1,"seen":2796}}}}	\\xb54fb000e93dcec8
4	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[10,4]},"answer":{"preference":"A"},"timing":{"at":13809,"rt":410007}}}	\\xddf26b097855878b
4	8	{"noted":{"at":17892,"note":{"overrun":{"trial":2,"seen":4083}}}}	\\xc692995b37406b3b
4	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[12,0]},"answer":{"preference":"A"},"timing":{"at":17892,"rt":420014}}}	\\x01233fb677c2287a
5	0	{"opened":{"rater":"r92ebe9ca9121a837e1257e78e59dddb5","place":{"number":3,"models":[0,1,2],"turn":3},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x9ac00bdfd7a72d87
5	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x068c2bd8c2d77158
5	2	{"noted":{"at":0,"note":{"attached":{"tab":"adbd69e9c88c6eb1b0d30bf9becbffd8","unix_ms":3976333200379}}}}	\\x026cff835b55a8b3
6	0	{"opened":{"rater":"rb4946dd3d5cc802ec27f4d894406ad12","place":{"number":4,"models":[0,1,2],"turn":4},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x564721ce2d58fcd0
6	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\xe44757379629b27b
6	2	{"noted":{"at":0,"note":{"attached":{"tab":"dc5e2f906c1d0de59962e98862cce576","unix_ms":1577955600091}}}}	\\x4d63d7ea2ebff7f3
6	3	{"noted":{"at":13243,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x48eb193536c9729e
6	4	{"noted":{"at":17178,"note":{"overrun":{"trial":0,"seen":3935}}}}	\\xef03bfb87d047ebb
6	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[14,8]},"answer":{"preference":"tie"},"timing":{"at":17178,"rt":400000}}}	\\xac0c7b3135a363d0
\.


--
-- Data for Name: hype_version; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.hype_version (version) FROM stdin;
6
\.


--
-- Data for Name: ledger; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.ledger (number, entry, chain) FROM stdin;
\.


--
-- Data for Name: links; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.links (link, holder) FROM stdin;
\.


--
-- Data for Name: people; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.people (key, holder) FROM stdin;
person:3824b62d3ebb6e926176f46aa04dc376	p000000-000.ra89af01e12a8275f1cc18a75bff41ffb
person:918308c5bd2b413794a35b978da80cb7	p000001-000.r279baf161ac2b4165b40b11067d0572e
person:bf724f1418640e6160a33aacf62dca9f	p000002-000.r13a63744cd7135ae81d666a92cd783c8
person:3732b51f41adf911ccbfe9c206340b37	p000002-001.r82ab6495ac25f71c4967100c2839a3e4
person:20b26af475c1fd25ce04c9a938591a68	p000003-000.r92ebe9ca9121a837e1257e78e59dddb5
person:65ddc6a5426cfe9d445b159aa76933b9	p000004-000.rb4946dd3d5cc802ec27f4d894406ad12
\.


--
-- Data for Name: place_changes; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.place_changes ("position", place, number, holder, until, holders, occupancy, spent, answered) FROM stdin;
1	0	0	ra89af01e12a8275f1cc18a75bff41ffb	3976335000211135	1	held	0	f
2	0	1	ra89af01e12a8275f1cc18a75bff41ffb	3976335000243173	1	held	1	t
3	0	2	\N	3976335000243173	1	done	1	t
4	1	0	r279baf161ac2b4165b40b11067d0572e	3976335000270756	1	held	0	f
5	1	1	r279baf161ac2b4165b40b11067d0572e	3976335000282154	1	held	1	t
6	1	2	\N	3976335000282154	1	done	1	t
7	2	0	r13a63744cd7135ae81d666a92cd783c8	3976335000315938	1	held	0	f
8	2	1	r13a63744cd7135ae81d666a92cd783c8	3976335000327424	1	held	1	t
9	2	2	\N	3976335000327424	1	free	1	t
10	2	3	r82ab6495ac25f71c4967100c2839a3e4	3976335000347921	2	held	1	f
11	2	4	r82ab6495ac25f71c4967100c2839a3e4	3976335000362013	2	held	2	t
12	3	0	r92ebe9ca9121a837e1257e78e59dddb5	3976335000378204	1	held	0	f
13	4	0	rb4946dd3d5cc802ec27f4d894406ad12	1577957400087211	1	held	0	f
14	4	1	rb4946dd3d5cc802ec27f4d894406ad12	1577957400108178	1	held	1	t
15	0	3	\N	3976335000243173	1	free	1	t
\.


--
-- Data for Name: sealed; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.sealed (holder, sealed) FROM stdin;
p000000-000.ra89af01e12a8275f1cc18a75bff41ffb	\\x269cba80c34e253a26f4cf510c01efd165cb117b45238337fddb1404aca22d544701fc39f9c7e1f329ab1c688922ece1c9f4
p000001-000.r279baf161ac2b4165b40b11067d0572e	\\x84d7008533047802b7117db3074dff38cd41421d61f9aa011554f869d24fbb46b58004615c8e09cd901080fda7999bd95d14
p000002-000.r13a63744cd7135ae81d666a92cd783c8	\\x86ea0388b10de148b62b74198a203fe80255b1a165c1cdfb59f4d11d365310c241f5a1c3c8a1e1a50e0547c5d0e6b17904c1
p000002-001.r82ab6495ac25f71c4967100c2839a3e4	\\x0d8024d1165825240b336b449a800508565ef388afa5f5a647b9f0a832c4b0e4067b65ec4bc1cd6820a3ec01d2aec98fbd94
p000003-000.r92ebe9ca9121a837e1257e78e59dddb5	\\x06528c5b916c521033ad6f756ae4a23cc06d463bfe1b25bea7587d8717ff706cec02d89669217e21edea2eec9a584639c6b0
p000004-000.rb4946dd3d5cc802ec27f4d894406ad12	\\x6b86cbf046547bbd4dcf38fe94d56b7d1c039c95e9bd3d428dffd0f97c7a4902a5a59b7b2648072d995dc7546c4397b8fb29
\.


--
-- Data for Name: secret; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.secret (only_row, secret) FROM stdin;
t	\\xd8df1bd3c84a1178a54a62b9292fac8ee15bdd664db7cb8da219e3c916f02477
\.


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.sessions (id, name) FROM stdin;
1	p000000-000
2	p000001-000
3	p000002-000
4	p000002-001
5	p000003-000
6	p000004-000
\.


--
-- Data for Name: study; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.study (only_row, digest) FROM stdin;
t	cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1
\.


--
-- Name: place_changes_position_seq; Type: SEQUENCE SET; Schema: stored; Owner: -
--

SELECT pg_catalog.setval('stored.place_changes_position_seq', 15, true);


--
-- Name: sessions_id_seq; Type: SEQUENCE SET; Schema: stored; Owner: -
--

SELECT pg_catalog.setval('stored.sessions_id_seq', 6, true);


--
-- Name: actions actions_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.actions
    ADD CONSTRAINT actions_pkey PRIMARY KEY (number);


--
-- Name: erasures erasures_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (session);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (session, number);


--
-- Name: ledger ledger_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (number);


--
-- Name: links links_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (link);


--
-- Name: people people_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (key);


--
-- Name: place_changes place_changes_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.place_changes
    ADD CONSTRAINT place_changes_pkey PRIMARY KEY ("position");


--
-- Name: place_changes place_changes_place_number_key; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.place_changes
    ADD CONSTRAINT place_changes_place_number_key UNIQUE (place, number);


--
-- Name: sealed sealed_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.sealed
    ADD CONSTRAINT sealed_pkey PRIMARY KEY (holder);


--
-- Name: secret secret_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (only_row);


--
-- Name: sessions sessions_name_key; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.sessions
    ADD CONSTRAINT sessions_name_key UNIQUE (name);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);


--
-- Name: study study_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.study
    ADD CONSTRAINT study_pkey PRIMARY KEY (only_row);


--
-- Name: people_by_holder; Type: INDEX; Schema: stored; Owner: -
--

CREATE INDEX people_by_holder ON stored.people USING btree (holder);


--
-- Name: actions actions_stay; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER actions_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON stored.actions FOR EACH STATEMENT EXECUTE FUNCTION stored.refuse_change();


--
-- Name: erasures erasures_only_end; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER erasures_only_end BEFORE UPDATE ON stored.erasures FOR EACH ROW EXECUTE FUNCTION stored.refuse_other_than_end();


--
-- Name: erasures erasures_stay; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER erasures_stay BEFORE DELETE OR TRUNCATE ON stored.erasures FOR EACH STATEMENT EXECUTE FUNCTION stored.refuse_change();


--
-- Name: events events_are_not_deleted; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON stored.events FOR EACH ROW EXECUTE FUNCTION stored.refuse_other_than_erasure();


--
-- Name: events events_stay; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER events_stay BEFORE UPDATE OR TRUNCATE ON stored.events FOR EACH STATEMENT EXECUTE FUNCTION stored.refuse_change();


--
-- Name: ledger ledger_stays; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER ledger_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON stored.ledger FOR EACH STATEMENT EXECUTE FUNCTION stored.refuse_change();


--
-- Name: place_changes place_changes_stay; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER place_changes_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON stored.place_changes FOR EACH STATEMENT EXECUTE FUNCTION stored.refuse_change();


--
-- Name: sessions sessions_stay; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER sessions_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON stored.sessions FOR EACH STATEMENT EXECUTE FUNCTION stored.refuse_change();


--
-- Name: erasures erasures_session_fkey; Type: FK CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.erasures
    ADD CONSTRAINT erasures_session_fkey FOREIGN KEY (session) REFERENCES stored.sessions(id);


--
-- Name: events events_session_fkey; Type: FK CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.events
    ADD CONSTRAINT events_session_fkey FOREIGN KEY (session) REFERENCES stored.sessions(id);


--
-- PostgreSQL database dump complete
--


