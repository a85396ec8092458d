import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  bind,
  CALL_EVENTS,
  CALLS,
  sql,
  StoreUnavailableError,
  type Store,
  type Table,
} from '@app/clickhouse';
import {
  factId,
  OTHER_USER,
  type CallFact,
  type CallFactKind,
  type RejectedFact,
} from '@app/events';
import { KEYS } from '@app/queue';
import { Redis } from '@app/redis';
import { micros, millis } from '@app/wire';
import { DeadLettersReader } from '../../apps/ingest/src/dead-letters/dead-letters.reader.js';
import { CallClaims, type Claim } from '../../apps/worker/src/calls/call-claims.js';
import { CallsAwaitingStart } from '../../apps/worker/src/calls/calls-awaiting-start.js';
import { CallLog, type CallKey } from '../../apps/worker/src/calls/call-log.writer.js';
import { byCall } from '../../apps/worker/src/calls/call-snapshots.js';
import { foldCall } from '../../apps/worker/src/calls/call.projection.js';
import type { CallsFlush } from '../../apps/worker/src/calls/calls.flush.js';
import { foldRows, rootUsageOf } from '../../apps/worker/src/calls/calls.writer.js';
import { staleStarted } from '../../apps/worker/src/repair/ledger.sql.js';
import { checksum } from '../../apps/worker/src/repair/repair.sql.js';
import { aFact } from '../support/facts.js';
import { aProject } from '../support/test-server.js';
import { theRedis } from '../support/queue.js';
import { asStored, openOwnStore, storedCalls } from '../support/store.js';
import { flushOn, Refusing, repairsOn, writerOn } from '../support/worker.js';

let store: Store;
let redis: Redis;

beforeAll(async () => {
  store = await openOwnStore();
  redis = new Redis(theRedis(2));
});
afterAll(async () => {
  redis.disconnect();
  await store.close();
});

const aWriter = writerOn;
type More = Parameters<typeof flushOn> extends [Store, Redis, ...infer Rest] ? Rest : never;
const aFlush = (on: Store = store, ...more: More) => flushOn(on, redis, ...more);
const repair = () => repairsOn(store, redis);

/** The rows that the pure fold makes of all facts. */
function folded(facts: readonly CallFact[]): object[] {
  return [...byCall(facts)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, ofOne]) => foldCall(ofOne))
    .filter((row) => row.is_deleted === 0)
    .map(asStored);
}

/** The rows of `root_usage` that the pure fold makes of all facts. */
const foldedUsage = (facts: readonly CallFact[]): object[] =>
  [...byCall(facts)]
    .flatMap(([, ofOne]) => foldCall(ofOne).flatMap(rootUsageOf))
    .map((row) => ({ ...row, version: String(row.version) }))
    .sort(byIdAndModel);

const storedUsage = async (projectId: string): Promise<object[]> => {
  const rows = await store.rows<Named>(
    sql`SELECT * REPLACE (toUnixTimestamp64Micro(started_at) AS started_at, toString(version) AS version)
      FROM root_usage FINAL WHERE project_id = ${bind('String', projectId)}`,
    { output_format_json_quote_64bit_integers: 0 },
  );
  return rows.sort(byIdAndModel);
};

interface Named {
  readonly id: string;
  readonly model: string;
}
const byIdAndModel = (a: Named, b: Named) =>
  a.id < b.id || (a.id === b.id && a.model < b.model) ? -1 : 1;

const forgetClaims = async () => {
  const keys = await redis.keys('*claims*');
  if (keys.length > 0) await redis.del(keys);
};

const usageOf = (...models: string[]) => ({
  usage: Object.fromEntries(models.map((model) => [model, { prompt_tokens: 3, requests: 1 }])),
});

/** Ids that break naive escaping or encoding. */
const UNUSUAL_IDS = [
  ...[
    '\t',
    '\n',
    '\r',
    '\b',
    '\f',
    '\u0000',
    '\u0001',
    '\u007f',
    '\\',
    '\\N',
    '\\t',
    '\\\\',
    "'",
    "''",
    "\\'",
    '"',
  ],
  ...[
    '`',
    ',',
    '(',
    ')',
    '[',
    ']',
    "')",
    "','",
    '{p0:String}',
    '%',
    '_',
    '',
    ' ',
    ' a',
    'a ',
    'NULL',
    'null',
  ],
  ...[
    'é',
    '😀',
    '\ufffd',
    '\u2028',
    '\uffff',
    'İ',
    '日本',
    '../..',
    ':',
    '::',
    'a\nb',
    'x'.repeat(2000),
  ],
];

