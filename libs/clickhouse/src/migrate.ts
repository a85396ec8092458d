import type { ClickHouseClient } from '@clickhouse/client';
import { HeddleError } from '@app/errors';
import { completeNodes } from './complete-nodes.js';
import { executeDdl } from './ddl.js';
import { MIGRATION_STEPS_TABLE, MigrationRun, type ReportProgress } from './migration-run.js';
import { readMigrations, readOptionalMigration, type Migration } from './migrations.js';
import { OldParts } from './old-parts.js';
import { renderMigration } from './render-migration.js';
import { Store } from './store.js';
import { everywhere, type Topology } from './topology.js';

type MigrationState = 'applied' | 'pending' | 'changed';

export interface MigrationStatus {
  readonly migration: Migration;
  readonly state: MigrationState;
  readonly appliedAt: string | undefined;
}

/** The server is too old, an applied migration file was edited, or a statement has not finished. */
class MigrationError extends HeddleError {
  readonly code = 'migration_refused';
}

interface AppliedRow {
  readonly number: number;
  readonly checksum: string;
  readonly applied_at: string;
}

/**
 * Applies the pending migrations in order and returns them. A migration is recorded after its last statement, and every
 * statement can be repeated, so an interrupted migration continues on the next run. The caller must hold the migration
 * lock. A restore creates tables as they were after an earlier migration, `upTo`.
 */
export async function migrate(
  client: ClickHouseClient,
  topology: Topology,
  progress: ReportProgress = () => undefined,
  upTo = Infinity,
): Promise<Migration[]> {
  await refuseOldServer(client);
  await refuseUnknownCluster(client, topology);
  if (topology.kind === 'cluster') {
    await continued('the tables of a new node', () => completeNodes(client, topology));
  }
  await createMigrationsTables(client, topology);
  const status = await migrationStatus(client);
  refuseChangedMigrations(status);
  const pending = status
    .filter(({ state, migration }) => state === 'pending' && migration.number <= upTo)
    .map(({ migration }) => migration);
  // With the settings of an erasure that was killed, a start could not use the parts that a migration replaces.
  if (pending.length > 0) await new OldParts(new Store(client, topology)).resetSettings();
  const run = new MigrationRun(client, topology, progress);
  for (const migration of pending) {
    await continued(fileName(migration), () => run.execute(fileName(migration), migration.text));
    await recordMigration(client, migration);
  }
  return pending;
}

const fileName = ({ number, name }: Migration) => `${String(number).padStart(4, '0')}_${name}`;

/** Says what an operator has to do when a migration stops on the way. */
async function continued(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new MigrationError(
      `The migration stopped in ${name}: ${String((error as Error).message)} ` +
        'Run `migrate` again when the cause is gone; it continues where it stopped.',
      { cause: error },
    );
  }
}

/** Adds the optional text index on payloads. It is not part of the schema, because most installations do not need it. */
export async function addTextIndex(
  client: ClickHouseClient,
  topology: Topology,
  progress: ReportProgress = () => undefined,
): Promise<void> {
  const run = new MigrationRun(client, topology, progress);
  const name = 'text_index';
  await continued(name, () => run.execute(name, readOptionalMigration(name)));
}

/** All migrations of this version and their state on the server. */
export async function migrationStatus(client: ClickHouseClient): Promise<MigrationStatus[]> {
  const applied = new Map((await appliedRows(client)).map((row) => [row.number, row]));
  return readMigrations().map((migration) => {
    const row = applied.get(migration.number);
    return { migration, state: stateOf(migration, row), appliedAt: row?.applied_at };
  });
}

/** Whether the server has all migrations of this version. */
export async function isMigrated(client: ClickHouseClient): Promise<boolean> {
  return (await migrationStatus(client)).every(({ state }) => state !== 'pending');
}

/** Older servers lack settings that every query uses. */
const OLDEST_SERVER = 26;

async function refuseOldServer(client: ClickHouseClient): Promise<void> {
  const result = await client.query({
    query: 'SELECT version() AS version',
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ version: string }>();
  if (isOldServer(row!.version))
    throw new MigrationError(
      `This ClickHouse is ${row!.version}; Heddle needs ${OLDEST_SERVER}.1 or newer.`,
    );
}

const isOldServer = (version: string): boolean => Number.parseInt(version) < OLDEST_SERVER;

/** Without this, every statement of a migration would fail, each with an error of its own. */
async function refuseUnknownCluster(client: ClickHouseClient, topology: Topology): Promise<void> {
  if (topology.kind === 'single') return;
  const { name, replicated } = topology;
  const missing = async (needed: string[], query: string, what: string) => {
    const result = await client.query({ query, format: 'JSONEachRow' });
    const found = (await result.json<{ name: string }>()).map((row) => row.name);
    const absent = needed.filter((one) => !found.includes(one));
    if (absent.length === 0) return;
    throw new MigrationError(
      `This ClickHouse has no ${what} ${absent.join(', ')}; add it to the configuration of every node ` +
        '(docs/operations/clickhouse-cluster.md) or change CLICKHOUSE_CLUSTER. Nothing was changed.',
    );
  };
  const clusters = 'SELECT DISTINCT cluster AS name FROM system.clusters';
  await missing([name, everywhere(name)], clusters, 'cluster');
  const macros = 'SELECT macro AS name FROM system.macros';
  if (replicated) await missing(['shard', 'replica'], macros, 'macro');
}

function stateOf(migration: Migration, row: AppliedRow | undefined): MigrationState {
  if (row === undefined) return 'pending';
  return row.checksum === migration.checksum ? 'applied' : 'changed';
}

function refuseChangedMigrations(status: readonly MigrationStatus[]): void {
  const changed = status.find(({ state }) => state === 'changed');
  if (changed === undefined) return;
  const { number, name } = changed.migration;
  throw new MigrationError(
    `Migration ${number} (${name}) was changed after it had been applied. ` +
      `Restore its text and put the change into a new migration.`,
  );
}

const MIGRATIONS_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migrations
(
    number     UInt32,
    name       String,
    checksum   String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(applied_at)
ORDER BY number;`;

async function createMigrationsTables(client: ClickHouseClient, topology: Topology): Promise<void> {
  for (const query of renderMigration(MIGRATIONS_TABLE + MIGRATION_STEPS_TABLE, topology)) {
    await executeDdl(client, topology, { query });
  }
}

async function appliedRows(client: ClickHouseClient): Promise<AppliedRow[]> {
  const exists = await client.query({
    query: 'EXISTS TABLE schema_migrations',
    format: 'JSONEachRow',
  });
  const [found] = await exists.json<{ result: number }>();
  if (found?.result !== 1) return [];
  const rows = await client.query({
    query:
      'SELECT number, checksum, toString(applied_at) AS applied_at FROM schema_migrations FINAL',
    format: 'JSONEachRow',
  });
  return rows.json<AppliedRow>();
}

async function recordMigration(
  client: ClickHouseClient,
  { number, name, checksum }: Migration,
): Promise<void> {
  await client.insert({
    table: 'schema_migrations',
    columns: ['number', 'name', 'checksum'],
    values: [{ number, name, checksum }],
    format: 'JSONEachRow',
  });
}
