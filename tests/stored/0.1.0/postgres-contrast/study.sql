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
            AND had.occupancy = kinds[i] AND coalesce(had.spent, had.holders) = spending[i]
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
-- Name: link_of(text, bigint); Type: FUNCTION; Schema: stored; Owner: -
--

CREATE FUNCTION stored.link_of(log text, log_id bigint) RETURNS bytea
    LANGUAGE plpgsql
    AS $$
DECLARE
    link bytea := substring(sha256(convert_to(log, 'UTF8')) FOR 8);
    line text;
BEGIN
    FOR line IN SELECT event FROM events WHERE session = log_id ORDER BY number LOOP
        link := next_link(link, line);
    END LOOP;
    RETURN link;
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
    chain bytea,
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
    spent bigint,
    answered boolean DEFAULT true NOT NULL,
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
0	{"id":"ca194dd97a098f142463ecbefa805f6b","by":"command line","unix_ms":1795726043789,"action":{"kind":"exclude","rater":"r147af504d7053b94aaa12041adb8416b","session":"p000000-000","reason":"asked a friend"}}	\\xc9206e5ed8f37fdc
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
1	0	{"opened":{"rater":"r147af504d7053b94aaa12041adb8416b","place":{"number":0,"models":[0,1,2],"turn":0},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":null,"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\xcbca499dfedf480b
1	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\xa65507ae53d9f16a
1	2	{"noted":{"at":0,"note":{"attached":{"tab":"919eb80d009a5df8bc9ae38db475568d","unix_ms":3976333200866}}}}	\\x0525b5379267eeec
1	3	{"noted":{"at":16980,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\xa5953ec68f0518db
1	4	{"noted":{"at":25597,"note":{"overrun":{"trial":0,"seen":8617}}}}	\\xcf54d1e95b963b98
1	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[16,4]},"answer":{"preference":"tie"},"timing":{"at":25597,"rt":400000}}}	\\x8d1440510b28d470
1	6	{"noted":{"at":73217,"note":{"overrun":{"trial":1,"seen":47620}}}}	\\xe1b0c89853e7e7a1
1	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[12,6]},"answer":{"preference":"both-bad"},"timing":{"at":73217,"rt":410007}}}	\\xee9b69d613222f5f
1	8	{"noted":{"at":121609,"note":{"overrun":{"trial":2,"seen":48392}}}}	\\x73b4d85171f959b2
1	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[11,5]},"answer":{"preference":"B"},"timing":{"at":121609,"rt":420014}}}	\\x9724f11c12616f74
1	10	{"noted":{"at":161286,"note":{"overrun":{"trial":3,"seen":39677}}}}	\\xf59fc7b5ccd7a752
1	11	{"answered":{"trial":3,"shown":{"phase":"main","block":0,"stimuli":[9,15]},"answer":{"preference":"both-bad"},"timing":{"at":161286,"rt":430021}}}	\\x0f3a12f4bdec9f39
1	12	{"noted":{"at":202607,"note":{"overrun":{"trial":4,"seen":41321}}}}	\\x84a6ba3f6ede3a58
1	13	{"answered":{"trial":4,"shown":{"phase":"main","block":0,"stimuli":[2,14]},"answer":{"preference":"tie"},"timing":{"at":202607,"rt":440028}}}	\\xa7b08b4bac01a27c
1	14	{"noted":{"at":277992,"note":{"overrun":{"trial":5,"seen":75385}}}}	\\x2ad42d57c51ca939
1	15	{"answered":{"trial":5,"shown":{"phase":"main","block":0,"stimuli":[1,7]},"answer":{"preference":"tie"},"timing":{"at":277992,"rt":450035}}}	\\x6c21991f2a21026b
1	16	{"finished":{"ending":"completed","answered":6,"correct":0,"earned":{"base":2.0,"bonus":0.0}}}	\\x3b88b99354a2dd2a
2	0	{"opened":{"rater":"rf372164391e597fd81b3f81a1e82c220","place":{"number":1,"models":[0,1,2],"turn":1},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,1,2],[1,0,2],[2,2,0]],"wins":[[0,1,0],[0,0,0],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\xe790033b6a242cb8
2	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x79d5c20f7baeacd5
2	2	{"noted":{"at":0,"note":{"attached":{"tab":"ee115152ad1ac33fac92b01b9b934722","unix_ms":3976333201322}}}}	\\xfe76255f9a90d40b
2	3	{"noted":{"at":76837,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x9a3ab9d9dacfedfb
2	4	{"noted":{"at":115545,"note":{"overrun":{"trial":0,"seen":38708}}}}	\\x3fd99e922f1264ba
2	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[7,13]},"answer":{"preference":"A"},"timing":{"at":115545,"rt":400000}}}	\\x4f18ab9b57a3949c
2	6	{"noted":{"at":143604,"note":{"overrun":{"trial":1,"seen":28059}}}}	\\x6a417e26f3a1d16f
2	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[9,3]},"answer":{"preference":"both-bad"},"timing":{"at":143604,"rt":410007}}}	\\x1657136cfd70c328
2	8	{"noted":{"at":177222,"note":{"overrun":{"trial":2,"seen":33618}}}}	\\xed299d5809daf12b
2	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[4,16]},"answer":{"preference":"tie"},"timing":{"at":177222,"rt":420014}}}	\\xbdb8d9d14a23d780
2	10	{"noted":{"at":204219,"note":{"overrun":{"trial":3,"seen":26997}}}}	\\x4e10df5fef4996b1
2	11	{"answered":{"trial":3,"shown":{"phase":"main","block":0,"stimuli":[2,8]},"answer":{"preference":"both-bad"},"timing":{"at":204219,"rt":430021}}}	\\xf2847e0e7460ce5a
2	12	{"noted":{"at":224102,"note":{"overrun":{"trial":4,"seen":19883}}}}	\\xf8689411266187de
2	13	{"answered":{"trial":4,"shown":{"phase":"main","block":0,"stimuli":[17,11]},"answer":{"preference":"tie"},"timing":{"at":224102,"rt":440028}}}	\\x48d56d81bec25dcc
2	14	{"noted":{"at":261737,"note":{"overrun":{"trial":5,"seen":37635}}}}	\\x6431d9d4070651dc
2	15	{"answered":{"trial":5,"shown":{"phase":"main","block":0,"stimuli":[12,0]},"answer":{"preference":"tie"},"timing":{"at":261737,"rt":450035}}}	\\x75cbde5ccabc8689
2	16	{"finished":{"ending":"completed","answered":6,"correct":0,"earned":{"base":2.0,"bonus":0.0}}}	\\x1f869db5e3a129cc
3	0	{"opened":{"rater":"rf3b417bca40a170dce71c7913b86a9c7","place":{"number":2,"models":[0,1,2],"turn":2},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x4a064a462864b0ec
3	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x612c96f5029704b7
3	2	{"noted":{"at":0,"note":{"attached":{"tab":"b5a1c6cde6ae16e4403ee3780ffc29a5","unix_ms":3976333201714}}}}	\\xba31bfb086485669
3	3	{"noted":{"at":53144,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x7deaab54630a1dfc
3	4	{"noted":{"at":76973,"note":{"overrun":{"trial":0,"seen":23829}}}}	\\x6ec37a37dc98a5f9
3	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[15,9]},"answer":{"preference":"both-bad"},"timing":{"at":76973,"rt":400000}}}	\\x828dd1d346d67bf8
3	6	{"noted":{"at":100382,"note":{"overrun":{"trial":1,"seen":23409}}}}	\\x6b8f5070aaa7d0fb
3	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[10,4]},"answer":{"preference":"A"},"timing":{"at":100382,"rt":410007}}}	\\x18ed836f585df921
3	8	{"left":{"at":173360}}	\\xb70601cbc1e35bfa
3	9	{"finished":{"ending":"left","answered":2,"correct":0,"earned":{"base":0.0,"bonus":0.0}}}	\\x89378901a2a3a625
4	0	{"opened":{"rater":"r64e15af495754773d40645768a3b5ae4","place":{"number":2,"models":[0,1,2],"turn":2},"attempt":1,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x39ce2ba325ff3ba4
4	1	{"noted":{"at":0,"note":{"consented":{"text":"1f749ee5d158b8f9892e0dbefb0898f82b71e4088e487f92c94f2456d005a5a9","language":"de","adult":true}}}}	\\x4ce9d6676002c989
4	2	{"noted":{"at":0,"note":{"attached":{"tab":"882f5525aee0cc98b288fb6f0f970aca","unix_ms":3976333202030}}}}	\\x77b98068d670d2c9
4	4	{"noted":{"at":105032,"note":{"overrun":{"trial":0,"seen":29399}}}}	\\xae0d59e4ba049ee5
4	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[15,9]},"answer":{"preference":"tie"},"timing":{"at":105032,"rt":400000}}}	\\x0d012525c3507971
4	6	{"noted":{"at":145072,"note":{"overrun":{"trial":1,"seen":40040}}}}	\\x845e5fee9ab40016
4	7	{"answered":{"trial":1,"shown":{"phase":"main","block":0,"stimuli":[10,4]},"answer":{"preference":"A"},"timing":{"at":145072,"rt":410007}}}	\\x4c5a4ca0ecebb2be
4	8	{"noted":{"at":183797,"note":{"overrun":{"trial":2,"seen":38725}}}}	\\x05bdc6d5979ea70d
4	9	{"answered":{"trial":2,"shown":{"phase":"main","block":0,"stimuli":[12,0]},"answer":{"preference":"A"},"timing":{"at":183797,"rt":420014}}}	\\x0f38805ef40b4af5
4	3	{"noted":{"at":75633,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\x23f827df9c0acd8d
5	0	{"opened":{"rater":"r6e4af75c651beed27ca86fc8e0845554","place":{"number":3,"models":[0,1,2],"turn":3},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x7ab069d24d3e34c1
5	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\x6284f42b423a2045
5	2	{"noted":{"at":0,"note":{"attached":{"tab":"adbd69e9c88c6eb1b0d30bf9becbffd8","unix_ms":3976333202305}}}}	\\x8946e70c403c7722
6	0	{"opened":{"rater":"r784820a6dafd60bc6004ea2b18733b6c","place":{"number":4,"models":[0,1,2],"turn":4},"attempt":0,"study":"cc34d620fe724df350e64e252b77fe79e7d20db34d71e1f8e322e71717401eb1","task":"contrast","task_version":1,"briefing":{"ties":[[0,3,4],[3,0,3],[4,3,0]],"wins":[[0,1,0],[0,0,1],[0,0,0]]},"generator":"chacha8/sha256-key/1","software":"0.1.0"}}	\\x3a853a2e5484d1f6
6	1	{"noted":{"at":0,"note":{"consented":{"text":"5d432b625d7f25567434542b2076a5d199e3c8ded716fc18a193950f3fa6b7e9","language":"en","adult":true}}}}	\\xfecc0115100e5134
6	2	{"noted":{"at":0,"note":{"attached":{"tab":"dc5e2f906c1d0de59962e98862cce576","unix_ms":1577955600388}}}}	\\xea9ab5b62d82572b
6	3	{"noted":{"at":176917,"note":{"environment":{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.01,"grain_us":5,"reduced_motion":false}}}}	\\xad7ac1d85f9e824d
6	4	{"noted":{"at":320645,"note":{"overrun":{"trial":0,"seen":143728}}}}	\\xa0214b0cadbf9128
6	5	{"answered":{"trial":0,"shown":{"phase":"main","block":0,"stimuli":[14,8]},"answer":{"preference":"tie"},"timing":{"at":320645,"rt":400000}}}	\\xb10d7a79e7a08739
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
person:64546725c5df12036f4f7aa09e1bedc6	p000000-000.r147af504d7053b94aaa12041adb8416b
person:b7e1b3a671983c99195757c1f679124d	p000001-000.rf372164391e597fd81b3f81a1e82c220
person:7145cf939fc8f9fc6157495ea47c5ff0	p000002-000.rf3b417bca40a170dce71c7913b86a9c7
person:5f6a5ac280a94c795dbf13b4ec58882f	p000002-001.r64e15af495754773d40645768a3b5ae4
person:b587f5fe2ee700872d95a175316abde1	p000003-000.r6e4af75c651beed27ca86fc8e0845554
person:1c98bbaa1738e34fa4b83059fda43081	p000004-000.r784820a6dafd60bc6004ea2b18733b6c
\.


--
-- Data for Name: place_changes; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.place_changes ("position", place, number, holder, until, holders, occupancy, spent, answered) FROM stdin;
1	0	0	r147af504d7053b94aaa12041adb8416b	3976335000860457	1	held	0	f
2	0	1	r147af504d7053b94aaa12041adb8416b	3976335000891597	1	held	1	t
3	0	2	\N	3976335000891597	1	done	1	t
4	1	0	rf372164391e597fd81b3f81a1e82c220	3976335001309473	1	held	0	f
5	1	1	rf372164391e597fd81b3f81a1e82c220	3976335001437545	1	held	1	t
6	1	2	\N	3976335001437545	1	done	1	t
7	2	0	rf3b417bca40a170dce71c7913b86a9c7	3976335001688797	1	held	0	f
8	2	1	rf3b417bca40a170dce71c7913b86a9c7	3976335001790973	1	held	1	t
9	2	2	\N	3976335001790973	1	free	1	t
10	2	3	r64e15af495754773d40645768a3b5ae4	3976335002019270	2	held	1	f
11	2	4	r64e15af495754773d40645768a3b5ae4	3976335002135032	2	held	2	t
12	3	0	r6e4af75c651beed27ca86fc8e0845554	3976335002279477	1	held	0	f
13	4	0	r784820a6dafd60bc6004ea2b18733b6c	1577957400368808	1	held	0	f
14	4	1	r784820a6dafd60bc6004ea2b18733b6c	1577957400708645	1	held	1	t
15	0	3	\N	3976335000891597	1	free	1	t
\.


--
-- Data for Name: sealed; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.sealed (holder, sealed) FROM stdin;
p000000-000.r147af504d7053b94aaa12041adb8416b	\\x4d41e0aa88bde30429561dd09db4e0f1a5413b624ec7b72c28ee6fb2bb9b81df510d6ae5ca753c99c3ba211c00dbc5ed0c2e
p000001-000.rf372164391e597fd81b3f81a1e82c220	\\x080f2d18c7cc072c61f6056f9211e523987b1baac092dcd1aedb8d0c5281f43fa00f550ceb091e62e300903ac9fbb41e42a8
p000002-000.rf3b417bca40a170dce71c7913b86a9c7	\\xf84a1f59ee17723f151e83d5a69fc881c9aaa95314834f26d458f05328de9f6543c2d6ac8f7b3e5c66f30f2dbeb26f9b04ed
p000002-001.r64e15af495754773d40645768a3b5ae4	\\x61870896c2cec5d394678863cc24c4c97a1e6f1f94206500fec1564cad22e4492d406c6ad5385e47e9b7e91eb4888cb0c091
p000003-000.r6e4af75c651beed27ca86fc8e0845554	\\x14788f348e82a88ebe075807a9aaa19988002306c5e583b75fabab97b58431d579af686b42ebc74a066ee57e6a585ef93a18
p000004-000.r784820a6dafd60bc6004ea2b18733b6c	\\x91600c260dc36015e45158af724618d03fa71e2ab3a13a60947d6e75b80f73323e9dae46bf885ea1f3179434ed84e1f033f6
\.


--
-- Data for Name: secret; Type: TABLE DATA; Schema: stored; Owner: -
--

COPY stored.secret (only_row, secret) FROM stdin;
t	\\x5bd5ed05504be6cf4e7a8835421c6da6857e9b930c3a47170d51e5661b1b57dd
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