describe('a flush', () => {
  it('finds all facts of a call in the log, whatever its id', async () => {
    const projectId = aProject();
    const fact = (kind: CallFactKind, callId: string, n: number) =>
      aFact(kind, { projectId, callId, receivedAt: micros(1_770_000_000_000_000 + n) });
    await aFlush().write(UNUSUAL_IDS.map((id, i) => fact('start', id, i)));
    await aFlush().write(UNUSUAL_IDS.map((id, i) => fact('end', id, 1000 + i)));

    const rows = await store.rows<{ id: string; version: string }>(
      sql`SELECT id, toString(version) AS version FROM calls FINAL WHERE project_id = ${bind('String', projectId)}`,
    );
    const lost = UNUSUAL_IDS.filter((id) => rows.find((row) => row.id === id)?.version !== '2');
    expect(lost).toEqual([]);
  });

  const aFactOfACall = fc.record({
    kind: fc.constantFrom<CallFactKind>(
      'start',
      'start',
      'end',
      'end',
      'complete',
      'rename',
      'delete',
    ),
    receivedAt: fc.integer({ min: 1, max: 9 }).map((n) => micros(1_770_000_000_000_000 + n)),
    index: fc.nat(3),
    item: fc.record({
      started_at: fc.constantFrom(
        '2026-01-05T00:00:00Z',
        '2026-02-05T00:00:00Z',
        '2025-07-05T00:00:00Z',
      ),
      trace_id: fc.constantFrom('t1', 't2'),
      parent_id: fc.constantFrom(null, null, 'p'),
      summary: fc.constantFrom({}, usageOf('a'), usageOf('b'), usageOf('b', 'a')),
      inputs: fc.constantFrom({}, { n: 1 }, { text: 'é\n"' }),
      output: fc.constantFrom(null, 1, 'two'),
      display_name: fc.constantFrom('', 'x', 'y'),
    }),
  });
  const aHistory = fc.array(aFactOfACall, { minLength: 1, maxLength: 6 });

  it('stores the pure fold of all facts, with two workers, in any order and with repeats', async () => {
    const projectId = aProject();
    const seed = Date.now();
    const facts = fc
      .sample(aHistory, { numRuns: 400, seed })
      .flatMap((history, n) =>
        history.map(({ kind, ...fields }) =>
          aFact(kind, { projectId, callId: `c${n}`, chunkId: randomUUID(), ...fields }),
        ),
      );
    const order = fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length });
    const [deliveries] = fc.sample(order, { numRuns: 1, seed });
    const flushes = Array.from({ length: 16 }, (_, n) =>
      deliveries!.filter((_, i) => i % 16 === n),
    );
    // The last flush has every fact, because the random order may leave some out.
    flushes.push(facts);

    const work = async (flush: CallsFlush) => {
      for (let some = flushes.shift(); some; some = flushes.shift()) await flush.write(some);
    };
    const [one, other] = [aFlush(), aFlush()];
    await Promise.all([work(one), work(one), work(other)]);

    const stored = await storedCalls(store, projectId);
    expect({ seed, stored }).toEqual({ seed, stored: folded(facts) });
    expect(stored.length).toBeGreaterThan(150);
    const usage = await storedUsage(projectId);
    expect({ seed, usage }).toEqual({ seed, usage: foldedUsage(facts) });
    expect(usage.length).toBeGreaterThan(30);
    expect((await repair().sweeper.sweepRange(millis(0), millis(Date.now() + 1000))).repaired).toBe(
      0,
    );
  });

  describe('reads the log for the facts of a call', () => {
    class RecordingLog extends CallLog {
      readonly readCalls: string[] = [];
      override factsOf(calls: readonly CallKey[]): Promise<CallFact[]> {
        this.readCalls.push(...calls.map(([, id]) => id));
        return super.factsOf(calls);
      }
    }

    /** The ids of the calls that were read from the log. It also checks that the stored rows are the fold of the facts. */
    async function readCalls(
      facts: readonly CallFact[],
      each: (fact: CallFact, own: CallsFlush) => Promise<void>,
      maxBytes?: number,
    ) {
      const log = new RecordingLog(store);
      const own = aFlush(store, log, maxBytes);
      for (const fact of facts) await each(fact, own);
      expect(await storedCalls(store, facts[0]!.projectId)).toEqual(folded(facts));
      return log.readCalls;
    }

    const factsOf = (kinds: readonly CallFactKind[], startedAt = Date.now()) => {
      const projectId = aProject();
      const item = { started_at: new Date(startedAt).toISOString() };
      return kinds.map((kind, index) =>
        aFact(kind, { projectId, index, chunkId: randomUUID(), item }),
      );
    };

    it('never while its worker is the only claimant', async () => {
      const facts = factsOf(['start', 'rename', 'end']);
      expect(await readCalls(facts, (fact, own) => own.write([fact]))).toEqual([]);
    });

    it('after its end, and when its claims have expired', async () => {
      const facts = factsOf(['start', 'end', 'rename']);
      expect(await readCalls(facts, (fact, own) => own.write([fact]))).toEqual(['c1']);
      const late = factsOf(['start', 'end']);
      const read = await readCalls(late, async (fact, own) => {
        await own.write([fact]);
        await forgetClaims();
      });
      expect(read).toEqual(['c1']);
    });

    it('when it began so long ago that its claims may have expired', async () => {
      const facts = factsOf(['complete', 'delete', 'start'], Date.now() - 30 * 60_000);
      const read = await readCalls(facts, async (fact, own) => {
        await forgetClaims();
        await own.write([fact]);
      });
      expect(read).toEqual(['c1', 'c1', 'c1']);
    });

    it('when another worker has claimed it', async () => {
      const facts = factsOf(['start', 'rename', 'end']);
      const write = (fact: CallFact, own: CallsFlush) =>
        (fact.kind === 'rename' ? aFlush() : own).write([fact]);
      expect(await readCalls(facts, write)).toEqual(['c1']);
    });

    it('when the cache of open calls has no space for it', async () => {
      const facts = factsOf(['start', 'end']);
      expect(await readCalls(facts, (fact, own) => own.write([fact]), 0)).toEqual(['c1']);
    });
  });

  it('stores all facts when it is repeated after the response to a claim was lost', async () => {
    class LosesResponses extends CallClaims {
      override async claim(calls: readonly string[]): Promise<Claim[]> {
        const claims = await super.claim(calls);
        if (Math.random() < 0.5) throw new Error('connection lost');
        return claims;
      }
    }
    const projectId = aProject();
    const flush = aFlush(store, new CallLog(store), 1 << 20, new LosesResponses(redis));
    const retried = async (facts: CallFact[]): Promise<void> => {
      await flush.write(facts).catch(() => retried(facts));
    };
    const facts = (['start', 'rename', 'end'] as const).flatMap((kind, index) =>
      Array.from({ length: 20 }, (_, n) => aFact(kind, { projectId, callId: `c${n}`, index })),
    );
    for (let at = 0; at < facts.length; at += 10) await retried(facts.slice(at, at + 10));

    expect(await storedCalls(store, projectId)).toEqual(folded(facts));
  });

  it('counts calls that await their start, and folds their facts when it arrives', async () => {
    const projectId = aProject();
    const awaitingStart = new CallsAwaitingStart(redis);
    const before = await awaitingStart.count();
    const facts = (['end', 'rename', 'start'] as const).map((kind) => aFact(kind, { projectId }));

    await aFlush().write(facts.slice(0, 2));
    expect(await storedCalls(store, projectId)).toEqual([]);
    expect(await awaitingStart.count()).toBe(before + 1);

    await forgetClaims();
    await aFlush().write(facts.slice(2));
    expect(await storedCalls(store, projectId)).toEqual(folded(facts));
    expect(await awaitingStart.count()).toBe(before);
  });

  it('does not count a call whose start another worker stores while its end is flushed', async () => {
    const projectId = aProject();
    const awaitingStart = new CallsAwaitingStart(redis);
    const before = await awaitingStart.count();
    const [end, start] = [aFact('end', { projectId }), aFact('start', { projectId })];
    class InterruptedLog extends CallLog {
      override async factsOf(calls: readonly CallKey[]): Promise<CallFact[]> {
        const facts = await super.factsOf(calls);
        await aFlush().write([start]);
        return facts;
      }
    }
    await aFlush(store, new InterruptedLog(store)).write([end]);

    expect(await awaitingStart.count()).toBe(before);
    expect(await storedCalls(store, projectId)).toEqual(folded([end, start]));
  });

  it('forgets calls whose start has not arrived for a day', async () => {
    const awaitingStart = new CallsAwaitingStart(redis);
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
    const now = millis(Date.now() + 48 * 3_600_000);
    await awaitingStart.add(ids(5), millis(now - 86_400_000));
    await awaitingStart.add(ids(2), now);
    expect(await awaitingStart.count()).toBe(2);
    await redis.del(KEYS.awaitingStart);
  });

  it('dead-letters a rejected fact and writes a receipt for every fact', async () => {
    const projectId = aProject();
    const rejected: RejectedFact = {
      ...aFact('end', { projectId, chunkId: 'one', index: 1 }),
      kind: 'rejected',
      reason: 'no sense',
    };
    await aFlush().write([aFact('start', { projectId, chunkId: 'one' }), rejected]);

    expect(await deadLetters(projectId)).toEqual([
      { kind: 'rejected', reason: 'no sense', call_id: 'c1' },
    ]);
    const [receipt] = await store.rows(
      sql`SELECT toUInt32(facts) AS facts, toUInt32(length(fact_ids)) AS ids FROM receipts FINAL WHERE project_id = ${bind('String', projectId)}`,
    );
    expect(receipt).toEqual({ facts: 2, ids: 2 });
  });
});

