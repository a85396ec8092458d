import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from '@app/config';
import { findBinary } from './find-binary.js';
import { hasCode } from './process-identity.js';

/** Older servers lack settings and JSON functions that our SQL uses. */
const OLDEST_SERVER = 26;

export type ClickHouseEngine =
  { readonly kind: 'server'; readonly binary: string } | { readonly kind: 'npm' };

/**
 * A server binary on the PATH, else the npm engine; but a directory stays with the engine that made it,
 * because the two lay out their databases differently and would not see each other's tables.
 */
export async function chooseEngine(directory: string, binary?: string): Promise<ClickHouseEngine> {
  const madeBy = await readMark(directory);
  const server = madeBy === 'npm' ? undefined : await modernServer(binary);
  const npm = madeBy === 'server' ? false : hasNpmEngine();
  if (!server && !npm) throw noEngine(directory, madeBy);
  const engine: ClickHouseEngine = server ? { kind: 'server', binary: server } : { kind: 'npm' };
  await writeFile(join(directory, 'engine'), `${engine.kind}\n`, { mode: 0o600 });
  return engine;
}

async function readMark(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, 'engine'), 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function modernServer(given: string | undefined): Promise<string | undefined> {
  const binary = given ?? (await findBinary(['clickhouse']));
  if (!binary) return undefined;
  const { stdout } = await promisify(execFile)(binary, ['--version']);
  return isModern(stdout) ? binary : undefined;
}

export function isModern(version: string): boolean {
  const [, major] = /\bversion (\d+)\.\d+/.exec(version) ?? [];
  return Number(major) >= OLDEST_SERVER;
}

export function npmEnginePackage(platform: string, arch: string): string {
  return `@chdb/lib-${platform}-${arch}${platform === 'linux' ? '-gnu' : ''}`;
}

function hasNpmEngine(): boolean {
  try {
    const chdb = createRequire(import.meta.url).resolve('chdb');
    createRequire(chdb).resolve(npmEnginePackage(process.platform, process.arch));
    return true;
  } catch (error) {
    if (hasCode(error, 'MODULE_NOT_FOUND')) return false;
    throw error;
  }
}

function noEngine(directory: string, madeBy: string | undefined): StartupError {
  const { platform, arch } = process;
  const reason =
    madeBy === undefined
      ? 'There is no ClickHouse.'
      : `${directory} was made by the ${madeBy} engine, which is not here any more.`;
  return new StartupError(
    `${reason} Set CLICKHOUSE_URL to a running server, or put a clickhouse binary (${OLDEST_SERVER}.1 or newer) ` +
      `on the PATH, or install the npm engine for this platform (${platform}-${arch}): ` +
      `npm install chdb, which brings ${npmEnginePackage(platform, arch)} where it exists.`,
  );
}
