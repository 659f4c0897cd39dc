-- Appends to several logs in the order given, to each so many (`counts`) of the texts, as `append_events` does to one.
CREATE FUNCTION append_all(
    logs text[], expected bigint[], counts integer[], texts text[],
    OUT appended boolean, OUT length bigint, OUT kept text[]
) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    first integer := 1;
BEGIN
    FOR number IN 1 .. cardinality(logs) LOOP
        SELECT one.appended, one.length, one.kept INTO appended, length, kept
        FROM append_events(logs[number], expected[number], texts[first : first + counts[number] - 1]) AS one;
        RETURN NEXT;
        first := first + counts[number];
    END LOOP;
END $$;
