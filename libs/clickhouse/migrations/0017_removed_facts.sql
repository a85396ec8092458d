-- "Was this fact removed on purpose", asked by the ledger of facts that are in a receipt and not in the log. A worker that was
-- paused may write a receipt once more after an erasure, so a receipt cannot tell. A partition goes with the receipts of its day.
-- @shard cityHash64(project_id, fact)
CREATE TABLE IF NOT EXISTS removed_facts
(
    project_id String,
    fact       FixedString(16),
    removed_at DateTime('UTC')
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(removed_at)
ORDER BY (project_id, fact)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The order of the fact that a row comes from, to tell whether it was received before an erasure. 0 in rows from before this column.
ALTER TABLE tables ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE table_positions ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE table_rows ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE files ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));
