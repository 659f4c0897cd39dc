-- The end of the ledger: the number of its entries, and the hash of the last one. It shows that the end was cut off.
CREATE TABLE ledger_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    entries bigint NOT NULL,
    chain bytea NOT NULL
);

INSERT INTO ledger_head (entries, chain) SELECT number + 1, chain FROM ledger ORDER BY number DESC LIMIT 1;

CREATE OR REPLACE FUNCTION keep_ledger_head() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO ledger_head (entries, chain) VALUES (NEW.number + 1, NEW.chain)
    ON CONFLICT (only_row) DO UPDATE SET entries = excluded.entries, chain = excluded.chain;
    RETURN NULL;
END $$;

CREATE TRIGGER ledger_keeps_its_head AFTER INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION keep_ledger_head();
