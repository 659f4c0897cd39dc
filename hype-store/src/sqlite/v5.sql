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
