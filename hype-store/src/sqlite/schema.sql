CREATE TABLE study (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
    digest TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TRIGGER sessions_stay BEFORE DELETE ON sessions
BEGIN SELECT RAISE (ABORT, 'sessions are never deleted'); END;

CREATE TRIGGER sessions_do_not_change BEFORE UPDATE ON sessions
BEGIN SELECT RAISE (ABORT, 'sessions are never altered'); END;

-- The texts that the entries of one kind share, with marks where the entries' own values go.
CREATE TABLE forms (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    form TEXT NOT NULL UNIQUE
) STRICT;

CREATE TRIGGER forms_stay BEFORE DELETE ON forms
BEGIN SELECT RAISE (ABORT, 'forms are never deleted'); END;

CREATE TRIGGER forms_do_not_change BEFORE UPDATE ON forms
BEGIN SELECT RAISE (ABORT, 'forms are never altered'); END;

-- Events as compact entries.
CREATE TABLE entries (
    -- The session's id times 2^32, and the entry's number: one key, so that an entry needs no index.
    entry INTEGER PRIMARY KEY,
    -- 0 where the values are the event's text itself.
    form INTEGER NOT NULL,
    "values" BLOB NOT NULL,
    -- The hash of this entry and all before it.
    chain INTEGER NOT NULL
) STRICT;

CREATE TRIGGER entries_do_not_change BEFORE UPDATE ON entries
BEGIN SELECT RAISE (ABORT, 'events are never altered'); END;

-- Refuses gaps, and INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER entries_come_in_order BEFORE INSERT ON entries
WHEN (NEW.entry & 0xFFFFFFFF) <> coalesce(
    (SELECT (entry & 0xFFFFFFFF) + 1 FROM entries
        WHERE entry BETWEEN (NEW.entry >> 32 << 32) AND (NEW.entry | 0xFFFFFFFF) ORDER BY entry DESC LIMIT 1),
    0
)
BEGIN SELECT RAISE (ABORT, 'events are appended in order'); END;

-- Sessions whose answers were erased on request.
CREATE TABLE erasures (
    session INTEGER PRIMARY KEY REFERENCES sessions (id),
    -- The hash of the last event that was erased. The hashes of the events in its place follow from it.
    chain INTEGER NOT NULL,
    -- Whether the events are erased; until then, within one transaction, they may be deleted.
    done INTEGER NOT NULL CHECK (done IN (0, 1))
) STRICT;

CREATE TRIGGER entries_stay BEFORE DELETE ON entries
WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE session = OLD.entry >> 32 AND done = 0)
BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;

CREATE TRIGGER erasures_stay BEFORE DELETE ON erasures
BEGIN SELECT RAISE (ABORT, 'erasures are never deleted'); END;

CREATE TRIGGER erasures_only_end BEFORE UPDATE ON erasures
WHEN OLD.done <> 0 OR NEW.done <> 1 OR NEW.session <> OLD.session OR NEW.chain <> OLD.chain
BEGIN SELECT RAISE (ABORT, 'erasures are never altered'); END;

-- Refuses INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER erasures_come_once BEFORE INSERT ON erasures
WHEN EXISTS (SELECT 1 FROM erasures WHERE session = NEW.session)
BEGIN SELECT RAISE (ABORT, 'a session is erased once'); END;

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
    -- How many of the holders answered a trial.
    spent INTEGER NOT NULL,
    -- Whether the current or last holder is one of them.
    answered INTEGER NOT NULL CHECK (answered IN (0, 1)),
    UNIQUE (place, number)
) STRICT;

CREATE TRIGGER place_changes_stay BEFORE DELETE ON place_changes
BEGIN SELECT RAISE (ABORT, 'changes of places are never deleted'); END;

CREATE TRIGGER place_changes_do_not_change BEFORE UPDATE ON place_changes
BEGIN SELECT RAISE (ABORT, 'changes of places are never altered'); END;

-- What operators did.
CREATE TABLE actions (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    -- JSON.
    action TEXT NOT NULL,
    -- The hash of this entry and all before it.
    chain INTEGER NOT NULL
) STRICT;

CREATE TRIGGER actions_stay BEFORE DELETE ON actions
BEGIN SELECT RAISE (ABORT, 'actions are never deleted'); END;

CREATE TRIGGER actions_do_not_change BEFORE UPDATE ON actions
BEGIN SELECT RAISE (ABORT, 'actions are never altered'); END;

-- Refuses gaps, and INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER actions_come_in_order BEFORE INSERT ON actions
WHEN NEW.number <> (SELECT coalesce(max(number) + 1, 0) FROM actions)
BEGIN SELECT RAISE (ABORT, 'actions are appended in order'); END;

-- What was listed and paid.
CREATE TABLE ledger (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    -- JSON.
    entry TEXT NOT NULL,
    -- The hash of this entry and all before it.
    chain INTEGER NOT NULL
) STRICT;

CREATE TRIGGER ledger_stays BEFORE DELETE ON ledger
BEGIN SELECT RAISE (ABORT, 'entries of the ledger are never deleted'); END;

CREATE TRIGGER ledger_does_not_change BEFORE UPDATE ON ledger
BEGIN SELECT RAISE (ABORT, 'entries of the ledger are never altered'); END;

-- Refuses gaps, and INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER ledger_comes_in_order BEFORE INSERT ON ledger
WHEN NEW.number <> (SELECT coalesce(max(number) + 1, 0) FROM ledger)
BEGIN SELECT RAISE (ABORT, 'entries of the ledger are appended in order'); END;

CREATE TABLE people (
    key TEXT PRIMARY KEY,
    holder TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX people_by_holder ON people (holder);

CREATE TABLE sealed (
    holder TEXT PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
    link TEXT PRIMARY KEY,
    holder TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE secret (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
    secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT;
