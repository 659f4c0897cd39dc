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
