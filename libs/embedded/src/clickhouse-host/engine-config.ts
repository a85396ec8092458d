const MIB = 1024 ** 2;

/**
 * Server configuration of the embedded engine. The defaults are for machines that do nothing else: five
 * gigabytes for marks alone.
 */
export function engineConfig(memoryBytes: number): string {
  return `<clickhouse>
  <max_server_memory_usage>${memoryBytes}</max_server_memory_usage>
  <mark_cache_size>${64 * MIB}</mark_cache_size>
  <index_mark_cache_size>${16 * MIB}</index_mark_cache_size>
  <primary_index_cache_size>${64 * MIB}</primary_index_cache_size>
  <query_condition_cache_size>${16 * MIB}</query_condition_cache_size>
  <compiled_expression_cache_size>${16 * MIB}</compiled_expression_cache_size>
  <background_pool_size>2</background_pool_size>
  <background_schedule_pool_size>2</background_schedule_pool_size>
  <asynchronous_metrics_update_period_s>60</asynchronous_metrics_update_period_s>
</clickhouse>
`;
}

/** Settings of every connection: in the file above they would not reach the parser and the formatter. */
export const CONNECTION_ARGS = [
  // Bound values are part of the text.
  `--max_query_size=${256 * MIB}`,
  '--log_queries=0',
  '--memory_profiler_step=0',
  // Threads for every statement, which cost a small one more than its own work.
  '--output_format_parallel_formatting=0',
  '--input_format_parallel_parsing=0',
];
