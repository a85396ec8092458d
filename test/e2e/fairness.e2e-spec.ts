import { randomUUID } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { aProject } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import { aStart, anEnd, startItem } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';

const BURST = 30_000;
const PER_BATCH = 1000;

let split: SplitServer;
let ingest: Part;
let query: Part;

beforeAll(async () => {
  split = await SplitServer.start();
  [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query', { READ_WAIT_MS: '20000' }),
    split.part('worker'),
  ]);
}, 120_000);
afterAll(() => split.stop(), 60_000);

const count = async (project_id: string, headers = {}) =>
  (await query.server.send('/calls/query_stats', { project_id }, { headers })).json()
    .count as number;

/** A start time of now: facts about calls that started long ago always use the bulk lane. */
const now = () => ({ started_at: new Date().toISOString() });

/** Sends complete calls as fast as ingest accepts them. */
async function sendBurst(project_id: string): Promise<void> {
  const inputs = { text: 'x'.repeat(1000) };
  const batches = Array.from({ length: BURST / PER_BATCH }, (_, n) => n);
  const client = async () => {
    while (batches.pop() !== undefined) {
      const batch = Array.from({ length: PER_BATCH }, () => ({
        ...aStart({ project_id, inputs, ...now() }),
        ...anEnd({ project_id, ended_at: new Date().toISOString() }),
        id: randomUUID(),
      }));
      await ingest.server.post(`/v2/${project_id}/calls/complete`, { batch });
    }
  };
  await Promise.all([client(), client(), client()]);
}

/** Writes a call that starts now, reads it, and resolves with the time that took. */
async function single(project_id: string): Promise<number> {
  const id = randomUUID();
  const began = performance.now();
  await ingest.server.post('/call/start', { start: aStart({ project_id, id, ...now() }) });
  const response = await query.server.send('/call/read', { project_id, id });
  expect(response.headers.has('x-heddle-pending')).toBe(false);
  expect(response.json().call).toMatchObject({ id });
  return performance.now() - began;
}

/** One second on an idle machine, and more on a busy one. */
const aSecond = () => 1000 * Math.max(1, loadavg()[0]! / availableParallelism());

describe('a burst of one project', () => {
  it('lets another project read each of its calls within a second, or more where the machine is overloaded', async () => {
    const [greedy, modest] = [aProject(), aProject()];
    let isOver = false;
    const burst = sendBurst(greedy).finally(() => (isOver = true));
    const isBehind = async () =>
      (await count(greedy, { 'x-heddle-consistency': 'eventual' })) < BURST;
    const singles: number[] = [];
    while (!isOver || (singles.length < 100 && (await isBehind()))) {
      singles.push(await single(modest));
      await pause(20);
    }
    await burst;

    expect(singles.length).toBeGreaterThan(5);
    expect(Math.max(...singles)).toBeLessThan(aSecond());
    await eventually(async () => (await count(greedy)) === BURST, 60_000);
  }, 180_000);
});

describe('a project with a limit', () => {
  it('gets 429 with a Retry-After header, and no other project does', async () => {
    const strict = await split.part('ingest', { PROJECT_MAX_FACTS_PER_SECOND: '10' });
    const [greedy, modest] = [aProject(), aProject()];
    const send = (project_id: string) =>
      strict.server.send('/call/upsert_batch', {
        batch: Array.from({ length: 10 }, () => startItem({ project_id })),
      });

    expect((await send(greedy)).status).toBe(200);
    const refused = await eventually(async () => {
      const response = await send(greedy);
      return response.status !== 200 && response;
    }, 20_000);

    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.json().reason).toMatch(/may get 10 facts about calls per second/);
    expect((await send(modest)).status).toBe(200);
    await eventually(async () => (await send(greedy)).status === 200, 20_000);
  }, 90_000);
});
