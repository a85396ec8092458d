-- "What did it cost, per model and day", the question of every dashboard: one narrow row per model that a root used, where
-- `calls` would have to be read with eight lists per call. Written by the fold beside the row of the call, with its
-- version; what no longer counts (deleted, moved, another model, no root any more) is hidden by a tombstone of its own.
--   On disk before the call's row is (fsync): a call that is there has its usage here.
-- @shard cityHash64(project_id, id)
CREATE TABLE IF NOT EXISTS root_usage
(
    project_id  LowCardinality(String),
    started_at  DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    id          String CODEC(ZSTD(1)),
    model       LowCardinality(String),
    nth         UInt32 CODEC(T64, LZ4),
    op_id       LowCardinality(String),
    user_id     LowCardinality(String),
    requests    UInt64 CODEC(T64, LZ4),
    prompt      UInt64 CODEC(T64, LZ4),
    uncached    UInt64 CODEC(T64, LZ4),
    completion  UInt64 CODEC(T64, LZ4),
    cache_read  UInt64 CODEC(T64, LZ4),
    cache_write UInt64 CODEC(T64, LZ4),
    total       UInt64 CODEC(T64, LZ4),
    version     UInt64,
    is_deleted  UInt8
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY toYear(started_at)
ORDER BY (project_id, started_at, id, model)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The roots that are there already.
INSERT INTO root_usage (project_id, started_at, id, model, nth, op_id, user_id, requests, prompt, uncached, completion, cache_read, cache_write, total, version, is_deleted)
SELECT project_id, started_at, id, model, nth, op_id, user_id, requests, prompt, uncached, completion, cache_read, cache_write, total, version, 0
FROM (SELECT * FROM calls FINAL WHERE notEmpty(usage_model) AND (parent_id = '' OR otel_dump != ''))
ARRAY JOIN usage_model AS model, arrayEnumerate(usage_model) AS nth, usage_requests AS requests, usage_prompt AS prompt,
    usage_uncached AS uncached, usage_completion AS completion, usage_cache_read AS cache_read,
    usage_cache_write AS cache_write, usage_total AS total
SETTINGS do_not_merge_across_partitions_select_final = 1, max_partitions_per_insert_block = 0;

-- Nothing was ever written here.
DROP TABLE IF EXISTS usage_daily;
