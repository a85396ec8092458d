import { bind, sql } from '@app/clickhouse';
import { aProject } from '../support/test-server.js';
import { cleanUp, eventually } from '../support/processes.js';
import { endItem } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';

const CALLS = 300;
const START_BYTES = 500_000;

let server: SplitServer;
let ingest: Part;
let worker: Part;

beforeAll(async () => {
  server = await SplitServer.start();
  [ingest, worker] = await Promise.all([
    server.part('ingest'),
    server.part('worker', { NODE_OPTIONS: '--max-old-space-size=160' }),
  ]);
});
afterAll(() => cleanUp(() => server.stop()));

/** Stores large starts in the log, as an earlier worker did. */
async function storeStarts(projectId: string): Promise<void> {
  const head = `{"project_id":"${projectId}","op_name":"x","trace_id":"t1","started_at":"2026-11-01T00:00:00Z","attributes":{}`;
  await server.store.run(
    sql`INSERT INTO call_events (project_id, call_id, kind, event_id, received_at, priority, user_id, chunk_id, chunk_index, item)
SELECT ${bind('String', projectId)}, concat('c', toString(number)), 'start', sipHash128(number), now64(6), 1, 'ann', 'c', number,
  concat(${bind('String', head)}, ',"id":"c', toString(number), '","inputs":{"text":"', repeat('x', ${bind('UInt32', START_BYTES)}), '"}}')
FROM numbers(${bind('UInt32', CALLS)})`,
    { max_block_size: '20', min_insert_block_size_rows: '20' },
  );
}

async function finishedCalls(projectId: string): Promise<number> {
  const [row] = await server.store.rows<{ n: number | string }>(
    sql`SELECT count() AS n FROM calls FINAL
      WHERE project_id = ${bind('String', projectId)} AND status != 'running' AND size_bytes > ${bind('UInt32', START_BYTES)}`,
  );
  return Number(row?.n);
}

it('stores small ends of many large starts with a small heap, and repairs them with one too', async () => {
  const projectId = aProject();
  await storeStarts(projectId);
  const batch = Array.from({ length: CALLS }, (_, n) =>
    endItem({ project_id: projectId, id: `c${n}` }),
  );
  await ingest.server.post('/call/upsert_batch', { batch });

  await eventually(
    async () => !worker.program.isRunning || (await server.isSettled(projectId)),
    60_000,
    () => worker.program.stderr.slice(-3000),
  );
  expect(worker.program.isRunning).toBe(true);
  expect(await finishedCalls(projectId)).toBe(CALLS);

  const heap = { NODE_OPTIONS: '--max-old-space-size=128' };
  const { code, stderr } = await server.cliWith(heap, 'replay', '--project', projectId);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});
