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
  <profiles>
    <default>
      <max_query_size>${256 * MIB}</max_query_size>
      <log_queries>0</log_queries>
      <output_format_parallel_formatting>0</output_format_parallel_formatting>
      <input_format_parallel_parsing>0</input_format_parallel_parsing>
      <memory_profiler_step>0</memory_profiler_step>
    </default>
  </profiles>
</clickhouse>
`;
}
