-- The end of the ledger: the number of its entries, and the hash of the last one. It shows that the end was cut off.
CREATE TABLE ledger_head (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
    entries INTEGER NOT NULL,
    chain INTEGER NOT NULL
) STRICT;

INSERT INTO ledger_head SELECT 0, number + 1, chain FROM ledger ORDER BY number DESC LIMIT 1;

CREATE TRIGGER ledger_keeps_its_head AFTER INSERT ON ledger
BEGIN INSERT OR REPLACE INTO ledger_head VALUES (0, NEW.number + 1, NEW.chain); END;
