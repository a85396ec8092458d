-- Queues of calls for annotators, by id. Each fact sets some columns; the newest value of each wins.
-- @shard cityHash64(project_id, id)
CREATE TABLE IF NOT EXISTS annotation_queues
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
ENGINE = AggregatingMergeTree
ORDER BY (project_id, id);

-- "The items of this queue": one range. Of several additions of a call the first one counts, and of the progress the last.
-- @shard cityHash64(project_id, queue_id)
CREATE TABLE IF NOT EXISTS annotation_items
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
ENGINE = AggregatingMergeTree
ORDER BY (project_id, queue_id, id);