describe('a call that another user started', () => {
  const EVE = { userId: 'eve', addsOnly: true };
  const facts = (projectId: string) => [
    aFact('start', { projectId, chunkId: 'mine' }),
    aFact('end', { projectId, chunkId: 'mine', index: 1, item: { output: 'mine' } }),
    aFact('end', { projectId, chunkId: 'forged', ...EVE, item: { output: 'forged' } }),
  ];
  const forged = [
    { kind: 'end', reason: OTHER_USER, call_id: 'c1', user_id: 'eve', state: 'open' },
  ];
  const refused = (projectId: string) =>
    store.rows(sql`SELECT kind, reason, call_id, user_id, state FROM dead_letters FINAL
      WHERE project_id = ${bind('String', projectId)}`);
  const outputs = async (projectId: string) =>
    (await storedCalls(store, projectId)).map(
      (row) => (row as object as { output: string }).output,
    );

  it.each([
    ['in one flush', [[0, 1, 2]]],
    ['in flushes of two workers', [[0, 1], [2]]],
    ['before its start', [[2], [0], [1]]],
  ])('is not changed by a key that only adds, %s, and a rebuild agrees', async (_, flushes) => {
    const projectId = aProject();
    const all = facts(projectId);
    for (const own of flushes) await aFlush().write(own.map((at) => all[at]!));

    expect(await outputs(projectId)).toEqual(['"mine"']);
    expect(await refused(projectId)).toEqual(forged);
    expect(await new CallLog(store).factsOf([[projectId, 'c1']])).toEqual(
      expect.arrayContaining([expect.objectContaining(EVE)]),
    );
    await repair().refolder.refold([[projectId, 'c1']]);
    expect(await outputs(projectId)).toEqual(['"mine"']);
    const [ledger] = await store.rows(staleStarted({ projectId }, { nth: 0, of: 1 }));
    expect(ledger).toBeUndefined();
  });

  it('has its dead letter also when the flush died before it, and a dropped one stays dropped', async () => {
    const projectId = aProject();
    const all = facts(projectId);
    await new CallLog(store).append(all);
    await repair().refolder.refold([[projectId, 'c1']]);
    expect(await refused(projectId)).toEqual(forged);

    const reader = new DeadLettersReader(store);
    await reader.mark(await reader.byId([factId(all[2]!)]), 'dropped');
    await aFlush().write(all);
    expect(await refused(projectId)).toEqual([{ ...forged[0], state: 'dropped' }]);
  });
});

