-- Where the rows of datasets come from. "The sources of this dataset": one range. "The datasets of this source": a bloom filter.
-- A link is live when its last addition is newer than its last removal.
-- @shard cityHash64(project_id, dataset_id)
CREATE TABLE IF NOT EXISTS dataset_sources
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
ENGINE = AggregatingMergeTree
ORDER BY (project_id, dataset_id, id)
SETTINGS index_granularity = 1024;
