import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readConfig } from '@app/config';
import { freePort, readLocalStores, startClickHouse, startRedis } from '@app/embedded';
import {
  connectClickHouse,
  connectForMigrations,
  connectStore,
  migrate,
  onEveryNode,
  raw,
  Removal,
  sql,
  topologyOf,
  type Store,
} from '@app/clickhouse';
import { createLogger, type Logger } from '@app/observability';
import { KEYS, Ledger } from '@app/queue';
import { API_KEYS, connectRedis, type Redis } from '@app/redis';
import { CliRunner, type CliResult } from './cli-runner.js';
import { TestServer } from './test-server.js';
import {
  cleanUp,
  eventually,
  root,
  startNode,
  temporaryDirectory,
  type Program,
} from './processes.js';

const KEY = 'a-key-for-all-of-them';

export interface Part {
  readonly program: Program;
  readonly server: TestServer;
}

/** Redis and ClickHouse with all tables. Tests start the apps one by one, each with its own settings. */
export class SplitServer {
  private readonly commands: CliRunner;

  private constructor(
    private readonly env: Record<string, string>,
    readonly store: Store,
    /** Where Redis and ClickHouse keep their data. */
    readonly directories: { readonly redis: string[]; readonly clickhouse: string[] },
    private readonly stopServers: () => Promise<unknown>,
  ) {
    this.commands = new CliRunner(env);
  }

  /** With a database of its own. Tests that read the files of ClickHouse need a whole ClickHouse of their own. */
  static async start({ ownClickHouse = false } = {}): Promise<SplitServer> {
    const directory = temporaryDirectory();
    const logger = createLogger('test', 'error');
    const [redis, clickhouse] = await Promise.all([
      startRedis({ directory: join(directory, 'redis'), logger }),
      sharedClickHouse(ownClickHouse) ?? startOwnClickHouse(join(directory, 'clickhouse'), logger),
    ]);
    const env = {
      REDIS_URL: redis.url,
      ...clickhouse.env,
      HEDDLE_API_KEY: KEY,
      HEDDLE_USER: 'ann',
      LOGIN_MAX_FAILURES_PER_MINUTE: '0',
      QUERY_MAX_WAIT_MS: '60000',
      LOG_LEVEL: 'warn',
    };
    const config = readConfig(env).clickhouse;
    const client = connectForMigrations(config);
    await migrate(client, topologyOf(config));
    await client.close();
    const directories = { redis: [join(directory, 'redis')], clickhouse: clickhouse.directories };
    return new SplitServer(env, connectStore(config, 'test'), directories, () =>
      Promise.all([redis.stop(), clickhouse.stop()]),
    );
  }

  /** Starts one app and resolves when it is ready. */
  async part(name: 'ingest' | 'worker' | 'query', env: Record<string, string> = {}): Promise<Part> {
    const port = await freePort();
    const program = startNode([`dist/apps/${name}/src/main.js`], {
      env: { ...this.env, LOG_LEVEL: 'debug', PORT: String(port), ...env },
    });
    const part = { program, server: new TestServer(`http://127.0.0.1:${port}`, KEY) };
    await eventually(
      () => isReady(part),
      60_000,
      () => `${name} did not become ready: ${program.stderr}`,
    );
    return part;
  }

  /** Runs an operator's command and resolves when it has ended. All commands share a process. */
  cli(...args: string[]): Promise<CliResult> {
    return this.commands.run(args);
  }

  /** Runs an operator's command with more settings, in a process of its own. */
  async cliWith(env: Record<string, string>, ...args: string[]): Promise<CliResult> {
    const entry = 'dist/apps/cli/src/main.js';
    const program = startNode([entry, ...args], { env: { ...this.env, ...env } });
    const { code } = await program.end(60_000);
    return { code, stdout: program.stdout, stderr: program.stderr };
  }

  /** Whether everything that was sent to the project is stored. */
  async isSettled(project: string): Promise<boolean> {
    const redis = connectRedis(
      { url: this.env['REDIS_URL']! },
      'consumer',
      createLogger('test', 'error'),
    );
    try {
      return (await new Ledger(redis).pendingFacts(project)) === 0;
    } finally {
      redis.disconnect();
    }
  }

  /** Deletes rows behind the server's back. */
  async damage(table: string, where: string): Promise<void> {
    await new Removal(this.store).remove(table, sql`${raw(where)}`);
  }

