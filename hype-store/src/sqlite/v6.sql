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
