import { randomUUID } from 'node:crypto';
import { aProject } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import { aStart, anEnd, startItem } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';

const BURST = 6000;
/** With inputs of 5 kB a batch is larger than what the fast lane accepts of one project at a time. */
const PER_BATCH = 1000;
const INPUTS = { text: 'x'.repeat(5000) };
const WRITTEN_AFTER_BURST = 10;

let split: SplitServer;
let ingest: Part;
let query: Part;

beforeAll(async () => {
  split = await SplitServer.start();
  [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query', { READ_WAIT_MS: '60000' }),
  ]);
});
afterAll(() => split.stop());

/** The calls that are stored, without waiting for those that are pending. */
const stored = async (project_id: string) => {
  const headers = { 'x-heddle-consistency': 'eventual' };
  const response = await query.server.send('/calls/query_stats', { project_id }, { headers });
  return response.json().count as number;
};

/** A start time of now: facts about calls that started long ago always use the bulk lane. */
const now = () => ({ started_at: new Date().toISOString() });

async function sendBurst(project_id: string): Promise<void> {
  for (let sent = 0; sent < BURST; sent += PER_BATCH) {
    const batch = Array.from({ length: PER_BATCH }, () => ({
      ...aStart({ project_id, inputs: INPUTS, ...now() }),
      ...anEnd({ project_id, ended_at: new Date().toISOString() }),
      id: randomUUID(),
    }));
    await ingest.server.post(`/v2/${project_id}/calls/complete`, { batch });
  }
}

async function startOne(project_id: string): Promise<string> {
  const id = randomUUID();
  await ingest.server.post('/call/start', { start: aStart({ project_id, id, ...now() }) });
  return id;
}

/** Writes a call that starts now, and reads it. */
async function single(project_id: string): Promise<void> {
  const id = await startOne(project_id);
  const response = await query.server.send('/call/read', { project_id, id });
  expect(response.headers.has('x-heddle-pending')).toBe(false);
  expect(response.json().call).toMatchObject({ id });
}

describe('a burst of one project', () => {
  // Compares with the progress of the burst itself, because a busy machine delays both.
  it('is stored after the calls that another project writes later', async () => {
    const [greedy, modest] = [aProject(), aProject()];
    await sendBurst(greedy);
    for (let n = 0; n < WRITTEN_AFTER_BURST; n++) await startOne(modest);

    // Small flushes, so that the burst is many of them.
    const worker = split.part('worker', { FLUSH_MAX_BYTES: '1000000' });
    await eventually(async () => (await stored(modest)) === WRITTEN_AFTER_BURST, 120_000);
    expect(await stored(greedy)).toBeLessThan(BURST / 2);
    await worker;

    let singles = 0;
    for (; (await stored(greedy)) < BURST; singles++) await single(modest);
    expect(singles).toBeGreaterThan(3);
  }, 300_000);
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
      const responses = await Promise.all(Array.from({ length: 5 }, () => send(greedy)));
      return responses.find(({ status }) => status !== 200);
    }, 20_000);

    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.json().reason).toMatch(/may get 10 facts about calls per second/);
    expect((await send(modest)).status).toBe(200);
    await eventually(async () => (await send(greedy)).status === 200, 20_000);
  });
});