const deadLetters = (projectId: string) =>
  store.rows(
    sql`SELECT kind, reason, call_id FROM dead_letters FINAL WHERE project_id = ${bind('String', projectId)}`,
  );

describe('a repair', () => {
  const someCalls = (projectId: string) =>
    Array.from({ length: 30 }, (_, i) => `c${i}`).flatMap((callId) => [
      aFact('start', { projectId, callId }),
      aFact('end', { projectId, callId, item: { output: callId, summary: usageOf('a') } }),
    ]);

  it('updates a row that lacks facts of the log, once', async () => {
    const projectId = aProject();
    const facts = someCalls(projectId);
    const { sweeper } = repair();
    await new CallLog(store).append(facts);
    await aWriter(store).write(foldRows(facts.slice(0, 1)));
    await redis.hset('{heddle}:watermarks', 'sweep', Date.now() - 60_000);

    const tooEarly = await sweeper.sweep(millis(Date.now() + 30_000));
    expect(tooEarly.repaired).toBe(0);
    const { until, repaired } = await sweeper.sweep(millis(Date.now() + 61_000));
    expect(repaired).toBe(30);
    expect(await storedCalls(store, projectId)).toEqual(folded(facts));
    expect(await sweeper.sweep(millis(until + 90_000))).toMatchObject({ from: until, repaired: 0 });
  });

  it('skips a call with a newer fact, and repairs it with the range of that fact', async () => {
    const projectId = aProject();
    const clock = async () => {
      const [row] = await store.rows<{ ms: number | string }>(
        sql`SELECT toUnixTimestamp64Milli(now64(3)) AS ms`,
      );
      return Number(row?.ms);
    };
    const { sweeper } = repair();
    const from = await clock();
    await aFlush().write([aFact('start', { projectId })]);
    const between = (await clock()) + 1;
    while ((await clock()) <= between);
    await new CallLog(store).append([aFact('end', { projectId })]);

    const repaired = async (until: number) =>
      (await sweeper.sweepRange(millis(from), millis(until))).repaired;
    expect(await repaired(between)).toBe(0);
    expect(await repaired((await clock()) + 1)).toBe(1);
    expect(await repaired((await clock()) + 1)).toBe(0);
  });

  it('folds a range of the log again, page by page', async () => {
    const projectId = aProject();
    const facts = someCalls(projectId);
    await aFlush().write(facts);
    await store.client.command({ query: 'TRUNCATE TABLE calls' });

    const steps = [];
    for await (const step of repair().refolder.refoldRange({ projectId })) steps.push(step);

    expect(steps).toEqual([{ done: 30, total: 30, deadLettered: 0 }]);
    expect(await storedCalls(store, projectId)).toEqual(folded(facts));
    for await (const _ of repair().refolder.refoldRange({})) continue;
  });

  it('rebuilds the same tables while facts arrive', async () => {
    const projectId = aProject();
    const facts = someCalls(projectId);
    await aFlush().write(facts.filter((_, i) => i !== 1));
    const late = [facts[1]!];
    let isOver = false;
    const ingest = async () => {
      const flush = aFlush();
      // Of the table that is exchanged, ClickHouse refuses an insert now and then; the worker repeats such a flush.
      const write = (newest: typeof late) =>
        flush.write(newest).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailableError) || error.isUnexpected) throw error;
          return flush.write(newest);
        });
      for (let n = 0; !isOver; n++) {
        await write(late.slice(-1));
        late.push(aFact('complete', { projectId, callId: `late${n}` }));
      }
      await flush.write(late.slice(-1));
    };
    const ingesting = ingest();

    const { before, after, refolded } = await repair()
      .rebuild.run(() => undefined, { now: millis(Date.now() + 120_000) })
      .finally(() => (isOver = true));
    await ingesting;

    expect(after).toEqual(before);
    expect(before.calls.rows).toBeGreaterThan(29);
    expect(before.root_usage.rows).toBeGreaterThan(28);
    expect(refolded).toBeGreaterThan(0);
    expect(await storedCalls(store, projectId)).toEqual(folded([...facts, ...late]));
    expect(await storedUsage(projectId)).toEqual(foldedUsage([...facts, ...late]));
  });

  it('compares every column except those that depend on prices', async () => {
    const columns = await store.rows<{ table: string; name: string }>(
      sql`SELECT table, name FROM system.columns WHERE database = currentDatabase()
        AND table IN ('calls', 'root_usage') AND name NOT IN ('cost_at_write', 'price_rev')`,
    );
    const compared = (table: 'calls' | 'root_usage') =>
      checksum(table, '', millis(0))
        .render()
        .query.match(/cityHash64\((.*?)\)/)![1]!
        .split(', ');
    expect(columns.length).toBeGreaterThan(50);
    const missing = columns.filter((one) => !compared(one.table as 'calls').includes(one.name));
    expect(missing).toEqual([]);
  });

  it('reports that a table differed from the log', async () => {
    const projectId = aProject();
    const facts = someCalls(projectId);
    await aFlush().write(facts);
    const [row] = foldCall(facts.slice(0, 2));
    // Of two rows with the same version ClickHouse keeps the one that was written last.
    const usage = rootUsageOf(row!).map((one) => ({ ...one, cache_read: 77 }));
    await aWriter(store).write({ calls: [{ ...row!, op_id: 'spoilt' }], usage });

    const { before, after } = await repair().rebuild.run(() => undefined, {
      now: millis(Date.now() + 120_000),
    });

    for (const table of ['calls', 'root_usage'] as const) {
      expect(after[table].rows).toBe(before[table].rows);
      expect(after[table].sum).not.toBe(before[table].sum);
    }
    expect(await storedCalls(store, projectId)).toEqual(folded(facts));
    expect(await storedUsage(projectId)).toEqual(foldedUsage(facts));
  });
});

