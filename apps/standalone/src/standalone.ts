import { requireStrongKey } from '@app/auth';
import {
  applyStorage,
  connectForMigrations,
  migrate,
  progressLine,
  topologyOf,
} from '@app/clickhouse';
import { isLoopback, StartupError, type Config } from '@app/config';
import { isFree, openDataDirectory, writeLocalStores } from '@app/embedded';
import { serve } from '@app/http';
import type { Logger, Running } from '@app/observability';
import { connectRedis, withLock } from '@app/redis';
import { measureChildren } from './child-metrics.js';
import { startDependencies, type Stoppable } from './dependencies.js';
import { keyFile, makeFirstKey } from './first-key.js';
import { StandaloneModule } from './standalone.module.js';
import { welcomeText } from './welcome.js';
import { startWorker } from './worker-child.js';

const DEFAULT_PORT = 8080;

/**
 * Starts the whole server: data directory, Redis and ClickHouse, migrations, first key, worker, and ingest and query in
 * this process. Stops everything in reverse order, also when a later step fails.
 */
export async function startStandalone(given: Config, logger: Logger): Promise<Running> {
  const open: Stoppable[] = [];
  const close = async () => {
    while (open.length > 0) await open.pop()!.stop();
  };
  try {
    // On a loopback address a short key is good enough to try the server out.
    if (!isLoopback(given.server.host)) requireStrongKey(given.auth);
    await requireFreePort(given);
    const directory = await openDataDirectory(given.dataDir);
    open.push({ stop: () => directory.release() });

    const { config, started, pids } = await startDependencies(given, directory.path, logger);
    open.push(...[...started].reverse());
    const key = await prepare(config, directory.path, logger);
    open.push({ stop: await writeLocalStores(directory.path, config) });

    const worker = await startWorker(config, directory.path, logger);
    open.push(worker);
    measureChildren({ ...pids, worker: () => worker.pid() });
    const module = StandaloneModule.register(config, logger);
    const serving = await serve(module, {
      config: config.server,
      port: DEFAULT_PORT,
      logger,
      docs: true,
    });
    open.push({ stop: () => serving.close() });

    process.stdout.write(
      welcomeText({
        url: serving.url,
        key,
        keyFile: keyFile(given.dataDir),
        dataDirectory: given.dataDir,
        keyIsGiven: config.auth.apiKey !== '',
      }),
    );
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Checks first, because starting the databases takes seconds. */
async function requireFreePort({ server }: Config): Promise<void> {
  const { host } = server;
  const port = server.port || DEFAULT_PORT;
  const free = await isFree(port, host).catch((error: Error) => {
    throw new StartupError(
      `Heddle cannot listen on port ${port} of ${host} (${error.message}); set HOST to an address of this machine, ` +
        'such as 127.0.0.1, and PORT to one above 1023.',
    );
  });
  if (free) return;
  throw new StartupError(
    `Port ${port} on ${host} is in use; stop what uses it or set PORT to another.`,
  );
}

/** Creates the tables and the first key, before the server accepts requests. */
async function prepare(
  config: Config,
  directory: string,
  logger: Logger,
): Promise<string | undefined> {
  const redis = connectRedis(config.redis, 'consumer', logger);
  const client = connectForMigrations(config.clickhouse);
  try {
    const topology = topologyOf(config.clickhouse);
    const applied = await withLock(redis, 'migrate', async () => {
      const migrations = await migrate(client, topology, (progress) =>
        logger.debug(progressLine(progress)),
      );
      await applyStorage(client, topology, config.storage);
      return migrations;
    });
    if (applied.length > 0) logger.debug('Migrations were applied.', { count: applied.length });
    return await makeFirstKey(redis, config.auth, directory);
  } finally {
    redis.disconnect();
    await client.close();
  }
}
