-- call_events is the truth: every fact as it was received, kept as long as its call.
--   "All facts of these calls", asked by every fold: the key begins with (project_id, call_id), small granules.
--   "What was stored since", asked by the sweeper: a minmax index, since rows of one insert stand together.
--   Its inserts are on disk when they are acknowledged (fsync): the queue forgets a fact after that.
--   The same fact stored twice is one row, and of its receipts the first survives (greatest priority).
-- @shard cityHash64(project_id, call_id)
CREATE TABLE IF NOT EXISTS call_events
(
    project_id  String,
    call_id     String,
    kind        Enum8('start' = 1, 'end' = 2, 'complete' = 3, 'rename' = 4, 'delete' = 5),
    event_id    FixedString(16),
    received_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    priority    UInt64 CODEC(Delta, ZSTD(1)),
    user_id     String CODEC(ZSTD(1)),
    chunk_id    String CODEC(ZSTD(1)),
    chunk_index UInt32,
    item        String CODEC(ZSTD(3)),
    stored_at   DateTime64(3, 'UTC') DEFAULT now64(3) CODEC(Delta, ZSTD(1)),
    INDEX by_stored stored_at TYPE minmax GRANULARITY 4
)
ENGINE = ReplacingMergeTree(priority)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, call_id, kind, event_id)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 33554432, fsync_after_insert = 1, fsync_part_directory = 1;

-- calls is what the facts add up to. A row knows how many facts it was folded from (version): more knowledge wins.
--   "The newest calls of a project" is the key itself; granules of 2048 keep a page cheap.
--   "This call", "this trace", "children of", "this thread", "calls that used this ref": bloom filters.
--   "Calls of this op", "of this run": set indexes, few values per granule.
-- Unset text is '', an unset time is 1970, an unset step is -1: no Nullable, so that bloom filters work.
-- @shard cityHash64(project_id, trace_id)
CREATE TABLE IF NOT EXISTS calls
(
    project_id      String,
    started_at      DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    id              String CODEC(ZSTD(1)),
    trace_id        String CODEC(ZSTD(1)),
    parent_id       String CODEC(ZSTD(1)),
    thread_id       String CODEC(ZSTD(1)),
    turn_id         String CODEC(ZSTD(1)),
    op_name         String CODEC(ZSTD(1)),
    op_id           String CODEC(ZSTD(1)),
    display_name    String CODEC(ZSTD(1)),
    ended_at        DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    status          Enum8('running' = 1, 'success' = 2, 'error' = 3, 'descendant_error' = 4),
    exception       String CODEC(ZSTD(1)),
    user_id         String CODEC(ZSTD(1)),
    run_id          String CODEC(ZSTD(1)),
    run_step        Int64 DEFAULT -1 CODEC(ZSTD(1)),
    run_step_end    Int64 DEFAULT -1 CODEC(ZSTD(1)),
    input_refs      Array(String) CODEC(ZSTD(1)),
    output_refs     Array(String) CODEC(ZSTD(1)),
    usage_model       Array(String) CODEC(ZSTD(1)),
    usage_requests    Array(UInt64) CODEC(ZSTD(1)),
    usage_prompt      Array(UInt64) CODEC(ZSTD(1)),
    usage_completion  Array(UInt64) CODEC(ZSTD(1)),
    usage_cache_read  Array(UInt64) CODEC(ZSTD(1)),
    usage_cache_write Array(UInt64) CODEC(ZSTD(1)),
    usage_total       Array(UInt64) CODEC(ZSTD(1)),
    cost_at_write   Decimal(38, 18) DEFAULT 0 CODEC(ZSTD(1)),
    price_rev       UInt64 DEFAULT 0 CODEC(ZSTD(1)),
    attributes      String CODEC(ZSTD(1)),
    inputs          String CODEC(ZSTD(1)),
    output          String CODEC(ZSTD(1)),
    summary         String CODEC(ZSTD(1)),
    otel_dump       String CODEC(ZSTD(1)),
    size_bytes      UInt64 CODEC(ZSTD(1)),
    leaf_s          Map(String, String) CODEC(ZSTD(1)),
    leaf_n          Map(String, Float64) CODEC(ZSTD(1)),
    leaf_b          Map(String, Bool) CODEC(ZSTD(1)),
    leaf_full       UInt8,
    version         UInt64,
    is_deleted      UInt8,
    INDEX by_id id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_parent parent_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_thread thread_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_input_ref input_refs TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_output_ref output_refs TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_op op_name TYPE set(128) GRANULARITY 1,
    INDEX by_run run_id TYPE set(128) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY if(started_at < '2024-01-01', toUInt32(toYear(started_at)) * 100, toYYYYMM(started_at))
ORDER BY (project_id, started_at, id)
SETTINGS index_granularity = 2048, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 33554432;

-- dead_letters holds what can never be stored, with the reason and the original bytes.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS dead_letters
(
    id          String,
    project_id  String,
    call_id     String,
    kind        LowCardinality(String),
    reason      String,
    user_id     String,
    received_at DateTime64(6, 'UTC'),
    chunk_id    String,
    chunk_index UInt32,
    item        String CODEC(ZSTD(3)),
    state       Enum8('open' = 1, 'replayed' = 2, 'dropped' = 3),
    changed_at  DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(changed_at)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- receipts is the ledger: which facts every stored chunk held.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS receipts
(
    project_id String,
    chunk_id   String,
    stored_at  DateTime64(6, 'UTC'),
    facts      UInt64,
    fact_ids   Array(FixedString(16)) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(stored_at)
PARTITION BY toYYYYMMDD(stored_at)
ORDER BY (project_id, chunk_id);
