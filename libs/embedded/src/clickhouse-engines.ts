import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from '@app/config';
import { findBinary } from './find-binary.js';
import { plainEnvironment } from './plain-environment.js';
import { hasCode } from './process-identity.js';

/** Older servers lack settings and JSON functions that our SQL uses. */
const OLDEST_SERVER = 26;

export type ClickHouseEngine =
  { readonly kind: 'server'; readonly binary: string } | { readonly kind: 'npm' };

/**
 * Prefers a server binary on the PATH over the npm engine. A data directory stays with the engine that created it,
 * because the two have different layouts and cannot read each other's tables.
 */
export async function chooseEngine(directory: string, binary?: string): Promise<ClickHouseEngine> {
  const createdBy = await readEngineFile(directory);
  const server = createdBy === 'npm' ? undefined : await modernServer(binary);
  const npm = createdBy === 'server' ? false : hasNpmEngine();
  if (!server && !npm) throw noEngine(directory, createdBy);
  const engine: ClickHouseEngine = server ? { kind: 'server', binary: server } : { kind: 'npm' };
  await writeFile(join(directory, 'engine'), `${engine.kind}\n`, { mode: 0o600 });
  return engine;
}

async function readEngineFile(directory: string): Promise<string | undefined> {
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
  const { stdout } = await promisify(execFile)(binary, ['--version'], {
    env: plainEnvironment(),
  });
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

function noEngine(directory: string, createdBy: string | undefined): StartupError {
  const { platform, arch } = process;
  const reason =
    createdBy === undefined
      ? 'ClickHouse is not installed.'
      : `${directory} was created by the ${createdBy} engine, which is not installed any more.`;
  return new StartupError(
    `${reason} Set CLICKHOUSE_URL to a running server, or put a clickhouse binary (${OLDEST_SERVER}.1 or newer) ` +
      `on the PATH, or install the npm engine for this platform (${platform}-${arch}): ` +
      `npm install chdb, which brings ${npmEnginePackage(platform, arch)} where it exists.`,
  );
}
