-- "How many facts have ever been signed for", asked by the ledger: after a week the receipts of a day become one row per
-- project, and their partition goes. A day that has a row here is no longer counted there, so that a roll-up that was cut
-- off in between changes no sum.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS receipt_totals
(
    project_id String,
    day        UInt32,
    facts      UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
