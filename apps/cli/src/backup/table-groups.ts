/**
 * The tables of a backup, in the order in which they are copied. ClickHouse copies the tables of one statement in any order, each
 * as it is at some time. A worker writes content, then the log, then usage, then calls, then the receipt; so the copies are made
 * in the reverse order. Then everything that a copied row depends on is in the copies that follow: a receipt has its facts, a
 * call the facts that it was folded from and its usage, a fact its content. Facts without a row are folded after a restore.
 */
export const TABLE_GROUPS = [
  { name: 'receipts', tables: ['receipts'] },
  { name: 'calls', tables: ['calls'] },
  {
    name: 'projections',
    tables: [
      'root_usage',
      'agent_spans',
      'objects',
      'object_tags',
      'object_aliases',
      'tables',
      'feedback',
      'annotation_queues',
      'annotation_items',
      'dataset_sources',
      'prices',
      'projects',
      'usage_daily',
      'api_keys',
    ],
  },
  {
    name: 'log',
    tables: [
      'call_events',
      'record_events',
      'dead_letters',
      // After the receipts: a roll-up adds totals here before it drops receipts.
      'receipt_totals',
      'removed_facts',
      'audit',
      'schema_migrations',
      'schema_migration_steps',
    ],
  },
  { name: 'content', tables: ['files', 'table_rows', 'table_positions'] },
] as const satisfies readonly { readonly name: string; readonly tables: readonly string[] }[];

/** The directory of the tables in that of a backup. */
export const TABLES_DIRECTORY = 'clickhouse';

export const groupPath = (name: string): string => `${TABLES_DIRECTORY}/${name}`;

/** Where the tables of a group are copied to: of a cluster, one directory per shard, counted from 0. */
export const copyPath = (name: string, shards: readonly number[] | null, shard: number): string =>
  shards === null ? groupPath(name) : `${groupPath(name)}/${shard + 1}`;

export const REDIS_FILE = 'redis.ndjson.gz';
