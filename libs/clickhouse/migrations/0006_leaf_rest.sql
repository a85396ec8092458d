-- A path that is in no leaf was a reason to read the payload, of which most rows had one for every question: nearly all
-- calls of language models have a text too long for a leaf. Now a row knows the hashes of all paths that lead to something
-- else than a leaf. A path in neither has no value, and rows that need their payload can be found without reading it.
-- Rows written before this have leaf_full below 2 and are read as carefully as ever; `cli rebuild` brings them up to date.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS leaf_rest Array(UInt32) CODEC(ZSTD(1)) AFTER leaf_b;

ALTER TABLE calls ADD INDEX IF NOT EXISTS by_leaf_rest leaf_rest TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE calls ADD INDEX IF NOT EXISTS by_leaf_full leaf_full TYPE minmax GRANULARITY 1;
