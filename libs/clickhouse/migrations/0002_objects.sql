-- Versions of objects: one row per content. "This version" and "all versions of a name" are both the key.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS objects
(
    project_id        String,
    object_id         String,
    digest            String,
    kind              Enum8('object' = 1, 'op' = 2),
    version_index     UInt32,
    base_object_class String,
    leaf_object_class String,
    user_id           String,
    created_at        DateTime64(6, 'UTC'),
    published_at      DateTime64(6, 'UTC'),
    deleted_at        DateTime64(6, 'UTC'),
    refs              Array(String) CODEC(ZSTD(1)),
    val               String CODEC(ZSTD(3)),
    size_bytes        UInt64,
    version           UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, object_id, digest);

-- A table is the ordered list of its row digests; the rows themselves are shared between tables.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS tables
(
    project_id  String,
    digest      String,
    row_digests Array(String) CODEC(ZSTD(1)),
    created_at  DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(created_at)
ORDER BY (project_id, digest);

-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS table_rows
(
    project_id String,
    digest     String,
    val        String CODEC(ZSTD(3)),
    refs       Array(String) CODEC(ZSTD(1)),
    created_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(created_at)
ORDER BY (project_id, digest)
SETTINGS index_granularity = 1024;

-- Files in chunks, read one after the other.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS files
(
    project_id  String,
    digest      String,
    chunk       UInt32,
    chunk_count UInt32,
    name        String,
    bytes       String CODEC(ZSTD(1)),
    created_at  DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(created_at)
ORDER BY (project_id, digest, chunk)
SETTINGS index_granularity = 16;