describe('a fact that ClickHouse refuses', () => {
  it('lets its flush yield only twice, as any flush: before the log and before the rows', async () => {
    const projectId = aProject();
    const inserted: string[] = [];
    class RecordingStore extends Refusing {
      override insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void> {
        if (rows.length > 0) inserted.push(table.name);
        return super.insert(table, rows);
      }
    }
    const flush = aFlush(new RecordingStore(store, CALLS.name, 'poison'));
    const yieldToOthers = () => {
      inserted.push('yielded');
      return Promise.resolve();
    };

    await flush.write([aFact('start', { projectId })], yieldToOthers);
    const steps = inserted.splice(0).filter((name) => name !== 'receipts');
    expect(steps).toEqual(['yielded', 'call_events', 'yielded', 'calls']);

    const poisoned = ['a', 'poison', 'b'].map((callId) => aFact('start', { projectId, callId }));
    await flush.write(poisoned, yieldToOthers);
    expect(inserted.filter((name) => name === 'yielded')).toHaveLength(2);
    expect(inserted.at(-1)).toBe('receipts');
  });

  it.each([CALL_EVENTS.name, CALLS.name])(
    'in %s is dead-lettered alone, and the other facts of its flush are stored',
    async (table) => {
      const projectId = aProject();
      const facts = Array.from({ length: 21 }, (_, i) =>
        aFact('start', { projectId, callId: i === 13 ? 'poison' : `c${i}` }),
      );

      await aFlush(new Refusing(store, table, 'poison', 27)).write(facts);

      expect(await deadLetters(projectId)).toEqual([
        { kind: 'start', reason: 'poison', call_id: 'poison' },
      ]);
      const healthy = facts.filter(({ callId }) => callId !== 'poison');
      expect(await storedCalls(store, projectId)).toEqual(folded(healthy));
    },
  );
});

