import { Command } from 'commander';
import {
  addTextIndex,
  applyStorage,
  connectForMigrations,
  migrate,
  migrationStatus,
  progressLine,
  topologyOf,
  type ClickHouseClient,
  type MigrationProgress,
} from '@app/clickhouse';
import type { Config } from '@app/config';
import { withLock } from '@app/redis';
import {
  commandConfig,
  JSON_OPTION,
  report,
  requireClickHouse,
  say,
  withRedis,
  type JsonOption,
} from './context.js';

const PARTS_EVERY_MS = 5000;

interface Options extends JsonOption {
  readonly status?: boolean;
  readonly textIndex?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('apply pending migrations to ClickHouse')
    .option('--status', 'only show which migrations are applied; exit code 1 if some are pending')
    .option('--text-index', 'also create the text index of inputs and outputs for $contains')
    .option(...JSON_OPTION)
    .action((options: Options) =>
      withStore((client, config) =>
        options.status ? show(client, options) : apply(client, config, options),
      ),
    );
}

type Work = (client: ClickHouseClient, config: Config) => Promise<void>;

async function withStore(work: Work): Promise<void> {
  const config = commandConfig();
  await requireClickHouse(config);
  const client = connectForMigrations(config.clickhouse);
  try {
    await work(client, config);
  } finally {
    await client.close();
  }
}

async function show(client: ClickHouseClient, options: Options): Promise<void> {
  const migrations = (await migrationStatus(client)).map(({ migration, state, appliedAt }) => ({
    number: migration.number,
    name: migration.name,
    state,
    applied_at: appliedAt ?? null,
  }));
  const lines = migrations.map(({ number, name, state, applied_at }) => {
    const at = applied_at === null ? '' : `  (${applied_at})`;
    return `${String(number).padStart(4, '0')}  ${state.padEnd(8)} ${name}${at}`;
  });
  report(options, { migrations }, lines);
  if (migrations.some(({ state }) => state !== 'applied')) process.exitCode = 1;
}

/** A lock in Redis keeps other processes from migrating at the same time. */
async function apply(client: ClickHouseClient, config: Config, options: Options): Promise<void> {
  const { textIndex = false, json } = options;
  const topology = topologyOf(config.clickhouse);
  const progress = json ? () => undefined : progressReport();
  const { done: applied, moved } = await withRedis(
    (redis) =>
      withLock(redis, 'migrate', async () => {
        const done = await migrate(client, topology, progress);
        if (textIndex) await addTextIndex(client, topology, progress);
        const moved = await applyStorage(client, topology, config.storage);
        return { done, moved };
      }),
    config,
  );
  const names = applied.map(({ name }) => name);
  report(options, { applied: names, text_index: textIndex, storage_changed: moved }, [
    applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.length} migrations.`,
    ...(textIndex ? ['Created the text index.'] : []),
    ...(moved.length > 0 ? [`Changed the storage of ${moved.join(', ')}.`] : []),
  ]);
}

/** Prints each migration and each partition once, and the parts that are left every few seconds. */
function progressReport(): (progress: MigrationProgress) => void {
  let applying = '';
  let reportedAt = -Infinity;
  return (progress) => {
    const { migration, partition, partsLeft } = progress;
    if (migration !== applying) say(`Applying ${migration.replace('_', ' ')}`);
    applying = migration;
    const now = performance.now();
    const isRepeated = partsLeft !== undefined && now - reportedAt < PARTS_EVERY_MS;
    if (isRepeated || (partition === undefined && partsLeft === undefined)) return;
    reportedAt = now;
    say(progressLine(progress));
  };
}
