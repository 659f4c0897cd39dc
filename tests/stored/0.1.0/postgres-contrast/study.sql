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
-- Name: keep_ledger_head(); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.keep_ledger_head() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'stored'
    AS $$
BEGIN
    INSERT INTO ledger_head (entries, chain) VALUES (NEW.number + 1, NEW.chain)
    ON CONFLICT (only_row) DO UPDATE SET entries = excluded.entries, chain = excluded.chain;
    RETURN NULL;
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
-- Name: ledger_head; Type: TABLE; Schema: stored; Owner: -
--

CREATE TABLE stored.ledger_head (
    only_row boolean DEFAULT true NOT NULL,
    entries bigint NOT NULL,
    chain bytea NOT NULL,
    CONSTRAINT ledger_head_only_row_check CHECK (only_row)
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
0	{"id":"226e4c474666a3d96e74287ea986051d","by":"command line","unix_ms":1795745386823,"action":{"kind":"exclude","rater":"rbdb503ed826b8e96e3f63211c13457d4","session":"p000000-000","reason":"asked a friend"}}	\\x03a109db5cbbf046
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
1	0	{"opened":{"rater":"rbdb503ed826b8e96e3f63211c13457d4","place":{"number":0,"models":[0,1,2],"turn":0},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":null,"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x52b97fe259b20b53
1	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x42f0c41bb6dc2eb2
1	2	{"noted":{"at":0,"note":{"attached":{"tab":"919eb80d009a5df8bc9ae38db475568d","unix_ms":3976333200107}}}}	\\x6f36bd6b92799721
1	3	{"noted":{"at":7624,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x6ec709fcd9601cfc
1	4	{"noted":{"at":10569,"note":{"overrun":{"trial":0,"seen":2945}}}}	\\x89e27306d0e5ae75
1	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[16,4]},"answer":{"preference":"tie"},"timing":{"at":10569,"rt":400000}}}	\\xac4bab5846a39ba6
1	6	{"noted":{"at":14579,"note":{"overrun":{"trial":1,"seen":4010}}}}	\\x8d1df5595e844556
1	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[12,6]},"answer":{"preference":"both-bad"},"timing":{"at":14579,"rt":410007}}}	\\x081405dfa59bb750
1	8	{"noted":{"at":17010,"note":{"overrun":{"trial":2,"seen":2431}}}}	\\x40cde45ee2e062a9
1	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[11,5]},"answer":{"preference":"B"},"timing":{"at":17010,"rt":420014}}}	\\xb927339b1fe54682
1	10	{"noted":{"at":19374,"note":{"overrun":{"trial":3,"seen":2364}}}}	\\x2a78e834117d0ad5
1	11	{"answered":{"trial":3,"shown":{"phase":"main","block":0,"stimuli":[9,15]},"answer":{"preference":"both-bad"},"timing":{"at":19374,"rt":430021}}}	\\xa71122311e036637
1	12	{"noted":{"at":21896,"note":{"overrun":{"trial":4,"seen":2522}}}}	\\xedc04def23cc4e11
1	13	{"answered":{"trial":4,"shown":{"phase":"main","block":0,"stimuli":[2,14]},"answer":{"preference":"tie"},"timing":{"at":21896,"rt":440028}}}	\\xf7785cc7632e579d
1	14	{"noted":{"at":24378,"note":{"overrun":{"trial":5,"seen":2482}}}}	\\x0ccb96f84af7f527
1	15	{"answered":{"trial":5,"shown":{"phase":"main","block":0,"stimuli":[1,7]},"answer":{"preference":"tie"},"timing":{"at":24378,"rt":450035}}}	\\x6e55ddec2d56e2bb
1	16	{"finished":{"ending":"completed","answered":6,"correct":0,"earned":{"base":2.0,"bonus":0.0}}}	\\xdb125d974c657ca5
2	0	{"opened":{"rater":"rbdbb40e756df0ce2ae9be334a4eb57fd","place":{"number":1,"models":[0,1,2],"turn":1},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,1,2],[1,0,2],[2,2,0]],"wins":[[0,1,0],[0,0,0],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x76f8ba82482fac9b
2	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x70069aa6fe81e48e
2	2	{"noted":{"at":0,"note":{"attached":{"tab":"ee115152ad1ac33fac92b01b9b934722","unix_ms":3976333200142}}}}	\\x57c8694657a31b04
2	3	{"noted":{"at":6483,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x9c714b86962950f6
2	4	{"noted":{"at":8858,"note":{"overrun":{"trial":0,"seen":2375}}}}	\\x85598ee22479bdf1
2	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[7,13]},"answer":{"preference":"A"},"timing":{"at":8858,"rt":400000}}}	\\x4f47a418dc36b532
2	6	{"noted":{"at":12217,"note":{"overrun":{"trial":1,"seen":3359}}}}	\\x3f033fea37ba8408
2	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[9,3]},"answer":{"preference":"both-bad"},"timing":{"at":12217,"rt":410007}}}	\\x1ed01eaa44746224
2	8	{"noted":{"at":14546,"note":{"overrun":{"trial":2,"seen":2329}}}}	\\xf05059ef1782ab09
2	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[4,16]},"answer":{"preference":"tie"},"timing":{"at":14546,"rt":420014}}}	\\x3ff6f6d279f90b04
2	10	{"noted":{"at":16888,"note":{"overrun":{"trial":3,"seen":2342}}}}	\\x480f6c253c89db88
2	11	{"answered":{"trial":3,"shown":{"phase":"main","block":0,"stimuli":[2,8]},"answer":{"preference":"both-bad"},"timing":{"at":16888,"rt":430021}}}	\\xa36378c1a770cf3f
2	12	{"noted":{"at":19318,"note":{"overrun":{"trial":4,"seen":2430}}}}	\\x11d92fe5a6caa8f1
2	13	{"answered":{"trial":4,"shown":{"phase":"main","block":0,"stimuli":[17,11]},"answer":{"preference":"tie"},"timing":{"at":19318,"rt":440028}}}	\\x8de8b8ad9c15dd2c
2	14	{"noted":{"at":21470,"note":{"overrun":{"trial":5,"seen":2152}}}}	\\xc21b4c71587f925f
2	15	{"answered":{"trial":5,"shown":{"phase":"main","block":0,"stimuli":[12,0]},"answer":{"preference":"tie"},"timing":{"at":21470,"rt":450035}}}	\\xb47756887cf4f509
2	16	{"finished":{"ending":"completed","answered":6,"correct":0,"earned":{"base":2.0,"bonus":0.0}}}	\\x9fd3deef789391df
3	0	{"opened":{"rater":"r0a1561b71b7139e5f9d0d34ac33e0a06","place":{"number":2,"models":[0,1,2],"turn":2},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x865a4d184348389f
3	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\xeedf4e019dbffd24
3	2	{"noted":{"at":0,"note":{"attached":{"tab":"b5a1c6cde6ae16e4403ee3780ffc29a5","unix_ms":3976333200172}}}}	\\x9c4fec1deee01d38
3	3	{"noted":{"at":6098,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\xe0166ed17de8ac4d
3	4	{"noted":{"at":8818,"note":{"overrun":{"trial":0,"seen":2720}}}}	\\x0a01a7cb6f3259cd
3	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[15,9]},"answer":{"preference":"both-bad"},"timing":{"at":8818,"rt":400000}}}	\\xd5dac30b7b7a1a64
3	6	{"noted":{"at":12107,"note":{"overrun":{"trial":1,"seen":3289}}}}	\\xb360acf9c0e3ca97
3	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[10,4]},"answer":{"preference":"A"},"timing":{"at":12107,"rt":410007}}}	\\x188a7d1752fed0d5
3	8	{"left":{"at":15729}}	\\x770edb782f012ad4
3	9	{"finished":{"ending":"left","answered":2,"correct":0,"earned":{"base":0.0,"bonus":0.0}}}	\\xcf1552387617ce98
4	0	{"opened":{"rater":"r10979a3ae0552153d9965844edfaf8d3","place":{"number":2,"models":[0,1,2],"turn":2},"attempt":1,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x692b18bbc0b71ad0
4	1	{"noted":{"at":0,"note":{"consented":{"text":"1f749ee5d158b8f9892e0dbefb0898f82b71e4088e487f92c94f2456d005a5a9","language":"de","adult":true}}}}	\\x017530b94e6df7f1
4	2	{"noted":{"at":0,"note":{"attached":{"tab":"882f5525aee0cc98b288fb6f0f970aca","unix_ms":3976333200196}}}}	\\xec3de2dffe097c0d
4	3	{"noted":{"at":4795,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\xcdbaa1e3416d9910
4	4	{"noted":{"at":6899,"note":{"overrun":{"trial":0,"seen":2104}}}}	\\x39f69f458caec049
4	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[15,9]},"answer":{"preference":"tie"},"timing":{"at":6899,"rt":400000}}}	\\xd20ca1b72449b69f
4	6	{"noted":{"at":9626,"note":{"overrun":{"trial":1,"seen":2727}}}}	\\xfceb99d1336376d5
4	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[10,4]},"answer":{"preference":"A"},"timing":{"at":9626,"rt":410007}}}	\\x96f47a9ada917368
4	8	{"noted":{"at":11665,"note":{"overrun":{"trial":2,"seen":2039}}}}	\\x1f9abc6f174fd4a8
4	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[12,0]},"answer":{"preference":"A"},"timing":{"at":11665,"rt":420014}}}	\\xef80874bede3f2a5
5	0	{"opened":{"rater":"r5d18b50b4fde416d9743204d734aea6f","place":{"number":3,"models":[0,1,2],"turn":3},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x83c2160195de0806
5	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x0304dfe6971418f1
5	2	{"noted":{"at":0,"note":{"attached":{"tab":"adbd69e9c88c6eb1b0d30bf9becbffd8","unix_ms":3976333200213}}}}	\\xd0e8178d57667d1d
6	0	{"opened":{"rater":"r56a5345bdbe7886b1b50e135025df25c","place":{"number":4,"models":[0,1,2],"turn":4},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x9c2bba4c1c338228
6	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x8f761ad582170138
6	2	{"noted":{"at":0,"note":{"attached":{"tab":"dc5e2f906c1d0de59962e98862cce576","unix_ms":1577955600058}}}}	\\x34dd310f9987c9ae
6	3	{"noted":{"at":12239,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x7bb21266eb7d348b
6	4	{"noted":{"at":15032,"note":{"overrun":{"trial":0,"seen":2793}}}}	\\x6c9596f21c7e1781
6	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[14,8]},"answer":{"preference":"tie"},"timing":{"at":15032,"rt":400000}}}	\\x7f0ede3afb4ef6a6
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
-- Data for Name: ledger_head; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.ledger_head (only_row, entries, chain) FROM stdin;
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
person:21735b9f7de41a2ad97711be12244311	p000000-000.rbdb503ed826b8e96e3f63211c13457d4
person:cddc5e1305c6e5aa619c4b44f4528e56	p000001-000.rbdbb40e756df0ce2ae9be334a4eb57fd
person:f24e08d41813eae80c7f5eff8c5fa2e6	p000002-000.r0a1561b71b7139e5f9d0d34ac33e0a06
person:20ae7a9afe8b7c9711cdc719f4e3775e	p000002-001.r10979a3ae0552153d9965844edfaf8d3
person:7ae3d13b002b95955790ccd18888280c	p000003-000.r5d18b50b4fde416d9743204d734aea6f
person:c8607532ce8099c0013f3f58fc89500b	p000004-000.r56a5345bdbe7886b1b50e135025df25c
\.


--
-- Data for Name: place_changes; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.place_changes ("position", place, number, holder, until, holders, occupancy, spent, answered) FROM stdin;
1	0	0	rbdb503ed826b8e96e3f63211c13457d4	3976335000104990	1	held	0	f
2	0	1	rbdb503ed826b8e96e3f63211c13457d4	3976335000117569	1	held	1	t
3	0	2	\N	3976335000117569	1	done	1	t
4	1	0	rbdbb40e756df0ce2ae9be334a4eb57fd	3976335000140201	1	held	0	f
5	1	1	rbdbb40e756df0ce2ae9be334a4eb57fd	3976335000150858	1	held	1	t
6	1	2	\N	3976335000150858	1	done	1	t
7	2	0	r0a1561b71b7139e5f9d0d34ac33e0a06	3976335000171426	1	held	0	f
8	2	1	r0a1561b71b7139e5f9d0d34ac33e0a06	3976335000180818	1	held	1	t
9	2	2	\N	3976335000180818	1	free	1	t
10	2	3	r10979a3ae0552153d9965844edfaf8d3	3976335000194807	2	held	1	f
11	2	4	r10979a3ae0552153d9965844edfaf8d3	3976335000202899	2	held	2	t
12	3	0	r5d18b50b4fde416d9743204d734aea6f	3976335000212533	1	held	0	f
13	4	0	r56a5345bdbe7886b1b50e135025df25c	1577957400056303	1	held	0	f
14	4	1	r56a5345bdbe7886b1b50e135025df25c	1577957400073032	1	held	1	t
15	0	3	\N	3976335000117569	1	free	1	t
\.


--
-- Data for Name: sealed; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.sealed (holder, sealed) FROM stdin;
p000000-000.rbdb503ed826b8e96e3f63211c13457d4	\\x52f048f67b2ff715c1d9bd5a4b9c8091363b15321db787e68f4f81141a03d256a121ed49e9ea9a516ffa26f246097edb3a8b
p000001-000.rbdbb40e756df0ce2ae9be334a4eb57fd	\\x143a4064042372606d99ad734fcd2e26e966ebfa09562a7a57aaf71291f968960c4d199cf2f79f272c5cec2b55281fbf3837
p000002-000.r0a1561b71b7139e5f9d0d34ac33e0a06	\\xc21b53fa54eb8a2907cb4e50965f7fb9f4b0581ba017b25c2204a55e9f252dea562a3544e4cfdde0d54dfc55262d617d231c
p000002-001.r10979a3ae0552153d9965844edfaf8d3	\\xb9aed31bbacd4998cc106a191a8cf12491eba2f78e4500435089f1bfa3019cd7932ee52f4a18411fb57875a43e344051adc0
p000003-000.r5d18b50b4fde416d9743204d734aea6f	\\x292badaff90148d355e08119b10afdeb72c859caec020db05011d7b024e05f0272d613dedee0855fb1f5149147e936dc16e5
p000004-000.r56a5345bdbe7886b1b50e135025df25c	\\x128fd5be24f8838ba216c2b84d5c66a743bd861e1d0626ab723c5233412c9437bd91aaab9ad31961fb982b33a648c773b56a
\.


--
-- Data for Name: secret; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.secret (only_row, secret) FROM stdin;
t	\\x05e0e51ddfaf642ddc158351ec679c6c71306c9f1e42770d8b3a7932a67145d3
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
-- Name: ledger_head ledger_head_pkey; Type: CONSTRAINT; Schema: stored; Owner: -
--

ALTER TABLE ONLY stored.ledger_head
    ADD CONSTRAINT ledger_head_pkey PRIMARY KEY (only_row);


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
-- Name: ledger ledger_keeps_its_head; Type: TRIGGER; Schema: stored; Owner: -
--

CREATE TRIGGER ledger_keeps_its_head AFTER INSERT ON stored.ledger FOR EACH ROW EXECUTE FUNCTION stored.keep_ledger_head();


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


