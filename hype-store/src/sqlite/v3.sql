-- The texts that the entries of one kind share, with marks where the entries' own values go.
CREATE TABLE forms (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    form TEXT NOT NULL UNIQUE
) STRICT;

-- Events as compact entries. Those of a session that is in `events` already come after them.
CREATE TABLE entries (
    -- The session's id times 2^32, and the entry's number: one key, so that an entry needs no index.
    entry INTEGER PRIMARY KEY,
    -- 0 where the values are the event's text itself.
    form INTEGER NOT NULL,
    "values" BLOB NOT NULL,
    -- The hash of this entry and all before it.
    chain INTEGER NOT NULL
) STRICT;

CREATE TRIGGER forms_stay BEFORE DELETE ON forms
BEGIN SELECT RAISE (ABORT, 'forms are never deleted'); END;

CREATE TRIGGER forms_do_not_change BEFORE UPDATE ON forms
BEGIN SELECT RAISE (ABORT, 'forms are never altered'); END;

CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;

CREATE TRIGGER entries_do_not_change BEFORE UPDATE ON entries
BEGIN SELECT RAISE (ABORT, 'events are never altered'); END;

-- Refuses gaps, and INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER entries_come_in_order BEFORE INSERT ON entries
WHEN (NEW.entry & 0xFFFFFFFF) <> coalesce(
    (SELECT (entry & 0xFFFFFFFF) + 1 FROM entries
        WHERE entry BETWEEN (NEW.entry >> 32 << 32) AND (NEW.entry | 0xFFFFFFFF) ORDER BY entry DESC LIMIT 1),
    (SELECT max(number) + 1 FROM events WHERE session = NEW.entry >> 32),
    0
)
BEGIN SELECT RAISE (ABORT, 'events are appended in order'); END;

CREATE TRIGGER events_are_entries BEFORE INSERT ON events
BEGIN SELECT RAISE (ABORT, 'events are appended in order, and as entries'); END;

-- What happens to places: each row is a place's state from then on.
CREATE TABLE place_changes (
    position INTEGER PRIMARY KEY,
    place INTEGER NOT NULL CHECK (place >= 0),
    -- How many changes the place has had before.
    number INTEGER NOT NULL CHECK (number >= 0),
    -- Who holds the place, or held it last and may come back.
    holder TEXT,
    -- Microseconds.
    until INTEGER NOT NULL,
    -- How many have held it.
    holders INTEGER NOT NULL,
    occupancy TEXT NOT NULL CHECK (occupancy IN ('free', 'held', 'done')),
    UNIQUE (place, number)
) STRICT;

INSERT INTO place_changes (place, number, holder, until, holders, occupancy)
SELECT place, 0, holder, until, holders, state FROM places ORDER BY place;

DROP TABLE places;

CREATE TRIGGER place_changes_stay BEFORE DELETE ON place_changes
BEGIN SELECT RAISE (ABORT, 'changes of places are never deleted'); END;

CREATE TRIGGER place_changes_do_not_change BEFORE UPDATE ON place_changes
BEGIN SELECT RAISE (ABORT, 'changes of places are never altered'); END;
