-- How many of the holders answered a trial. None where an earlier version wrote the row: all of them.
ALTER TABLE place_changes ADD COLUMN spent INTEGER;

-- Whether the current or last holder is one of them.
ALTER TABLE place_changes ADD COLUMN answered INTEGER NOT NULL DEFAULT 1 CHECK (answered IN (0, 1));

-- Sessions whose answers were erased on request.
CREATE TABLE erasures (
    session INTEGER PRIMARY KEY REFERENCES sessions (id),
    -- The hash of the last event that was erased. The hashes of the events in its place follow from it.
    chain INTEGER NOT NULL,
    -- Whether the events are erased; until then, within one transaction, they may be deleted.
    done INTEGER NOT NULL CHECK (done IN (0, 1))
) STRICT;

CREATE TRIGGER erasures_stay BEFORE DELETE ON erasures
BEGIN SELECT RAISE (ABORT, 'erasures are never deleted'); END;

CREATE TRIGGER erasures_only_end BEFORE UPDATE ON erasures
WHEN OLD.done <> 0 OR NEW.done <> 1 OR NEW.session <> OLD.session OR NEW.chain <> OLD.chain
BEGIN SELECT RAISE (ABORT, 'erasures are never altered'); END;

-- Refuses INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER erasures_come_once BEFORE INSERT ON erasures
WHEN EXISTS (SELECT 1 FROM erasures WHERE session = NEW.session)
BEGIN SELECT RAISE (ABORT, 'a session is erased once'); END;

DROP TRIGGER events_stay;
CREATE TRIGGER events_stay BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE session = OLD.session AND done = 0)
BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;

DROP TRIGGER entries_stay;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE session = OLD.entry >> 32 AND done = 0)
BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;
