-- Feedback by its id; "feedback of this call" and "of this ref" through bloom filters.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS feedback
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
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (project_id, id)
SETTINGS index_granularity = 1024;

-- "The price of this model at this moment", for a project and by default.
-- @shard cityHash64(level_id)
CREATE TABLE IF NOT EXISTS prices
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
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (level, level_id, llm_id, effective_date, id);

-- Recomputed for every dirty day, never summed by a view: versioned rows would be counted once per version.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS usage_daily
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
ENGINE = ReplacingMergeTree(computed_at)
PARTITION BY toYear(day)
ORDER BY (project_id, day, op_id, model);