  /** The names of all tables. On a cluster, without those behind the distributed tables. */
  async tables(): Promise<string[]> {
    const rows = await this.store.rows<{ name: string }>(
      sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '%\\_local'`,
    );
    return rows.map(({ name }) => name);
  }

  /** Makes Redis and ClickHouse store texts uncompressed, so that a search of their files finds them. */
  async storeUncompressed(): Promise<void> {
    const redis = connectRedis(
      { url: this.env['REDIS_URL']! },
      'consumer',
      createLogger('test', 'error'),
    );
    await redis.config('SET', 'rdbcompression', 'no');
    redis.disconnect();
    await storeUncompressed(this.store);
  }

  /** The address of an unused database of the same Redis. */
  emptyRedis(): string {
    return `${this.env['REDIS_URL']}/9`;
  }

  /** The keys of Redis whose name or content contains this text, without API keys and the audit log. */
  async traceInRedis(text: string): Promise<string[]> {
    const redis = connectRedis(
      { url: this.env['REDIS_URL']! },
      'consumer',
      createLogger('test', 'error'),
    );
    const names = [text, encodeURIComponent(text)];
    try {
      const exempt: readonly string[] = [API_KEYS, KEYS.audit];
      const keys = (await redis.keys('*')).filter((key) => !exempt.includes(key));
      const texts = await Promise.all(keys.map(async (key) => key + (await contentOf(redis, key))));
      return keys.filter((_, i) => names.some((name) => texts[i]!.includes(name)));
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    this.commands.stop();
    await this.store.close();
    await cleanUp(this.stopServers);
  }
}

/** Makes ClickHouse store new rows uncompressed, so that a search of its files finds their texts. */
export async function storeUncompressed(store: Store): Promise<void> {
  const columns = await store.rows<{ table: string; changes: string }>(
    sql`SELECT table, arrayStringConcat(groupArray(concat('MODIFY COLUMN \`', name, '\` CODEC(NONE)')), ', ') AS changes
FROM system.columns WHERE database = currentDatabase() AND position(type, 'String') > 0 AND default_kind != 'ALIAS'
  AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
GROUP BY table`,
  );
  const everyNode = onEveryNode(store.topology);
  for (const { table, changes } of columns)
    await store.runDdl(sql`${raw(`ALTER TABLE ${table}${everyNode} ${changes}`)}`);
}

interface ClickHouse {
  readonly env: Record<string, string>;
  readonly directories: string[];
  stop(): Promise<void>;
}

async function startOwnClickHouse(directory: string, logger: Logger): Promise<ClickHouse> {
  const serverEntry = join(root, 'dist/libs/embedded/src/clickhouse-server/main.js');
  const clickhouse = await startClickHouse({ directory, logger, serverEntry });
  const { url, username, password } = clickhouse;
  return {
    env: { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password },
    directories: [directory],
    stop: () => clickhouse.stop(),
  };
}

/** A new database on what the tests of a project share: a cluster, or the ClickHouse of the standalone server. */
function sharedClickHouse(isOwn: boolean): Promise<ClickHouse> | undefined {
  const { TEST_CLUSTER: cluster, TEST_DATA_DIR: dataDir } = process.env;
  if (cluster !== undefined) {
    const { env, directories } = JSON.parse(cluster) as Pick<ClickHouse, 'env' | 'directories'>;
    return ownDatabase(env, directories);
  }
  const stores = isOwn || dataDir === undefined ? undefined : readLocalStores(dataDir);
  if (stores === undefined) return undefined;
  const { url, user, password } = stores.clickhouse;
  const env = { CLICKHOUSE_URL: url, CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password };
  return ownDatabase(env, []);
}

async function ownDatabase(
  env: Record<string, string>,
  directories: string[],
): Promise<ClickHouse> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = connectClickHouse(readConfig(env).clickhouse, 'test');
  const command = (query: string) => client.command({ query });
  const cluster = env['CLICKHOUSE_CLUSTER'];
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`;
  await command(`CREATE DATABASE ${name}${everywhere} ENGINE = Atomic`);
  const names = Object.keys(env).filter((key) => key.startsWith('CLICKHOUSE_'));
  return {
    env: {
      ...Object.fromEntries(names.map((key) => [key, env[key]!])),
      CLICKHOUSE_DATABASE: name,
    },
    directories,
    stop: async () => {
      await command(`DROP DATABASE ${name}${everywhere} SYNC`);
      await client.close();
    },
  };
}

export async function isReady({ server }: Part): Promise<boolean> {
  const { status } = await server.send('/readyz', undefined, { method: 'GET', key: null });
  return status === 200;
}

async function contentOf(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.getBuffer(key))?.toString('latin1') ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return (await redis.lrange(key, 0, -1)).join();
    case 'set':
      return (await redis.smembers(key)).join();
    case 'zset':
      return (await redis.zrange(key, 0, '-1')).join();
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}
