CREATE TABLE IF NOT EXISTS call_events_local ON CLUSTER 'main'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', priority)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, call_id, kind, event_id)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 33554432, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS call_events ON CLUSTER 'main' AS call_events_local
ENGINE = Distributed('main', currentDatabase(), call_events_local, cityHash64(project_id, call_id));

CREATE TABLE IF NOT EXISTS calls_local ON CLUSTER 'main'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY if(started_at < '2024-01-01', toUInt32(toYear(started_at)) * 100, toYYYYMM(started_at))
ORDER BY (project_id, started_at, id)
SETTINGS index_granularity = 2048, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 33554432;

CREATE TABLE IF NOT EXISTS calls ON CLUSTER 'main' AS calls_local
ENGINE = Distributed('main', currentDatabase(), calls_local, cityHash64(project_id, trace_id));

CREATE TABLE IF NOT EXISTS dead_letters_local ON CLUSTER 'main'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', changed_at)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS dead_letters ON CLUSTER 'main' AS dead_letters_local
ENGINE = Distributed('main', currentDatabase(), dead_letters_local, cityHash64(project_id, id));

CREATE TABLE IF NOT EXISTS receipts_local ON CLUSTER 'main'
(
    project_id String,
    chunk_id   String,
    stored_at  DateTime64(6, 'UTC'),
    facts      UInt64,
    fact_ids   Array(FixedString(16)) CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', stored_at)
PARTITION BY toYYYYMMDD(stored_at)
ORDER BY (project_id, chunk_id);

CREATE TABLE IF NOT EXISTS receipts ON CLUSTER 'main' AS receipts_local
ENGINE = Distributed('main', currentDatabase(), receipts_local, cityHash64(project_id, chunk_id));

CREATE TABLE IF NOT EXISTS record_events_local ON CLUSTER 'main'
(
    project_id    String,
    type          LowCardinality(String),
    seq           UInt64 CODEC(Delta, ZSTD(1)),
    version_index Int64 CODEC(ZSTD(1)),
    received_at   DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    user_id       String CODEC(ZSTD(1)),
    chunk_id      String CODEC(ZSTD(1)),
    chunk_index   UInt32,
    data          String CODEC(ZSTD(3)),
    body          String CODEC(ZSTD(3))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, seq, type)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432;

CREATE TABLE IF NOT EXISTS record_events ON CLUSTER 'main' AS record_events_local
ENGINE = Distributed('main', currentDatabase(), record_events_local, cityHash64(project_id, seq));

CREATE TABLE IF NOT EXISTS objects_local ON CLUSTER 'main'
(
    project_id        String,
    object_id         String,
    kind              Enum8('object' = 1, 'op' = 2),
    digest            String,
    version_index     SimpleAggregateFunction(min, UInt32),
    first             SimpleAggregateFunction(min, Tuple(seq UInt64, at DateTime64(6, 'UTC'), user_id String)),
    published         SimpleAggregateFunction(max, UInt64),
    deleted           SimpleAggregateFunction(max, Tuple(seq UInt64, at DateTime64(6, 'UTC'))),
    base_object_class SimpleAggregateFunction(max, String),
    leaf_object_class SimpleAggregateFunction(max, String),
    size_bytes        SimpleAggregateFunction(max, UInt64),
    val               SimpleAggregateFunction(max, String) CODEC(ZSTD(3))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, object_id, kind, digest)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432;

CREATE TABLE IF NOT EXISTS objects ON CLUSTER 'main' AS objects_local
ENGINE = Distributed('main', currentDatabase(), objects_local, cityHash64(project_id, object_id));

CREATE TABLE IF NOT EXISTS object_tags_local ON CLUSTER 'main'
(
    project_id String,
    object_id  String,
    digest     String,
    tag        String,
    changed    SimpleAggregateFunction(max, Tuple(seq UInt64, is_set UInt8))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, object_id, digest, tag);

CREATE TABLE IF NOT EXISTS object_tags ON CLUSTER 'main' AS object_tags_local
ENGINE = Distributed('main', currentDatabase(), object_tags_local, cityHash64(project_id, object_id));

CREATE TABLE IF NOT EXISTS object_aliases_local ON CLUSTER 'main'
(
    project_id String,
    object_id  String,
    alias      String,
    changed    SimpleAggregateFunction(max, Tuple(seq UInt64, digest String))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, object_id, alias);

CREATE TABLE IF NOT EXISTS object_aliases ON CLUSTER 'main' AS object_aliases_local
ENGINE = Distributed('main', currentDatabase(), object_aliases_local, cityHash64(project_id, object_id));

CREATE TABLE IF NOT EXISTS tables_local ON CLUSTER 'main'
(
    project_id String,
    digest     String,
    row_count  UInt64,
    created_at DateTime64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, digest);

CREATE TABLE IF NOT EXISTS tables ON CLUSTER 'main' AS tables_local
ENGINE = Distributed('main', currentDatabase(), tables_local, cityHash64(project_id, digest));

CREATE TABLE IF NOT EXISTS table_positions_local ON CLUSTER 'main'
(
    project_id String,
    digest     String,
    position   UInt32 CODEC(Delta, ZSTD(1)),
    row_digest String CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, digest, position)
SETTINGS index_granularity = 2048;

CREATE TABLE IF NOT EXISTS table_positions ON CLUSTER 'main' AS table_positions_local
ENGINE = Distributed('main', currentDatabase(), table_positions_local, cityHash64(project_id, digest));

CREATE TABLE IF NOT EXISTS table_rows_local ON CLUSTER 'main'
(
    project_id String,
    digest     String,
    size_bytes UInt32,
    val        String CODEC(ZSTD(3))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, digest)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS table_rows ON CLUSTER 'main' AS table_rows_local
ENGINE = Distributed('main', currentDatabase(), table_rows_local, cityHash64(project_id, digest));

CREATE TABLE IF NOT EXISTS files_local ON CLUSTER 'main'
(
    project_id  String,
    digest      String,
    chunk       UInt32,
    chunk_count UInt32,
    size_bytes  UInt32,
    name        String,
    bytes       String CODEC(ZSTD(1)),
    created_at  DateTime64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, digest, chunk)
SETTINGS index_granularity = 16;

CREATE TABLE IF NOT EXISTS files ON CLUSTER 'main' AS files_local
ENGINE = Distributed('main', currentDatabase(), files_local, cityHash64(project_id, digest));

CREATE TABLE IF NOT EXISTS feedback_local ON CLUSTER 'main'
(
    project_id     String,
    id             String,
    weave_ref      String,
    call_id        String,
    feedback_type  String,
    payload        String CODEC(ZSTD(3)),
    creator        String,
    user_id        String,
    created_at     DateTime64(6, 'UTC'),
    annotation_ref String,
    runnable_ref   String,
    call_ref       String,
    trigger_ref    String,
    queue_id       String,
    scorer         String CODEC(ZSTD(1)),
    span           String CODEC(ZSTD(1)),
    version        UInt64,
    is_deleted     UInt8,
    INDEX by_call call_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_ref weave_ref TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
ORDER BY (project_id, id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS feedback ON CLUSTER 'main' AS feedback_local
ENGINE = Distributed('main', currentDatabase(), feedback_local, cityHash64(project_id, id));

CREATE TABLE IF NOT EXISTS prices_local ON CLUSTER 'main'
(
    level            Enum8('default' = 1, 'project' = 2),
    level_id         String,
    llm_id           String,
    effective_date   DateTime64(6, 'UTC'),
    id               String,
    provider_id      String,
    prompt_cost      Decimal(38, 18),
    completion_cost  Decimal(38, 18),
    cache_read_cost  Decimal(38, 18),
    cache_write_cost Decimal(38, 18),
    prompt_unit      String,
    completion_unit  String,
    created_by       String,
    created_at       DateTime64(6, 'UTC'),
    version          UInt64,
    is_deleted       UInt8
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/everywhere', '{shard}-{replica}', version, is_deleted)
ORDER BY (level, level_id, llm_id, effective_date, id);

CREATE TABLE IF NOT EXISTS prices ON CLUSTER 'main' AS prices_local
ENGINE = Distributed('main_everywhere', currentDatabase(), prices_local);

CREATE TABLE IF NOT EXISTS usage_daily_local ON CLUSTER 'main'
(
    project_id  String,
    day         Date,
    op_id       String,
    model       String,
    calls       UInt64,
    requests    UInt64,
    prompt      UInt64,
    completion  UInt64,
    cache_read  UInt64,
    cache_write UInt64,
    total       UInt64,
    cost        Decimal(38, 18),
    computed_at DateTime64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', computed_at)
PARTITION BY toYear(day)
ORDER BY (project_id, day, op_id, model);

CREATE TABLE IF NOT EXISTS usage_daily ON CLUSTER 'main' AS usage_daily_local
ENGINE = Distributed('main', currentDatabase(), usage_daily_local, cityHash64(project_id, day));

CREATE TABLE IF NOT EXISTS projects_local ON CLUSTER 'main'
(
    project_id     String,
    retention_days UInt32,
    settings       String,
    version        UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/everywhere', '{shard}-{replica}', version)
ORDER BY project_id;

CREATE TABLE IF NOT EXISTS projects ON CLUSTER 'main' AS projects_local
ENGINE = Distributed('main_everywhere', currentDatabase(), projects_local);

CREATE TABLE IF NOT EXISTS api_keys_local ON CLUSTER 'main'
(
    hash       String,
    name       String,
    user_id    String,
    scope      String,
    role       LowCardinality(String),
    created_at DateTime64(6, 'UTC'),
    revoked_at DateTime64(6, 'UTC'),
    version    UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/everywhere', '{shard}-{replica}', version)
ORDER BY hash;

CREATE TABLE IF NOT EXISTS api_keys ON CLUSTER 'main' AS api_keys_local
ENGINE = Distributed('main_everywhere', currentDatabase(), api_keys_local);

CREATE TABLE IF NOT EXISTS audit_local ON CLUSTER 'main'
(
    at         DateTime64(6, 'UTC'),
    id         String,
    user_id    String,
    action     LowCardinality(String),
    project_id String,
    detail     String CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(at)
ORDER BY (at, id);

CREATE TABLE IF NOT EXISTS audit ON CLUSTER 'main' AS audit_local
ENGINE = Distributed('main', currentDatabase(), audit_local, cityHash64(id));

ALTER TABLE calls_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS usage_uncached Array(UInt64)
    DEFAULT arrayMap((prompt, cached) -> if(cached > prompt, prompt, prompt - cached), usage_prompt,
        arrayMap((read, written) -> read + written, usage_cache_read, usage_cache_write)) CODEC(ZSTD(1));

ALTER TABLE calls ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS usage_uncached Array(UInt64)
    DEFAULT arrayMap((prompt, cached) -> if(cached > prompt, prompt, prompt - cached), usage_prompt,
        arrayMap((read, written) -> read + written, usage_cache_read, usage_cache_write));

ALTER TABLE calls_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS leaf_rest Array(UInt32) CODEC(ZSTD(1)) AFTER leaf_b;

ALTER TABLE calls ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS leaf_rest Array(UInt32) AFTER leaf_b;

ALTER TABLE calls_local ON CLUSTER 'main' ADD INDEX IF NOT EXISTS by_leaf_rest leaf_rest TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE calls_local ON CLUSTER 'main' ADD INDEX IF NOT EXISTS by_leaf_full leaf_full TYPE minmax GRANULARITY 1;

CREATE TABLE IF NOT EXISTS root_usage_local ON CLUSTER 'main'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY toYear(started_at)
ORDER BY (project_id, started_at, id, model)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS root_usage ON CLUSTER 'main' AS root_usage_local
ENGINE = Distributed('main', currentDatabase(), root_usage_local, cityHash64(project_id, id));

INSERT INTO root_usage (project_id, started_at, id, model, nth, op_id, user_id, requests, prompt, uncached, completion, cache_read, cache_write, total, version, is_deleted)
SELECT project_id, started_at, id, model, nth, op_id, user_id, requests, prompt, uncached, completion, cache_read, cache_write, total, version, 0
FROM (SELECT * FROM calls FINAL WHERE notEmpty(usage_model) AND (parent_id = '' OR otel_dump != ''))
ARRAY JOIN usage_model AS model, arrayEnumerate(usage_model) AS nth, usage_requests AS requests, usage_prompt AS prompt,
    usage_uncached AS uncached, usage_completion AS completion, usage_cache_read AS cache_read,
    usage_cache_write AS cache_write, usage_total AS total
SETTINGS do_not_merge_across_partitions_select_final = 1, max_partitions_per_insert_block = 0;

DROP TABLE IF EXISTS usage_daily ON CLUSTER 'main' SYNC;

DROP TABLE IF EXISTS usage_daily_local ON CLUSTER 'main' SYNC;

ALTER TABLE calls_local ON CLUSTER 'main'
    MODIFY COLUMN project_id LowCardinality(String),
    MODIFY COLUMN op_name LowCardinality(String) CODEC(ZSTD(1)),
    MODIFY COLUMN leaf_s Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    MODIFY COLUMN leaf_n Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    MODIFY COLUMN leaf_b Map(LowCardinality(String), Bool) CODEC(ZSTD(1));

ALTER TABLE calls ON CLUSTER 'main'
    MODIFY COLUMN project_id LowCardinality(String),
    MODIFY COLUMN op_name LowCardinality(String),
    MODIFY COLUMN leaf_s Map(LowCardinality(String), String),
    MODIFY COLUMN leaf_n Map(LowCardinality(String), Float64),
    MODIFY COLUMN leaf_b Map(LowCardinality(String), Bool);

ALTER TABLE calls_local ON CLUSTER 'main'
    CLEAR INDEX by_id,
    CLEAR INDEX by_trace,
    CLEAR INDEX by_parent,
    CLEAR INDEX by_thread,
    CLEAR INDEX by_input_ref,
    CLEAR INDEX by_output_ref,
    CLEAR INDEX by_op,
    CLEAR INDEX by_run,
    CLEAR INDEX by_leaf_rest,
    CLEAR INDEX by_leaf_full;

ALTER TABLE calls_local ON CLUSTER 'main'
    MATERIALIZE INDEX by_id,
    MATERIALIZE INDEX by_trace,
    MATERIALIZE INDEX by_parent,
    MATERIALIZE INDEX by_thread,
    MATERIALIZE INDEX by_input_ref,
    MATERIALIZE INDEX by_output_ref,
    MATERIALIZE INDEX by_op,
    MATERIALIZE INDEX by_run,
    MATERIALIZE INDEX by_leaf_rest,
    MATERIALIZE INDEX by_leaf_full;

CREATE TABLE IF NOT EXISTS receipt_totals_local ON CLUSTER 'main'
(
    project_id String,
    day        UInt32,
    facts      UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS receipt_totals ON CLUSTER 'main' AS receipt_totals_local
ENGINE = Distributed('main', currentDatabase(), receipt_totals_local, cityHash64(project_id, day));

ALTER TABLE receipts_local ON CLUSTER 'main' MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE record_events_local ON CLUSTER 'main' MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE table_positions_local ON CLUSTER 'main' MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE table_rows_local ON CLUSTER 'main' MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE files_local ON CLUSTER 'main' MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE audit_local ON CLUSTER 'main' MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE call_events_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS adds_only UInt8 AFTER user_id;

ALTER TABLE call_events ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS adds_only UInt8 AFTER user_id;

ALTER TABLE audit_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS key_id String CODEC(ZSTD(1)) AFTER user_id;

ALTER TABLE audit ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS key_id String AFTER user_id;

ALTER TABLE audit_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS address String CODEC(ZSTD(1)) AFTER key_id;

ALTER TABLE audit ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS address String AFTER key_id;

ALTER TABLE audit_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS request_id String CODEC(ZSTD(1)) AFTER address;

ALTER TABLE audit ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS request_id String AFTER address;

ALTER TABLE audit_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(ZSTD(1));

ALTER TABLE audit ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64;

ALTER TABLE audit_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS hash String CODEC(ZSTD(1));

ALTER TABLE audit ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS hash String;

ALTER TABLE audit_local ON CLUSTER 'main' ADD INDEX IF NOT EXISTS by_seq seq TYPE minmax GRANULARITY 1;

CREATE TABLE IF NOT EXISTS annotation_queues_local ON CLUSTER 'main'
(
    project_id  String,
    id          String,
    created     SimpleAggregateFunction(min, Tuple(seq UInt64, at DateTime64(6, 'UTC'), user_id String)),
    name        SimpleAggregateFunction(max, Tuple(seq UInt64, value String)),
    description SimpleAggregateFunction(max, Tuple(seq UInt64, value String)),
    scorer_refs SimpleAggregateFunction(max, Tuple(seq UInt64, value String)),
    updated     SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
    deleted     SimpleAggregateFunction(max, DateTime64(6, 'UTC'))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, id);

CREATE TABLE IF NOT EXISTS annotation_queues ON CLUSTER 'main' AS annotation_queues_local
ENGINE = Distributed('main', currentDatabase(), annotation_queues_local, cityHash64(project_id, id));

CREATE TABLE IF NOT EXISTS annotation_items_local ON CLUSTER 'main'
(
    project_id      String,
    queue_id        String,
    id              String,
    added           SimpleAggregateFunction(min, Tuple(seq UInt64, at DateTime64(6, 'UTC'), user_id String, display_fields String)),
    call_id         SimpleAggregateFunction(max, String),
    call_started_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
    call_ended_at   SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
    call_op_name    SimpleAggregateFunction(max, String),
    call_trace_id   SimpleAggregateFunction(max, String),
    progress        SimpleAggregateFunction(max, Tuple(seq UInt64, at DateTime64(6, 'UTC'), user_id String, state String))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, queue_id, id);

CREATE TABLE IF NOT EXISTS annotation_items ON CLUSTER 'main' AS annotation_items_local
ENGINE = Distributed('main', currentDatabase(), annotation_items_local, cityHash64(project_id, queue_id));

CREATE TABLE IF NOT EXISTS dataset_sources_local ON CLUSTER 'main'
(
    project_id        String,
    dataset_id        String,
    id                String,
    first             SimpleAggregateFunction(min, Tuple(seq UInt64, at DateTime64(6, 'UTC'), user_id String)),
    linked            SimpleAggregateFunction(max, Tuple(seq UInt64, at DateTime64(6, 'UTC'), metadata String)),
    unlinked          SimpleAggregateFunction(max, Tuple(seq UInt64, at DateTime64(6, 'UTC'))),
    row_digest        SimpleAggregateFunction(max, String),
    source_kind       SimpleAggregateFunction(max, String),
    source_id         SimpleAggregateFunction(max, String),
    source_trace_id   SimpleAggregateFunction(max, String),
    source_started_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
    source_name       SimpleAggregateFunction(max, String),
    INDEX by_source source_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_id id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (project_id, dataset_id, id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS dataset_sources ON CLUSTER 'main' AS dataset_sources_local
ENGINE = Distributed('main', currentDatabase(), dataset_sources_local, cityHash64(project_id, dataset_id));

ALTER TABLE prices_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS source String CODEC(ZSTD(1));

ALTER TABLE prices ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS source String;

CREATE TABLE IF NOT EXISTS agent_spans_local ON CLUSTER 'main'
(
    project_id           String,
    started_at           DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    trace_id             String CODEC(ZSTD(1)),
    span_id              String CODEC(ZSTD(1)),
    parent_span_id       String CODEC(ZSTD(1)),
    ended_at             DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    span_name            String CODEC(ZSTD(1)),
    span_kind            LowCardinality(String),
    status_code          LowCardinality(String),
    status_message       String CODEC(ZSTD(1)),
    error_type           String CODEC(ZSTD(1)),
    operation_name       LowCardinality(String),
    provider_name        String CODEC(ZSTD(1)),
    agent_name           String CODEC(ZSTD(1)),
    agent_id             String CODEC(ZSTD(1)),
    agent_version        String CODEC(ZSTD(1)),
    conversation_id      String CODEC(ZSTD(1)),
    conversation_name    String CODEC(ZSTD(1)),
    request_model        String CODEC(ZSTD(1)),
    response_model       String CODEC(ZSTD(1)),
    tool_name            String CODEC(ZSTD(1)),
    eval_run_id          String CODEC(ZSTD(1)),
    parent_call_id       String CODEC(ZSTD(1)),
    parent_call_trace_id String CODEC(ZSTD(1)),
    user_id              String CODEC(ZSTD(1)),
    run_id               String CODEC(ZSTD(1)),
    model                String CODEC(ZSTD(1)),
    requests             UInt64 CODEC(ZSTD(1)),
    prompt               UInt64 CODEC(ZSTD(1)),
    uncached             UInt64 CODEC(ZSTD(1)),
    completion           UInt64 CODEC(ZSTD(1)),
    cache_read           UInt64 CODEC(ZSTD(1)),
    cache_write          UInt64 CODEC(ZSTD(1)),
    total                UInt64 CODEC(ZSTD(1)),
    reasoning            UInt64 CODEC(ZSTD(1)),
    custom_attrs_string  Map(String, String) CODEC(ZSTD(1)),
    custom_attrs_int     Map(String, Int64) CODEC(ZSTD(1)),
    custom_attrs_float   Map(String, Float64) CODEC(ZSTD(1)),
    custom_attrs_bool    Map(String, Bool) CODEC(ZSTD(1)),
    fields               String CODEC(ZSTD(1)),
    messages             String CODEC(ZSTD(1)),
    dump                 String CODEC(ZSTD(1)),
    version              UInt64,
    is_deleted           UInt8,
    INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_conversation conversation_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_call parent_call_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY if(started_at < '2024-01-01', toUInt32(toYear(started_at)) * 100, toYYYYMM(started_at))
ORDER BY (project_id, started_at, trace_id, span_id)
SETTINGS index_granularity = 2048, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 33554432;

CREATE TABLE IF NOT EXISTS agent_spans ON CLUSTER 'main' AS agent_spans_local
ENGINE = Distributed('main', currentDatabase(), agent_spans_local, cityHash64(project_id, trace_id));

CREATE TABLE IF NOT EXISTS removed_facts_local ON CLUSTER 'main'
(
    project_id String,
    fact       FixedString(16),
    removed_at DateTime('UTC')
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMMDD(removed_at)
ORDER BY (project_id, fact)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS removed_facts ON CLUSTER 'main' AS removed_facts_local
ENGINE = Distributed('main', currentDatabase(), removed_facts_local, cityHash64(project_id, fact));

ALTER TABLE tables_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE tables ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE table_positions_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE table_positions ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE table_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE table_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE files_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE files ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS seq UInt64 CODEC(Delta, ZSTD(1));

ALTER TABLE projects_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS feedback_retention_days UInt32;

ALTER TABLE projects ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS feedback_retention_days UInt32;

ALTER TABLE call_events_local ON CLUSTER 'main'
    MODIFY COLUMN received_at CODEC(Delta, Default),
    MODIFY COLUMN priority CODEC(Delta, Default),
    MODIFY COLUMN user_id CODEC(Default),
    MODIFY COLUMN chunk_id CODEC(Default),
    MODIFY COLUMN item CODEC(Default),
    MODIFY COLUMN stored_at CODEC(Delta, Default);

ALTER TABLE calls_local ON CLUSTER 'main'
    MODIFY COLUMN started_at CODEC(Delta, Default),
    MODIFY COLUMN id CODEC(Default),
    MODIFY COLUMN trace_id CODEC(Default),
    MODIFY COLUMN parent_id CODEC(Default),
    MODIFY COLUMN thread_id CODEC(Default),
    MODIFY COLUMN turn_id CODEC(Default),
    MODIFY COLUMN op_name CODEC(Default),
    MODIFY COLUMN op_id CODEC(Default),
    MODIFY COLUMN display_name CODEC(Default),
    MODIFY COLUMN ended_at CODEC(Delta, Default),
    MODIFY COLUMN exception CODEC(Default),
    MODIFY COLUMN user_id CODEC(Default),
    MODIFY COLUMN run_id CODEC(Default),
    MODIFY COLUMN run_step CODEC(Default),
    MODIFY COLUMN run_step_end CODEC(Default),
    MODIFY COLUMN input_refs CODEC(Default),
    MODIFY COLUMN output_refs CODEC(Default),
    MODIFY COLUMN usage_model CODEC(Default),
    MODIFY COLUMN usage_requests CODEC(Default),
    MODIFY COLUMN usage_prompt CODEC(Default),
    MODIFY COLUMN usage_uncached CODEC(Default),
    MODIFY COLUMN usage_completion CODEC(Default),
    MODIFY COLUMN usage_cache_read CODEC(Default),
    MODIFY COLUMN usage_cache_write CODEC(Default),
    MODIFY COLUMN usage_total CODEC(Default),
    MODIFY COLUMN cost_at_write CODEC(Default),
    MODIFY COLUMN price_rev CODEC(Default),
    MODIFY COLUMN attributes CODEC(Default),
    MODIFY COLUMN inputs CODEC(Default),
    MODIFY COLUMN output CODEC(Default),
    MODIFY COLUMN summary CODEC(Default),
    MODIFY COLUMN otel_dump CODEC(Default),
    MODIFY COLUMN size_bytes CODEC(Default),
    MODIFY COLUMN leaf_s CODEC(Default),
    MODIFY COLUMN leaf_n CODEC(Default),
    MODIFY COLUMN leaf_b CODEC(Default),
    MODIFY COLUMN leaf_rest CODEC(Default);

ALTER TABLE calls_local ON CLUSTER 'main' MODIFY COLUMN id CODEC(LZ4);

ALTER TABLE call_events_local ON CLUSTER 'main' MODIFY SETTING merge_selector_base = 10;

ALTER TABLE receipts_local ON CLUSTER 'main' MODIFY SETTING merge_selector_base = 10;

ALTER TABLE root_usage_local ON CLUSTER 'main' MODIFY SETTING merge_selector_base = 10;

ALTER TABLE calls_local ON CLUSTER 'main' MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 8192;

ALTER TABLE call_events_local ON CLUSTER 'main' MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 8192;

ALTER TABLE calls_local ON CLUSTER 'main' MODIFY SETTING max_compress_block_size = 262144;

ALTER TABLE call_events_local ON CLUSTER 'main' MODIFY SETTING max_compress_block_size = 262144;
