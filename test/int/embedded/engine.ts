import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, ClickHouseLogLevel, type ClickHouseClient } from '@clickhouse/client';
import { startClickHouse, type EmbeddedClickHouse } from '@app/embedded';
import type { Logger } from '@app/observability';

const DIST = process.env['HEDDLE_DIST'] ?? resolve(import.meta.dirname, '../../../dist');
export const SERVER_ENTRY = join(DIST, 'libs/embedded/src/clickhouse-server/main.js');
export const EMBEDDED_INDEX = join(DIST, 'libs/embedded/src/index.js');

export interface Warning {
  readonly sentence: string;
  readonly fields: object;
}

/** A logger that records warnings and drops everything else. */
export function listeningLogger(): Logger & { readonly warnings: Warning[] } {
  const warnings: Warning[] = [];
  const quiet = () => undefined;
  const logger = {
    warnings,
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (sentence: string, fields: object = {}) => void warnings.push({ sentence, fields }),
    with: () => logger,
  };
  return logger;
}

export const newDirectory = () => mkdtemp(join(tmpdir(), 'heddle-embedded-'));

export interface TestEngine {
  readonly directory: string;
  readonly clickhouse: EmbeddedClickHouse;
  readonly client: ClickHouseClient;
  close(): Promise<void>;
}

/** A new engine, for tests that inspect or kill its process. */
export async function startEngine(): Promise<TestEngine> {
  const directory = await newDirectory();
  const logger = listeningLogger();
  const clickhouse = await startClickHouse({ directory, logger, serverEntry: SERVER_ENTRY });
  const client = clientOf(clickhouse);
  return {
    directory,
    clickhouse,
    client,
    close: async () => {
      await client.close();
      await clickhouse.stop();
      await rm(directory, { recursive: true });
    },
  };
}

export function clientOf(
  { url, username, password }: EmbeddedClickHouse,
  options: Parameters<typeof createClient>[0] = {},
): ClickHouseClient {
  const log = { level: ClickHouseLogLevel.OFF };
  return createClient({ url, username, password, max_open_connections: 32, log, ...options });
}

/** The rows of a query. */
export async function rowsOf<Row = Record<string, unknown>>(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, unknown> = {},
): Promise<Row[]> {
  const result = await client.query({ query, query_params, format: 'JSONEachRow' });
  return result.json<Row>();
}

/** Polls until the condition is true; the time limit of the test ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? 'X');
  } catch {
    return false; // no such process
  }
}

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
