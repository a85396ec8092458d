import { everywhere, type Topology } from './topology.js';

const EVERYWHERE = 'everywhere';

/**
 * The sharding key of every table, or `everywhere` for a table that every node has whole: it is small, and must be readable
 * while a shard is lost. Rows with equal sorting keys have to be on one shard, because ClickHouse merges versions only
 * within a shard. No key is the project alone, so a large project uses all shards. Migration files contain older keys
 * (`-- @shard`), which are not read: an applied file is never edited.
 */
const SHARDING: Readonly<Record<string, string>> = {
  call_events: 'cityHash64(project_id, call_id)',
  calls: 'cityHash64(project_id, trace_id)',
  root_usage: 'cityHash64(project_id, id)',
  agent_spans: 'cityHash64(project_id, trace_id)',
  dead_letters: 'cityHash64(project_id, id)',
  receipts: 'cityHash64(project_id, chunk_id)',
  receipt_totals: 'cityHash64(project_id, day)',
  removed_facts: 'cityHash64(project_id, fact)',
  record_events: 'cityHash64(project_id, seq)',
  objects: 'cityHash64(project_id, object_id)',
  object_tags: 'cityHash64(project_id, object_id)',
  object_aliases: 'cityHash64(project_id, object_id)',
  tables: 'cityHash64(project_id, digest)',
  table_positions: 'cityHash64(project_id, digest)',
  table_rows: 'cityHash64(project_id, digest)',
  files: 'cityHash64(project_id, digest)',
  feedback: 'cityHash64(project_id, id)',
  annotation_queues: 'cityHash64(project_id, id)',
  annotation_items: 'cityHash64(project_id, queue_id)',
  dataset_sources: 'cityHash64(project_id, dataset_id)',
  usage_daily: 'cityHash64(project_id, day)',
  audit: 'cityHash64(id)',
  schema_migrations: EVERYWHERE,
  schema_migration_steps: EVERYWHERE,
  prices: EVERYWHERE,
  projects: EVERYWHERE,
  api_keys: EVERYWHERE,
};

type Cluster = Extract<Topology, { kind: 'cluster' }>;

/** The tables that migrations create. */
export const TABLE_NAMES = Object.keys(SHARDING);

/** Tables that every node has whole. */
export const EVERYWHERE_TABLES = Object.keys(SHARDING).filter(
  (table) => SHARDING[table] === EVERYWHERE,
);

/** The engine of the distributed table in front of `local`, which has the rows of `table`. */
export function distributedEngine(table: string, local: string, { name }: Cluster): string {
  const key = shardingOf(table);
  const target = `currentDatabase(), ${local}`;
  return key === EVERYWHERE
    ? `Distributed('${everywhere(name)}', ${target})`
    : `Distributed('${name}', ${target}, ${key})`;
}

/** The engine of the table that has the rows. A path with the table's own id survives a rebuild, which exchanges names. */
export function localEngine(
  table: string,
  engine: string,
  args: string | undefined,
  { replicated }: Cluster,
): string {
  const given = args ? [args] : [];
  if (!replicated) return `${engine}${args ? `(${args})` : ''}`;
  const path =
    shardingOf(table) === EVERYWHERE
      ? ["'/clickhouse/tables/{uuid}/everywhere'", "'{shard}-{replica}'"]
      : ["'/clickhouse/tables/{uuid}/{shard}'", "'{replica}'"];
  return `Replicated${engine}(${[...path, ...given].join(', ')})`;
}

function shardingOf(table: string): string {
  const key = SHARDING[table];
  if (key === undefined)
    throw new Error(`The table ${table} needs a sharding key; add it to sharding.ts.`);
  return key;
}
