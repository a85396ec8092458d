import { identifier, integer, text } from './setting.js';

/** Where ClickHouse stores old data. */
export const STORAGE_SETTINGS = {
  COLD_DIR: text(
    '',
    'Directory on a second, cheaper disk, or `s3://bucket/prefix`, to which the embedded ClickHouse of standalone moves old data. See [cold-storage.md](../operations/cold-storage.md).',
  ),
  COLD_AFTER_DAYS: integer(
    30,
    { min: 0, max: 36_500 },
    'Age at which data moves to `COLD_DIR` or `COLD_VOLUME`. 0 moves none.',
  ),
  CLICKHOUSE_STORAGE_POLICY: identifier(
    '',
    'Storage policy of the large tables in a ClickHouse of your own. `migrate` applies it.',
  ),
  COLD_VOLUME: identifier('cold', 'The volume of `CLICKHOUSE_STORAGE_POLICY` for old data.'),
} as const;
