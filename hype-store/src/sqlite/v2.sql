CREATE TABLE places (
    place INTEGER PRIMARY KEY,
    -- Who holds the place, or held it last and may come back.
    holder TEXT,
    -- Microseconds.
    until INTEGER NOT NULL,
    -- How many have held it.
    holders INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('free', 'held', 'done'))
) STRICT;

-- Places are claimed in order, so that all up to the last one have a row.
WITH RECURSIVE plan (place) AS (
    SELECT 0 WHERE EXISTS (SELECT * FROM claims)
    UNION ALL
    SELECT place + 1 FROM plan WHERE place < (SELECT max(place) FROM claims)
)
INSERT INTO places (place, holder, until, holders, state)
SELECT
    plan.place,
    CASE WHEN claims.done = 0 THEN claims.holder END,
    coalesce(claims.until, 0),
    claims.place IS NOT NULL,
    CASE claims.done WHEN 1 THEN 'done' WHEN 0 THEN 'held' ELSE 'free' END
FROM plan LEFT JOIN claims USING (place);

DROP TABLE claims;

CREATE INDEX free_places ON places (holders, place) WHERE state = 'free';
CREATE INDEX leases ON places (until) WHERE state = 'held';
CREATE INDEX holders ON places (holder) WHERE holder IS NOT NULL;

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
