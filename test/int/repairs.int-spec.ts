import { randomUUID } from 'node:crypto';
import { bind, CALL_EVENTS, CALLS, sql, type Store } from '@app/clickhouse';
import type { CallFact, CallFactKind } from '@app/events';
import { KEYS, Ledger, Redis } from '@app/queue';
import { CallLog } from '../../apps/worker/src/calls/call-log.writer.js';
import { LedgerReader, totalOf } from '../../apps/worker/src/repair/ledger.reader.js';
import { aFact } from '../support/facts.js';
import { aProject } from '../support/house.js';
import { theRedis } from '../support/queue.js';
import { openOwnStore } from '../support/store.js';
import { flushOn, Refusing, repairsOn } from '../support/worker.js';

let store: Store;
let redis: Redis;
let ledger: Ledger;

beforeAll(async () => {
  store = await openOwnStore();
  redis = new Redis(theRedis(3));
  ledger = new Ledger(redis);
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await store.close();
});

const calls = async (projectId: string) =>
  (
    await store.rows<{ id: string }>(
      sql`SELECT id FROM calls FINAL WHERE project_id = ${bind('String', projectId)} ORDER BY id`,
    )
  ).map(({ id }) => id);

/** How many times letters were written for each fact of the project: merged or not. */
const letters = (projectId: string) =>
  store.rows<{ kind: string; call_id: string; times: number }>(
    sql`SELECT kind, call_id, toUInt32(count()) AS times FROM dead_letters
      WHERE project_id = ${bind('String', projectId)} GROUP BY id, kind, call_id ORDER BY call_id, kind`,
  );

/** Facts of calls `a` … `e`, one of which is the poison; each has a place of its own in one chunk. */
function fiveCalls(projectId: string): CallFact[] {
  const chunkId = randomUUID();
  return ['a', 'b', 'poison', 'd', 'e'].flatMap((callId, n) =>
    (['start', 'end'] as const).map((kind, i) =>
      aFact(kind, { projectId, callId, chunkId, index: 2 * n + i }),
    ),
  );
}

describe('a call that the table refuses', () => {
  it('stops no sweep, which goes on where it stood and tells of it once', async () => {
    const projectId = aProject();
    await new CallLog(store).append(fiveCalls(projectId));
    const { sweeper } = repairsOn(new Refusing(store, CALLS.name, 'poison'), redis);
    const from = Date.now() - 600_000;
    await ledger.setWatermark('sweep', String(from));

    const swept = await sweeper.sweep(Date.now() + 61_000);

    expect(swept).toMatchObject({ repaired: 4, buried: 1 });
    expect(await ledger.watermark('sweep')).toBe(String(swept.until));
    expect(await calls(projectId)).toEqual(['a', 'b', 'd', 'e']);
    const told = [
      { kind: 'end', call_id: 'poison', times: 1 },
      { kind: 'start', call_id: 'poison', times: 1 },
    ];
    expect(await letters(projectId)).toEqual(told);
    expect(await sweeper.sweepRange(from, swept.until)).toMatchObject({ repaired: 0, buried: 1 });
    expect(await letters(projectId)).toEqual(told);
  });

  it('stops no rebuild, and is as much of a call afterwards as before', async () => {
    const projectId = aProject();
    const whole = aFact('complete', { projectId, callId: 'whole' });
    const start = aFact('start', { projectId, callId: 'half' });
    const end = aFact('end', { projectId, callId: 'half', item: { exception: 'poison' } });
    const flush = flushOn(new Refusing(store, CALLS.name, 'poison'), redis);
    await flush.write([whole, start]);
    await flush.write([end]);
    expect(await letters(projectId)).toEqual([{ kind: 'end', call_id: 'half', times: 1 }]);

    const { rebuild } = repairsOn(new Refusing(store, `${CALLS.name}_rebuild`, 'poison'), redis);
    const { before, after, buried } = await rebuild.run(() => undefined, Date.now() + 120_000);

    expect(buried).toBeGreaterThan(0);
    expect(after.calls).toBe(before.calls);
    expect(await calls(projectId)).toEqual(['half', 'whole']);
    expect(await letters(projectId)).toEqual([{ kind: 'end', call_id: 'half', times: 1 }]);
  }, 60_000);
});

/** What the queue counts when these facts were received and stored. */
async function settled(facts: readonly CallFact[]): Promise<void> {
  for (const { projectId } of facts) {
    for (const side of ['received', 'settled'])
      await redis.hincrby(KEYS.ledger, `${side}:${projectId}`, 1);
  }
}

const lineOf = async (projectId: string) =>
  (await new LedgerReader(ledger, store).read({ projectId }))[0];

describe('the ledger', () => {
  const ALL = [true, true, true, true];

  it.each([CALL_EVENTS.name, CALLS.name])(
    'balances after %s has refused a fact, and still sees what is missing',
    async (table) => {
      const projectId = aProject();
      const facts = fiveCalls(projectId);
      await flushOn(new Refusing(store, table, 'poison'), redis).write(facts);
      await settled(facts);

      expect(await lineOf(projectId)).toMatchObject({ receipts: 10, settled: 10, holds: ALL });

      await new CallLog(store).append([aFact('rename', { projectId, callId: 'a' })]);
      expect(await lineOf(projectId)).toMatchObject({
        staleCalls: 1,
        holds: [true, true, true, false],
      });
    },
  );

  it('balances when a start comes too late to be folded with what was held', async () => {
    const projectId = aProject();
    const chunkId = randomUUID();
    const [end, start] = (['end', 'start'] as CallFactKind[]).map((kind, index) =>
      aFact(kind, { projectId, callId: 'poison', chunkId, index }),
    );
    const flush = flushOn(new Refusing(store, CALLS.name, 'poison'), redis);
    await flush.write([end!, start!]);
    await settled([end!, start!]);

    expect(await lineOf(projectId)).toMatchObject({ holds: ALL });
  });

  it('adds up over projects, and holds in total only where it holds in each', async () => {
    const [one, other] = [aProject(), aProject()];
    const facts = [one, other].map((projectId) => aFact('start', { projectId, chunkId: 'c' }));
    await flushOn(store, redis).write(facts);
    await settled(facts);
    // One has a fact too many, the other one too few: the sums would not tell.
    await redis.hincrby(KEYS.ledger, `settled:${one}`, 1);
    await redis.hincrby(KEYS.ledger, `settled:${other}`, -1);

    const lines = (await new LedgerReader(ledger, store).read()).filter(({ project }) =>
      [one, other].includes(project),
    );

    expect(totalOf(lines)).toEqual({
      project: 'total',
      received: 2,
      settled: 2,
      pending: 0,
      receipts: 2,
      missingFacts: 0,
      staleCalls: 0,
      holds: [false, false, true, true],
    });
  });
});
