-- Texts of which a granule has few different ones are stored by number. Every question reads `project_id`, many read
-- `op_name` or the keys of the leaves, and a path of thirty bytes in every row was most of what a condition on a leaf read.
-- ClickHouse rewrites these columns of the parts that are there, some ten seconds for a million calls, and reads both
-- forms meanwhile. Whoever has so many that `migrate` gives up waiting runs it again.
ALTER TABLE calls
    MODIFY COLUMN project_id LowCardinality(String),
    MODIFY COLUMN op_name LowCardinality(String) CODEC(ZSTD(1)),
    MODIFY COLUMN leaf_s Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    MODIFY COLUMN leaf_n Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    MODIFY COLUMN leaf_b Map(LowCardinality(String), Bool) CODEC(ZSTD(1));
