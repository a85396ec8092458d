import { Command } from 'commander';
import {
  addTextIndex,
  connectForMigrations,
  migrate,
  migrationStatus,
  progressLine,
  topologyOf,
  type ClickHouseClient,
  type MigrationProgress,
} from '@app/clickhouse';
import { readConfig, StartupError, type Config } from '@app/config';
import { createLogger } from '@app/observability';
import { connectRedis, withLock } from '@app/redis';

const PARTS_EVERY_MS = 5000;

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('apply pending migrations to ClickHouse')
    .option('--status', 'only show which migrations are applied')
    .option('--text-index', 'also create the text index of inputs and outputs for $contains')
    .action((options: { status?: boolean; textIndex?: boolean }) =>
      withStore(options.status ? show : (client, config) => apply(client, config, options)),
    );
}

type Work = (client: ClickHouseClient, config: Config) => Promise<void>;

async function withStore(work: Work): Promise<void> {
  const config = readConfig();
  const client = connectForMigrations(config.clickhouse);
  try {
    const { success } = await client.ping();
    if (!success)
      throw new StartupError('ClickHouse is unavailable; start it or set CLICKHOUSE_URL.');
    await work(client, config);
  } finally {
    await client.close();
  }
}

async function show(client: ClickHouseClient): Promise<void> {
  for (const { migration, state, appliedAt } of await migrationStatus(client)) {
    const number = String(migration.number).padStart(4, '0');
    say(`${number}  ${state.padEnd(8)} ${migration.name}${appliedAt ? `  (${appliedAt})` : ''}`);
  }
}

/** A lock in Redis keeps other processes from migrating at the same time. */
async function apply(
  client: ClickHouseClient,
  config: Config,
  { textIndex = false },
): Promise<void> {
  const redis = connectRedis(config.redis, 'consumer', createLogger('cli', config.logLevel));
  try {
    const topology = topologyOf(config.clickhouse);
    const report = progressReport();
    const applied = await withLock(redis, 'migrate', async () => {
      const done = await migrate(client, topology, report);
      if (textIndex) await addTextIndex(client, topology, report);
      return done;
    });
    say(
      applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.length} migrations.`,
    );
    if (textIndex) say('Created the text index.');
  } finally {
    redis.disconnect();
  }
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

const say = (line: string) => process.stdout.write(`${line}\n`);
