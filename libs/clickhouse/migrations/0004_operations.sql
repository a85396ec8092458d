-- What an operator keeps about a project.
-- @shard cityHash64(project_id)
CREATE TABLE IF NOT EXISTS projects
(
    project_id     String,
    retention_days UInt32,
    settings       String,
    version        UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY project_id;

-- The record of keys that outlives Redis, where they are looked up: hashes and grants, never a key.
-- @shard cityHash64(hash)
CREATE TABLE IF NOT EXISTS api_keys
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
ENGINE = ReplacingMergeTree(version)
ORDER BY hash;

-- Who did what. Rows are only ever added.
-- @shard cityHash64(id)
CREATE TABLE IF NOT EXISTS audit
(
    at         DateTime64(6, 'UTC'),
    id         String,
    user_id    String,
    action     LowCardinality(String),
    project_id String,
    detail     String CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (at, id);