describe('a call that cannot be folded', () => {
  const unreadable = (projectId: string): CallFact => ({
    ...aFact('start', { projectId, callId: 'broken' }),
    item: Buffer.from('{"id":"broken","inputs":{}, "op_name": "a\nb"}'),
  });

  it('is dead-lettered alone, and the other calls of its flush are stored', async () => {
    const projectId = aProject();
    const healthy = [1, 2, 3].map((n) => aFact('start', { projectId, callId: `c${n}` }));

    await aFlush().write([healthy[0]!, unreadable(projectId), ...healthy.slice(1)]);

    expect(await deadLetters(projectId)).toEqual([
      {
        kind: 'start',
        reason: expect.stringContaining('cannot be folded') as string,
        call_id: 'broken',
      },
    ]);
    expect(await storedCalls(store, projectId)).toEqual(folded(healthy));
  });

  it('does not stop the repair of other calls, and is counted', async () => {
    const projectId = aProject();
    const healthy = aFact('start', { projectId, callId: 'fine' });
    await new CallLog(store).append([unreadable(projectId), healthy]);

    const steps = [];
    for await (const step of repair().refolder.refoldRange({ projectId })) steps.push(step);

    expect(steps).toEqual([{ done: 2, total: 2, deadLettered: 1 }]);
    expect(await storedCalls(store, projectId)).toEqual(folded([healthy]));
  });

  it('is reported by a rebuild, of which only one runs at a time', async () => {
    const { rebuild } = repair();
    await new CallLog(store).append([unreadable(aProject())]);
    const running = rebuild.run(() => undefined);

    await expect(repair().rebuild.run(() => undefined)).rejects.toThrow('Another rebuild');
    expect((await running).deadLettered).toBeGreaterThan(0);
  });
});
