CREATE TABLE study (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
    digest TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    event TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE claims (
    place INTEGER PRIMARY KEY,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL,
    done INTEGER NOT NULL CHECK (done IN (0, 1))
) STRICT;

CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;

CREATE TRIGGER events_do_not_change BEFORE UPDATE ON events
BEGIN SELECT RAISE (ABORT, 'events are never altered'); END;

-- Refuses gaps, and INSERT OR REPLACE, which goes past the triggers above.
CREATE TRIGGER events_come_in_order BEFORE INSERT ON events
WHEN NEW.number <> (SELECT coalesce(max(number) + 1, 0) FROM events WHERE session = NEW.session)
BEGIN SELECT RAISE (ABORT, 'events are appended in order'); END;

CREATE TRIGGER sessions_stay BEFORE DELETE ON sessions
BEGIN SELECT RAISE (ABORT, 'sessions are never deleted'); END;

CREATE TRIGGER sessions_do_not_change BEFORE UPDATE ON sessions
BEGIN SELECT RAISE (ABORT, 'sessions are never altered'); END;
