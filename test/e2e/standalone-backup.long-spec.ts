import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import S3rver from 's3rver';
import type { SavedFile } from '../../apps/cli/src/backup/manifest.js';
import {
  projectChecksums,
  refusal,
  result,
  startWithEverything,
  storeOf,
  storesOf,
  writeAll,
} from '../support/backup-drill.js';
import { cleanUp, temporaryDirectory } from '../support/processes.js';
import { aProject } from '../support/test-server.js';

const project_id = aProject();
const dataDir = temporaryDirectory();
const backups = temporaryDirectory();
let s3: S3rver;
let bucketEnv: Record<string, string>;

/** Settings of commands that find the server by its data directory. */
const env = () => ({ DATA_DIR: dataDir });

beforeAll(async () => {
  const directory = temporaryDirectory();
  s3 = new S3rver({ port: 0, silent: true, directory, configureBuckets: [{ name: 'backups' }] });
  const { port } = await s3.run();
  bucketEnv = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
});
afterAll(async () => {
  await s3.close();
  await cleanUp();
});

describe('a backup', () => {
  it('is encrypted, incremental and in a bucket by option, and restored to a point in time into running servers', async () => {
    const { server, written, before } = await startWithEverything(dataDir, project_id);
    await mergeMigrations();
    const next = join(backups, 'next');
    const full = 's3://backups/full';
    const key = join(backups, 'key');
    writeFileSync(key, `${'0123456789abcdef'.repeat(4)}\n`);
    const sealed = ['--encrypt-with', key];
    const source = { ...env(), ...bucketEnv };
    const first = await result(source, 'backup', '--to', full, ...sealed);
    const until = new Date().toISOString();
    await pause(20);
    await writeAll(server, project_id);
    await server.post('/calls/delete', { project_id, call_ids: [written.id] });
    const second = await result(source, 'backup', '--to', next, '--base', full, ...sealed);
    expect(second.base).toEqual({ id: first.id, path: full });
    // A table that nothing was written to.
    const ofMigrations = ({ path }: SavedFile) => /data\/[^/]+\/schema_migrations\//.test(path);
    expect(first.files.filter(ofMigrations)).not.toEqual([]);
    expect(second.files.filter(ofMigrations)).toEqual([]);
    expect(await refusal(source, 'backup', '--to', full)).toContain('is not empty');
    expect(filesWith(next, 'a-model')).toEqual([]);

    const target = { ...(await emptyServers('restored')), ...bucketEnv };
    const open = ['--decrypt-with', key];
    expect(await refusal(target, 'restore', '--from', next)).toContain(
      'is encrypted; give its key',
    );
    const restored = await result(target, 'restore', '--from', next, ...open, '--until', until);
    expect(restored.removed_facts).toBeGreaterThan(5);
    expect(restored.ledger.holds).toEqual([true, true, true, true, true]);
    const store = storeOf(target);
    expect(withoutRemovals(await projectChecksums(store, project_id))).toEqual(
      withoutRemovals(before),
    );
    await store.close();

    expect(await refusal(target, 'restore', '--from', next, ...open)).toMatch(/has \d+ tables/);
    const otherKey = join(backups, 'other-key');
    writeFileSync(otherKey, 'f'.repeat(64));
    const wrong = await refusal(source, 'backup', 'verify', next, '--decrypt-with', otherKey);
    expect(wrong).toContain('is encrypted with another key');
    const moved = await refusal(source, 'backup', 'verify', next, '--base', next);
    expect(moved).toContain('is not the base of this backup');
    expect(await result(source, 'backup', 'verify', next)).toMatchObject({ is_complete: true });
  });
});

/** Without the tables that also say what was removed, or have it without a fact. */
function withoutRemovals(sums: Record<string, string>): Record<string, string> {
  const changed = ['receipts', 'removed_facts', 'audit'];
  return Object.fromEntries(Object.entries(sums).filter(([name]) => !changed.includes(name)));
}

/** A merge between the two backups would make new files of a table that nothing was written to. */
async function mergeMigrations(): Promise<void> {
  const store = storeOf(storesOf(dataDir));
  await store.client.command({ query: 'OPTIMIZE TABLE schema_migrations FINAL' });
  await store.close();
}

/** A database of the same ClickHouse, and one of the same Redis. */
async function emptyServers(name: string): Promise<Record<string, string>> {
  const servers = storesOf(dataDir);
  const store = storeOf(servers);
  await store.client.command({ query: `CREATE DATABASE ${name}` });
  await store.close();
  return { ...servers, REDIS_URL: `${servers['REDIS_URL']}/9`, CLICKHOUSE_DATABASE: name };
}

const filesWith = (directory: string, text: string): string[] =>
  readdirSync(directory, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(directory, name)).isFile() && name !== 'manifest.json')
    .filter((name) => readFileSync(join(directory, name)).includes(text));
