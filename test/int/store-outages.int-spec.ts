import { randomUUID } from 'node:crypto';
import { bind, CALL_EVENTS, sql, type Store } from '@app/clickhouse';
import type { CallFact } from '@app/events';
import type { Logger } from '@app/observability';
import { Redis } from '@app/redis';
import { retryUntilStored } from '../../apps/worker/src/pipeline/chunk-pipeline.js';
import { ErringProxy } from '../support/erring-proxy.mjs';
import { aFact } from '../support/facts.js';
import { theRedis } from '../support/queue.js';
import { openStore, theClickHouse } from '../support/store.js';
import { aProject } from '../support/test-server.js';
import { flushOn } from '../support/worker.js';

let proxy: ErringProxy;
let store: Store;
let redis: Redis;

beforeAll(async () => {
  proxy = await ErringProxy.to(theClickHouse().url);
  store = openStore({ url: proxy.url });
  redis = new Redis(theRedis(9));
});
afterEach(() => void (proxy.nextCode = () => undefined));
afterAll(async () => {
  redis.disconnect();
  await store.close();
  await proxy.close();
});

const ignored = () => undefined;
const quiet = { warn: ignored, error: ignored } as unknown as Logger;

/** Three batches of calls of a new project, as three chunks. */
function someFacts() {
  const projectId = aProject();
  const batches = [0, 1, 2].map((batch) =>
    Array.from({ length: 2 }, (_, n) =>
      aFact('start', { projectId, callId: `${batch}-${n}`, chunkId: randomUUID(), index: n }),
    ),
  );
  return { projectId, batches };
}

/** Writes the batches at the same time, each until it is stored, as the pipeline does. */
async function writeUntilStored(batches: readonly (readonly CallFact[])[]): Promise<void> {
  const flush = flushOn(store, redis);
  const never = new AbortController().signal;
  await Promise.all(
    batches.map((facts) => retryUntilStored(() => flush.write(facts), quiet, never)),
  );
}

async function counts(projectId: string): Promise<{ calls: number; deadLetters: number }> {
  const project = bind('String', projectId);
  const [row] = await store.rows<{ calls: number | string; deadLetters: number | string }>(
    sql`SELECT (SELECT count() FROM calls FINAL WHERE project_id = ${project}) AS calls,
      (SELECT count() FROM dead_letters FINAL WHERE project_id = ${project}) AS deadLetters`,
  );
  return { calls: Number(row?.calls), deadLetters: Number(row?.deadLetters) };
}

describe('while ClickHouse sends errors', () => {
  it.each([173, 204, 218, 49, 1, 252, 32])(
    'of code %i, which no value can cause, nothing is dead-lettered',
    async (code) => {
      const { projectId, batches } = someFacts();
      let requests = 0;
      // Fails most of the first requests, in an irregular order, and then none.
      proxy.nextCode = () => (++requests < 16 && (requests * 7919) % 10 < 7 ? code : undefined);
      await writeUntilStored(batches);
      expect(proxy.sent.get(code)).toBeGreaterThan(2);
      expect(await counts(projectId)).toEqual({ calls: 6, deadLetters: 0 });
    },
  );

  it('of a code that a value can cause, to every request, nothing is dead-lettered', async () => {
    const { projectId, batches } = someFacts();
    let requests = 0;
    proxy.nextCode = () => (++requests <= 12 ? 27 : undefined);
    await writeUntilStored(batches);
    expect(proxy.sent.get(27)).toBeGreaterThan(4);
    expect(await counts(projectId)).toEqual({ calls: 6, deadLetters: 0 });
  });
});

describe('a known-good insert', () => {
  it('has no rows, and is accepted unless ClickHouse refuses inserts', async () => {
    expect(await store.acceptsInserts(CALL_EVENTS)).toBe(true);
    proxy.nextCode = () => 27;
    expect(await store.acceptsInserts(CALL_EVENTS)).toBe(false);
  });
});
