import { bind, raw, sql, storedTable, type Store } from '@app/clickhouse';
import { TABLE_GROUPS } from './table-groups.js';
import type { SavedTable } from './manifest.js';

export type TableChecksum = Omit<SavedTable, 'is_exact'>;

/** Tables to which rows are only ever added while no erasure or expiry runs. */
const APPEND_ONLY: ReadonlySet<string> = new Set([
  'call_events',
  'record_events',
  'files',
  'table_rows',
  'table_positions',
]);

interface TableRow {
  /** Of the table that has the rows. */
  readonly stored: string;
  readonly engine: string;
  readonly sorting_key: string;
  readonly has_version: number;
}

/**
 * Rows, and a checksum of their keys and versions, of every table; on a cluster, of all shards. Contents are not read: the keys of logs, files and rows are
 * hashes of them, and ClickHouse verifies its own files when it restores them.
 */
export async function tableChecksums(store: Store): Promise<TableChecksum[]> {
  const names = new Map(
    TABLE_GROUPS.flatMap(({ tables }) =>
      tables.map((name) => [storedTable(name, store.topology), name]),
    ),
  );
  const tables =
    await store.rows<TableRow>(sql`SELECT name AS stored, replaceOne(engine, 'Replicated', '') AS engine, sorting_key,
  (database, name, 'version') IN (SELECT database, table, name FROM system.columns) AS has_version
FROM system.tables WHERE database = currentDatabase() AND name IN ${bind('Array(String)', [...names.keys()])} ORDER BY name`);
  const checksums: TableChecksum[] = [];
  for (const table of tables)
    checksums.push(await checksumOf(store, names.get(table.stored)!, table));
  return checksums;
}

async function checksumOf(
  store: Store,
  name: string,
  { engine, sorting_key, has_version }: TableRow,
): Promise<TableChecksum> {
  const columns = `${sorting_key}${has_version ? ', version' : ''}`;
  // Equal rows of a table that does not merge them would cancel each other out, so they count once.
  const from =
    engine === 'MergeTree' ? `(SELECT DISTINCT ${columns} FROM ${name})` : `${name} FINAL`;
  type Row = { rows: number | string; checksum: string };
  const [row] = await store.rows<Row>(
    sql`SELECT count() AS rows, hex(groupBitXor(cityHash64(${raw(columns)}))) AS checksum FROM ${raw(from)}`,
  );
  return { name, rows: Number(row!.rows), checksum: row!.checksum };
}

/** A table that did not change while it was copied has one checksum, which a restored copy must have. */
export function savedTables(
  before: readonly TableChecksum[],
  after: readonly TableChecksum[],
): SavedTable[] {
  const later = new Map(after.map((table) => [table.name, table]));
  return before.map((table) => ({ ...table, is_exact: isSame(table, later.get(table.name)) }));
}

const isSame = (a: TableChecksum, b: TableChecksum | undefined): boolean =>
  a.rows === b?.rows && a.checksum === b.checksum;

/** How a restored table relates to the saved one: `newer` has what was written while it was copied. */
export type Comparison = 'equal' | 'newer' | 'different';

export function compared(saved: SavedTable, restored: TableChecksum | undefined): Comparison {
  if (isSame(saved, restored)) return 'equal';
  if (saved.is_exact || restored === undefined) return 'different';
  return APPEND_ONLY.has(saved.name) && restored.rows < saved.rows ? 'different' : 'newer';
}
