import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, readLocalStores } from '@app/embedded';
import { createLogger } from '@app/observability';
import { connectRedis } from '@app/redis';
import { TestServer } from '../support/test-server.js';
import {
  cleanUp,
  eventually,
  root,
  startNode,
  startStandalone,
  temporaryDirectory,
} from '../support/processes.js';
import { startItem } from '../support/records.js';

interface Recorded {
  readonly key: string;
  readonly keys: Record<'writer' | 'reader' | 'later', string>;
  readonly responses: readonly {
    readonly request: { readonly path: string; readonly body: object };
    readonly response: unknown;
  }[];
}

const fixture = (name: string) => join(root, 'test/upgrade', name);
const recorded = JSON.parse(readFileSync(fixture('first-release.json'), 'utf8')) as Recorded;
const project_id = 'acme/first';
/** Of both releases. */
const PENDING_KEYS =
  /:(tickets|pending-chunks|inflight|payload|pending|pending-writes|project-bytes)\b/;

afterAll(() => cleanUp());

/** Runs an operator's command on the data directory. Resolves with its exit code and output. */
async function command(dataDir: string, ...args: string[]) {
  const program = startNode(['dist/apps/cli/src/main.js', ...args], { env: { DATA_DIR: dataDir } });
  const { code } = await program.end(60_000);
  return { code, output: program.stdout + program.stderr };
}

describe('a data directory of the first release, with pending writes', () => {
  let dataDir: string;
  let server: TestServer;

  beforeAll(async () => {
    dataDir = temporaryDirectory();
    execFileSync('tar', ['-xzf', fixture('first-release.tar.gz'), '-C', dataDir]);
    const PORT = String(await freePort());
    const env = { PORT, HEDDLE_API_KEY: recorded.key, HEDDLE_USER: 'ann' };
    await startStandalone(dataDir, env, 60_000);
    server = new TestServer(`http://127.0.0.1:${PORT}`, recorded.key);
  }, 400_000);

  it('is migrated, its pending facts are stored, and its ledger holds', async () => {
    await eventually(
      async () => {
        const { headers } = await server.send('/call/read', { project_id, id: 'none' });
        return (headers.get('x-heddle-pending') ?? '0') === '0';
      },
      30_000,
      () => 'Facts of the first release stay pending',
    );
    const { code, output } = await command(dataDir, 'migrate', '--status');
    expect([code, output]).toEqual([0, expect.stringContaining('0001')]);
    await eventually(
      async () => (await command(dataDir, 'ledger')).code === 0,
      30_000,
      () => 'The ledger does not hold',
    );
    const { redis } = readLocalStores(dataDir)!;
    const connection = connectRedis(redis, 'consumer', createLogger('test', 'error'));
    try {
      const left = (await connection.keys('*')).filter((key) => PENDING_KEYS.test(key));
      expect(left).toEqual([]);
    } finally {
      connection.disconnect();
    }
  }, 200_000);

  it.each(
    recorded.responses.map(({ request, response }) => [request.path, request, response] as const),
  )('returns what it returned before: %s', async (_, { path, body }, response) => {
    const { status, text } = await server.send(path, body);
    expect(status).toBe(200);
    // Later releases may add fields.
    if (path === '/file/content') expect(text).toBe(response);
    else if (typeof response === 'string') expect(linesOf(text)).toMatchObject(linesOf(response));
    else expect(JSON.parse(text)).toMatchObject(response as object);
  });

  it('completes a call whose end is of the first release and whose start arrives later', async () => {
    const id = '01990000-0000-7000-8000-000000000072';
    const started_at = '2026-11-15T12:00:12.123456Z';
    await server.post('/call/upsert_batch', { batch: [startItem({ project_id, id, started_at })] });
    const { call } = await server.post('/call/read', { project_id, id });
    expect(call).toMatchObject({ id, op_name: 'summarise', output: { result: 'result 72' } });
  });

  it('accepts the keys of the first release for what they could do', async () => {
    const statusOf = async (key: string, path: string, body: object) =>
      (await server.send(path, body, { key })).status;
    const rename = { project_id, call_id: 'none', display_name: 'x' };
    for (const key of Object.values(recorded.keys))
      expect(await statusOf(key, '/calls/query_stats', { project_id })).toBe(200);
    expect(await statusOf(recorded.keys.writer, '/call/update', rename)).toBe(200);
    expect(await statusOf(recorded.keys.reader, '/call/update', rename)).toBe(403);
  });
});

const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
