import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageApplied, sql, storageProblem, storeChecks, type Store } from '@app/clickhouse';
import type { Config } from '@app/config';
import { messageOf } from '@app/errors';
import { diskOf, lowDisks, requireDurable, shortageOf, type Disk, type Redis } from '@app/redis';

/** What `doctor` found out about one thing, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly message: string;
}

const finding = (state: Finding['state']) => (check: string, message: string) =>
  ({ check, state, message }) satisfies Finding;
const ok = finding('ok');
const warning = finding('warning');
const problem = finding('problem');

/** Runs a check; an error of it is a problem. */
export async function checked(
  check: string,
  run: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await run()].flat();
  } catch (error) {
    return [problem(check, messageOf(error))];
  }
}

/** The versions that package.json names as `engines`. */
export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isSupported
    ? ok('node', `Node ${version}`)
    : problem('node', `Node ${version} is not supported; install 22.12 or newer, or 20.19.`);
}

/** Others must not read payloads, keys and passwords. */
export async function permissions(dataDir: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of ['', 'api-key', 'stores.json', 'redis', 'clickhouse']) {
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || (found.mode & 0o077) === 0) continue;
    const mode = (found.mode & 0o777).toString(8);
    findings.push(
      problem(
        'permissions',
        `Other users may use ${path} (mode ${mode}); run chmod go-rwx ${path}.`,
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('permissions', `${dataDir}: only its owner.`)];
}

export async function redisState(redis: Redis, config: Config): Promise<Finding[]> {
  const info = await redis.info('server');
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'of an unknown version';
  const findings = [ok('redis', `Redis ${version}`)];
  findings.push(
    ...(await checked('durability', async () => {
      await requireDurable(redis, config.redis);
      return config.redis.allowNonDurable
        ? warning('durability', 'ALLOW_NON_DURABLE_REDIS is set: acknowledged writes may be lost.')
        : ok('durability', 'Redis writes every acknowledged fact to disk and evicts none.');
    })),
  );
  return findings;
}

export async function clickHouseState(store: Store): Promise<Finding[]> {
  const [row] = await store.rows<{ version: string }>(sql`SELECT version() AS version`);
  const findings: Finding[] = [ok('clickhouse', `ClickHouse ${row!.version}`)];
  for (const { problem: found } of storeChecks(store)) {
    const message = await found();
    findings.push(
      message === undefined
        ? ok('migrations', 'The tables are up to date.')
        : problem('migrations', `${message}.`),
    );
  }
  return findings;
}

/** The storage policy of the settings; nothing without one. */
export async function storage(
  { client, topology }: Store,
  { storage: wanted }: Config,
): Promise<Finding[]> {
  if (wanted.policy === '') return [];
  const found = await storageProblem(client, topology, wanted);
  if (found !== undefined) return [problem('storage', found)];
  if (!(await isStorageApplied(client, topology, wanted)))
    return [problem('storage', 'The tables have another storage policy or age; run `migrate`.')];
  const { policy, coldVolume, coldAfterDays } = wanted;
  const moves = `data older than ${coldAfterDays} days moves to the volume ${coldVolume}`;
  return [ok('storage', `Policy ${policy}; ${coldAfterDays === 0 ? 'no data moves' : moves}.`)];
}

/** Redis orders renames, ClickHouse decides what is old, and clients believe both. */
const CLOCK_WARNING_MS = 2000;
const CLOCK_PROBLEM_MS = 60_000;

export async function clocks(redis: Redis, store: Store): Promise<Finding> {
  const before = Date.now();
  const [[seconds, microseconds], clickhouse] = await Promise.all([redis.time(), store.now()]);
  const here = (before + Date.now()) / 2;
  return clockFinding({
    'this machine': here,
    Redis: Number(seconds) * 1000 + Number(microseconds) / 1000,
    ClickHouse: clickhouse,
  });
}

export function clockFinding(times: Readonly<Record<string, number>>): Finding {
  const sorted = Object.entries(times).sort(([, a], [, b]) => a - b);
  const [[slow, least], [fast, most]] = [sorted[0]!, sorted.at(-1)!];
  const apart = Math.round(most - least);
  const text = `The clock of ${fast} is ${apart} ms ahead of that of ${slow}`;
  if (apart > CLOCK_PROBLEM_MS) return problem('clocks', `${text}; synchronise them by NTP.`);
  if (apart > CLOCK_WARNING_MS) return warning('clocks', `${text}; synchronise them by NTP.`);
  return ok('clocks', `All clocks agree within ${apart} ms.`);
}

export async function disks(store: Store, { redis }: Config): Promise<Finding> {
  const rows = await store.rows<{ name: string; free: string; total: string }>(
    sql`SELECT name, toString(free_space) AS free, toString(total_space) AS total FROM system.disks WHERE total_space > 0`,
  );
  const found: Disk[] = rows.map(({ name, free, total }) => ({
    name: `ClickHouse (${name})`,
    freeBytes: Number(free),
    totalBytes: Number(total),
  }));
  if (redis.dataDir !== '') found.push(await diskOf(redis.dataDir, 'Redis'));
  const shortage = shortageOf(lowDisks(found, redis.minFreeDiskBytes), redis.minFreeDiskBytes);
  return shortage === undefined
    ? ok('disk', `${found.length} disks have enough free space.`)
    : problem('disk', `${shortage}; see docs/operations/disk-full.md.`);
}
