import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '@app/config';
import { freePort, SupervisedProcess } from '@app/embedded';
import { includePageOf, type Logger } from '@app/observability';

/** People wait for requests and reads, not for the worker. It gets a quarter of a processor that one of them wants, too. */
const NICE = 5;

/** Starts the worker as its own process, so that its work does not delay requests. */
export async function startWorker(
  config: Config,
  directory: string,
  logger: Logger,
): Promise<SupervisedProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  includePageOf('worker', () => pageOf(`${url}/metrics`));
  return SupervisedProcess.start({
    name: 'Worker',
    command: process.execPath,
    args: [entry(), '--supervised'],
    inheritsEnv: true,
    nice: NICE,
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      REDIS_URL: config.redis.url,
      CLICKHOUSE_URL: config.clickhouse.url,
      CLICKHOUSE_USER: config.clickhouse.user,
      CLICKHOUSE_PASSWORD: config.clickhouse.password,
      CLICKHOUSE_DATABASE: config.clickhouse.database,
      // Only the process that starts ClickHouse needs it.
      COLD_DIR: '',
      // A worker serves no clients and reads no files, so it needs none of these secrets.
      HEDDLE_API_KEY: '',
      FILES_S3_SECRET: '',
      OIDC_CLIENT_SECRET: '',
    },
    pidFile: join(directory, 'worker.pid'),
    probe: () => probe(`${url}/healthz`),
    logger,
    output: (line) => forward(line, config, logger),
  });
}

/** The worker logs like this process. Other lines are of Node itself, for example when it has no memory left. */
function forward(line: string, { logFormat }: Config, logger: Logger): void {
  const isLogged = logFormat === 'pretty' || line.startsWith('{"');
  if (isLogged) process.stderr.write(`${line}\n`);
  else logger.warn(`Worker: ${line}`);
}

const PAGE_TIMEOUT_MS = 1000;

async function pageOf(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) });
  return response.ok ? response.text() : '';
}

/** dist/apps/worker, next to dist/apps/standalone. */
function entry(): string {
  return fileURLToPath(new URL('../../worker/src/main.js', import.meta.url));
}

async function probe(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The worker responds with status ${response.status}.`);
}
