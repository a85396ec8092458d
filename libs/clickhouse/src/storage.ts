import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { StorageConfig } from '@app/config';
import { HeddleError } from '@app/errors';
import { executeDdl } from './ddl.js';
import { onEveryNode, storedTable, systemTable, type Topology } from './topology.js';

/** Tables that grow with traffic, and the time by which their parts become old. Reads of recent calls use none of the old parts. */
const AGEING: Readonly<Record<string, string>> = {
  call_events: 'received_at',
  calls: 'started_at',
  record_events: 'received_at',
  agent_spans: 'started_at',
};

/**
 * Tables whose rows are written with a fast codec. A day after its newest row, a part is compressed well, once. Reads and merges of
 * that day, when most of both happen, are cheaper for it.
 */
const RECOMPRESSED: ReadonlySet<string> = new Set(['call_events', 'calls']);
const RECOMPRESS = 'toIntervalDay(1) RECOMPRESS CODEC(ZSTD(3))';

class StorageError extends HeddleError {
  readonly code = 'invalid_storage_policy';
}

type Wanted = Pick<StorageConfig, 'policy' | 'coldVolume' | 'coldAfterDays'>;

interface TableRow {
  readonly name: string;
  readonly storage_policy: string;
  readonly engine_full: string;
}

/**
 * Gives the growing tables their storage policy, and the TTL that moves old parts to the cold volume. May be repeated, also with
 * other settings. Without a policy the TTL is removed; parts stay where they are. Resolves to the tables that were changed.
 */
export async function applyStorage(
  client: ClickHouseClient,
  topology: Topology,
  wanted: Wanted,
): Promise<string[]> {
  const problem = await storageProblem(client, topology, wanted);
  if (problem !== undefined) throw new StorageError(`${problem} Nothing was changed.`);
  const changed: string[] = [];
  for (const { table, changes } of await outstanding(client, topology, wanted)) {
    for (const change of changes) {
      const query = `ALTER TABLE ${table}${onEveryNode(topology)} ${change.clause}`;
      await executeDdl(client, topology, { query }, change.settings);
    }
    changed.push(table);
  }
  return changed;
}

/** Why the policy cannot be used; undefined when it can. */
export async function storageProblem(
  client: ClickHouseClient,
  topology: Topology,
  { policy, coldVolume, coldAfterDays }: Wanted,
): Promise<string | undefined> {
  if (policy === '') return undefined;
  const rows = await rowsOf<{ host: string; volumes: string[] }>(
    client,
    `SELECT hostName() AS host, groupArrayIf(volume_name, policy_name = {policy:String}) AS volumes
FROM ${systemTable('storage_policies', topology)} GROUP BY host ORDER BY host`,
    { policy },
  );
  const without = rows.find(({ volumes }) => volumes.length === 0);
  const see = 'see docs/operations/cold-storage.md.';
  if (without) return `ClickHouse on ${without.host} has no storage policy ${policy}; ${see}`;
  const incomplete = rows.find(({ volumes }) => !volumes.includes(coldVolume));
  if (coldAfterDays === 0 || incomplete === undefined) return undefined;
  return `The storage policy ${policy} on ${incomplete.host} has the volumes ${incomplete.volumes.join(', ')} and not ${coldVolume}; ${see}`;
}

/** Whether the tables have the policy and the TTL of the settings. */
export async function isStorageApplied(
  client: ClickHouseClient,
  topology: Topology,
  wanted: Wanted,
): Promise<boolean> {
  return (await outstanding(client, topology, wanted)).length === 0;
}

interface Change {
  /** The part of ALTER TABLE after the name. */
  readonly clause: string;
  readonly settings: ClickHouseSettings;
}

interface Changes {
  readonly table: string;
  readonly changes: readonly Change[];
}

async function outstanding(
  client: ClickHouseClient,
  topology: Topology,
  wanted: Wanted,
): Promise<Changes[]> {
  const ageing = new Map(
    Object.entries(AGEING).map(([table, column]) => [
      storedTable(table, topology),
      { column, isRecompressed: RECOMPRESSED.has(table) },
    ]),
  );
  const rows = await rowsOf<TableRow>(
    client,
    `SELECT DISTINCT name, storage_policy, engine_full FROM ${systemTable('tables', topology)}
WHERE database = currentDatabase() AND name IN {names:Array(String)} ORDER BY name`,
    { names: [...ageing.keys()] },
  );
  const changes = new Map<string, Map<string, Change>>();
  for (const row of rows) {
    const found = changesOf(row, ageing.get(row.name)!, wanted);
    if (found.length === 0) continue;
    // Nodes may differ after one of them was unavailable.
    const known = changes.get(row.name) ?? new Map<string, Change>();
    for (const change of found) known.set(change.clause, change);
    changes.set(row.name, known);
  }
  return [...changes].map(([table, found]) => ({ table, changes: [...found.values()] }));
}

interface Ageing {
  /** The time by which rows become old. */
  readonly column: string;
  readonly isRecompressed: boolean;
}

/** What leads from a table to what is wanted. */
export function changesOf(
  { storage_policy, engine_full }: Omit<TableRow, 'name'>,
  { column, isRecompressed }: Ageing,
  { policy, coldVolume, coldAfterDays }: Wanted,
): Change[] {
  const changes: Change[] = [];
  if (policy !== '' && storage_policy !== policy) {
    // A new TTL would otherwise rewrite all columns of all parts.
    const cheaply = 'materialize_ttl_recalculate_only = 1';
    changes.push({
      clause: `MODIFY SETTING storage_policy = '${policy}', ${cheaply}`,
      settings: {},
    });
  }
  // As ClickHouse prints them.
  const move = `toIntervalDay(${coldAfterDays}) TO VOLUME '${coldVolume}'`;
  const moves = policy !== '' && coldAfterDays > 0;
  const rules = [...(isRecompressed ? [RECOMPRESS] : []), ...(moves ? [move] : [])];
  const ttl = rules.map((rule) => `toDateTime(${column}) + ${rule}`).join(', ');
  const isMoved = engine_full.includes(' TO VOLUME ');
  if (rules.length === 0) {
    if (isMoved) changes.push({ clause: 'REMOVE TTL', settings: {} });
    return changes;
  }
  if (engine_full.includes(`TTL ${ttl} SETTINGS`)) return changes;
  // Parts that exist are moved. They are not compressed once more for this alone.
  const concernsOld = moves && !engine_full.includes(move);
  const settings = { materialize_ttl_after_modify: concernsOld ? 1 : 0 } as const;
  changes.push({ clause: `MODIFY TTL ${ttl}`, settings });
  return changes;
}

async function rowsOf<Row>(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, unknown>,
): Promise<Row[]> {
  const result = await client.query({ query, query_params, format: 'JSONEachRow' });
  return result.json<Row>();
}
