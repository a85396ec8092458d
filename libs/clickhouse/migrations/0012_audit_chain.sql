-- Whose key, from where and in which request; and the place in a chain: `hash` covers the entry and the hash of the one before.
--   "Entries n to m", asked by `audit verify`: a minmax index, since entries are inserted in this order.
-- Entries from before have seq 0 and are in no chain.
ALTER TABLE audit ADD COLUMN IF NOT EXISTS key_id String CODEC(ZSTD(1)) AFTER user_id;

ALTER TABLE audit ADD COLUMN IF NOT EXISTS address String CODEC(ZSTD(1)) AFTER key_id;

ALTER TABLE audit ADD COLUMN IF NOT EXISTS request_id String CODEC(ZSTD(1)) AFTER address;

ALTER TABLE audit ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(ZSTD(1));

ALTER TABLE audit ADD COLUMN IF NOT EXISTS hash String CODEC(ZSTD(1));

ALTER TABLE audit ADD INDEX IF NOT EXISTS by_seq seq TYPE minmax GRANULARITY 1;
