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

-- In wide parts that were rewritten so, ClickHouse (26.7) no longer looks at the indexes, although they are there; made anew
-- they work again. Until then, in the background, answers are right and slow.
ALTER TABLE calls
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

ALTER TABLE calls
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
