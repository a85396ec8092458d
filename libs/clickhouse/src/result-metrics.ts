import { counter } from '@app/observability';

const ROWS = counter('heddle_clickhouse_result_rows_total', 'Rows that ClickHouse has returned.');
const BYTES = counter(
  'heddle_clickhouse_result_bytes_total',
  'Bytes that ClickHouse has returned, after decompression.',
);

/** Per block, not per row. */
export function countResult(bytes: number, rows = 0): void {
  ROWS.inc(rows);
  BYTES.inc(bytes);
}
