-- Spans of agents' own instrumentation, apart from the calls of the SDK. A resent span has the same key.
--   "Spans of this time": the order. "Of this trace", "of this conversation", "of this call": bloom filters.
-- @shard cityHash64(project_id, trace_id)
CREATE TABLE IF NOT EXISTS agent_spans
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
    -- The model whose price applies; empty for a span that used no model, or that repeats the usage of its children.
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
    -- JSON: the other fields of the span; its messages; the span as it was sent.
    fields               String CODEC(ZSTD(1)),
    messages             String CODEC(ZSTD(1)),
    dump                 String CODEC(ZSTD(1)),
    version              UInt64,
    is_deleted           UInt8,
    INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_conversation conversation_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_call parent_call_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY if(started_at < '2024-01-01', toUInt32(toYear(started_at)) * 100, toYYYYMM(started_at))
ORDER BY (project_id, started_at, trace_id, span_id)
SETTINGS index_granularity = 2048, index_granularity_bytes = 1048576, min_bytes_for_wide_part = 33554432;
