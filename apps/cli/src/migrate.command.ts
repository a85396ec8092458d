import { Command } from 'commander';
import {
  addTextIndex,
  connectClickHouse,
  migrate,
  migrationStatus,
  topologyOf,
  type ClickHouseClient,
} from '@app/clickhouse';
import { readConfig, StartupError, type Config } from '@app/config';
import { createLogger } from '@app/observability';
import { connectRedis, withLock } from '@app/redis';

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
  const client = connectClickHouse(config.clickhouse, 'migrate');
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
    const applied = await withLock(redis, 'migrate', async () => {
      const done = await migrate(client, topology, ({ number, name }) =>
        say(`Applying ${String(number).padStart(4, '0')} ${name}`),
      );
      if (textIndex) await addTextIndex(client, topology);
      return done;
    });
    say(
      applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.length} migrations.`,
    );
    if (textIndex) say('Created the text index; ClickHouse indexes older calls in the background.');
  } finally {
    redis.disconnect();
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);
