import type { Store } from '@app/clickhouse';
import type { QueryConfig } from '@app/config';

export type Settings = NonNullable<Parameters<Store['rows']>[1]>;

/** Of every statement that reads for a client. */
export const READ_SETTINGS: Settings = {
  // ClickHouse then ends a query whose client has disconnected; it does so for read-only queries alone.
  cancel_http_readonly_queries_on_client_close: 1,
  readonly: '2',
  // The key determines a row's partition, so FINAL need not merge across partitions.
  do_not_merge_across_partitions_select_final: 1,
  use_skip_indexes_if_final: 1,
  use_skip_indexes_if_final_exact_mode: 1,
  // A condition on tokens costs a thousand times one on leaves, so ClickHouse must not evaluate it for decided rows.
  short_circuit_function_evaluation: 'force_enable',
  optimize_read_in_order: 1,
  // With it, a query that needs the newest hundred rows reads far ahead in every part: a text search took six times the CPU.
  read_in_order_use_buffering: 0,
  // A constant in ORDER BY is a value, not the number of a column.
  enable_positional_arguments: 0,
  // With the default of one megabyte a payload search processes a row or two per block, and blocks cost more than rows.
  preferred_block_size_bytes: '16000000',
  // As in the embedded engine: a query with many conditions is longer than a server accepts by default.
  max_query_size: String(256 * 1024 ** 2),
  // This searches every condition for chains such as a < b AND b < c, which we never write: a fifth of the planning time.
  optimize_and_compare_chain: 0,
  // A text index may skip granules, but reading the result from it fails under FINAL (26.7).
  query_plan_direct_read_from_text_index: 0,
};

/** The limits of one statement; an admin may use `factor` times as much. */
export function statementLimits(
  { maxSeconds, maxMemoryBytes, maxRows }: QueryConfig,
  factor: number,
): Settings {
  return {
    max_execution_time: factor * maxSeconds,
    max_memory_usage: String(factor * maxMemoryBytes),
    ...(maxRows > 0 ? { max_rows_to_read: String(factor * maxRows) } : {}),
  };
}
