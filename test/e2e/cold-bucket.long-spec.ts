import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import S3rver from 's3rver';
import { freePort } from '@app/embedded';
import { command, result, storeOf, storesOf } from '../support/backup-drill.js';
import { sql } from '@app/clickhouse';
import { storeUncompressed } from '../support/split-server.js';
import { cleanUp, eventually, startStandalone, temporaryDirectory } from '../support/processes.js';
import { endItem, startItem } from '../support/records.js';
import { aProject, TestServer } from '../support/test-server.js';

const KEY = 'a-key-of-the-environment';
const EIGHTY_DAYS_MS = 80 * 86_400_000;
const bucket = temporaryDirectory();
const dataDir = temporaryDirectory();
let s3: S3rver;
let aws: Record<string, string>;

beforeAll(async () => {
  const configureBuckets = [{ name: 'cold' }, { name: 'backups' }];
  s3 = new S3rver({ port: 0, silent: true, directory: bucket, configureBuckets });
  const { port } = await s3.run();
  aws = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
});
afterAll(async () => {
  await cleanUp();
  await s3.close();
});

/** The objects of the bucket that contain the text. */
const objectsWith = (text: string): string[] =>
  readdirSync(join(bucket, 'cold'), { recursive: true })
    .map((name) => join(bucket, 'cold', String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));

describe('cold storage in a bucket', () => {
  it('gets old parts, from which calls are read, erased and backed up', async () => {
    const PORT = String(await freePort());
    const cold = { COLD_DIR: 's3://cold/heddle', COLD_AFTER_DAYS: '7', ...aws };
    await startStandalone(dataDir, { PORT, HEDDLE_API_KEY: KEY, READ_WAIT_MS: '20000', ...cold });
    const server = new TestServer(`http://127.0.0.1:${PORT}`, KEY);
    const store = storeOf(storesOf(dataDir));
    await storeUncompressed(store);
    const project_id = aProject();
    const calls = ['erased', 'kept'].map(() => ({
      project_id,
      id: randomUUID(),
      trace_id: randomUUID(),
      word: randomBytes(60).toString('base64url'),
    }));
    const started_at = new Date(Date.now() - EIGHTY_DAYS_MS).toISOString();
    for (const { word, ...call } of calls) {
      const start = startItem({ ...call, started_at, inputs: { word } });
      const end = endItem({ ...call, output: { word } });
      await server.post('/call/upsert_batch', { batch: [start, end] });
    }
    const [erased, kept] = calls as [(typeof calls)[0], (typeof calls)[0]];
    const read = (id: string) => server.post('/call/read', { project_id, id });
    const before = await read(kept.id);

    const disks = async () =>
      (
        await store.rows<{ disk: string }>(
          sql`SELECT DISTINCT disk_name AS disk FROM system.parts WHERE active AND database = currentDatabase() AND table = 'calls'`,
        )
      ).map(({ disk }) => disk);
    await eventually(async () => String(await disks()) === 'cold', 30_000);
    for (const { word } of calls) expect(objectsWith(word)).not.toEqual([]);
    await store.client.command({ query: 'SYSTEM DROP MARK CACHE' });
    expect(await read(kept.id)).toEqual(before);

    const env = { DATA_DIR: dataDir, ...aws };
    const erasure = ['erase', '--project', project_id, '--trace', erased.trace_id, '--yes'];
    expect(await command(env, ...erasure)).toMatchObject({ code: 0 });
    expect(objectsWith(erased.word)).toEqual([]);
    expect(objectsWith(kept.word)).not.toEqual([]);
    expect(await read(kept.id)).toEqual(before);

    await result(env, 'backup', '--to', 's3://backups/b');
    const target = { DATA_DIR: join(dataDir, '..', `${randomUUID()}-restored`), ...aws };
    const into = { ...target, COLD_DIR: 's3://cold/restored' };
    const restored = await result(into, 'restore', '--from', 's3://backups/b');
    expect(restored).toMatchObject({ is_same: true });
    await store.close();
  });
});
