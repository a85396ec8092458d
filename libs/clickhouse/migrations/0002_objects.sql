-- record_events is the truth about records (objects, tags, aliases, tables, files): every fact in the order Redis gave.
--   "Everything that happened in a project", asked by a rebuild: the key. The same fact stored twice is one row.
--   Rows and pieces of files are not repeated here: table_rows, table_positions and files hold them under their own
--   digest, are only ever added to, and so are part of the log. See docs/adr/0015.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS record_events
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
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, seq, type)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432;

-- Versions of objects: one row per content. "This version" and "all versions of a name" are both the key.
-- Every fact is a row of its own, and what a version is, is the least or the greatest of them: facts may be stored in
-- any order, by any worker, any number of times, and nobody has to read before writing.
--   first: the fact that made the version; published and deleted: the newest of each. It lives while published is newer.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS objects
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
ENGINE = AggregatingMergeTree
ORDER BY (project_id, object_id, kind, digest)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432;

-- Tags of versions; the newest change of a tag says whether it is there. It must be newer than the version's deletion.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS object_tags
(
    project_id String,
    object_id  String,
    digest     String,
    tag        String,
    changed    SimpleAggregateFunction(max, Tuple(seq UInt64, is_set UInt8))
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, object_id, digest, tag);

-- Aliases of names; the newest change says which version an alias points at, '' when it was removed.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS object_aliases
(
    project_id String,
    object_id  String,
    alias      String,
    changed    SimpleAggregateFunction(max, Tuple(seq UInt64, digest String))
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, object_id, alias);

-- A table is the ordered list of its row digests; the rows themselves are shared between tables.
--   "How many rows": tables. "Rows 4000 to 4100": a stretch of table_positions, whatever the size of the table.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS tables
(
    project_id String,
    digest     String,
    row_count  UInt64,
    created_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest);

-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS table_positions
(
    project_id String,
    digest     String,
    position   UInt32 CODEC(Delta, ZSTD(1)),
    row_digest String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest, position)
SETTINGS index_granularity = 2048;

-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS table_rows
(
    project_id String,
    digest     String,
    size_bytes UInt32,
    val        String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest)
SETTINGS index_granularity = 1024;

-- Files in pieces, read one after the other.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS files
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
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest, chunk)
SETTINGS index_granularity = 16;
