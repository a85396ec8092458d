import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import {
  bind,
  CALL_EVENTS,
  CALLS,
  PROJECTS,
  raw,
  RECEIPT_TOTALS,
  RECEIPTS,
  Removal,
  sql,
  type Store,
} from '@app/clickhouse';
import type { CallFact, CallFactKind } from '@app/events';
import { createLogger, metricsPage } from '@app/observability';
import { KEYS, Ledger, QueueProgress, STREAM_KEYS } from '@app/queue';
import { Redis } from '@app/redis';
import { micros, microsOf, millis, nowMillis, type Millis } from '@app/wire';
import { QueueMetrics } from '../../libs/queue/src/queue-metrics.js';
import { foldRows } from '../../apps/worker/src/calls/calls.writer.js';
import { CallLog } from '../../apps/worker/src/calls/call-log.writer.js';
import { ErasedRows } from '../../apps/worker/src/erasure/erased-rows.js';
import { ERASED_ITEM } from '../../apps/worker/src/erasure/erasure-target.js';
import { LateRowsJob } from '../../apps/worker/src/erasure/late-rows-job.js';
import { RecentErasures } from '../../apps/worker/src/erasure/recent-erasures.js';
import { FeedbackExpiry } from '../../apps/worker/src/feedback/feedback-expiry.js';
import { Expiry } from '../../apps/worker/src/projects/expiry.js';
import { SettledLedgers } from '../../apps/worker/src/repair/settled-ledgers.js';
import { ReceiptsRemoval } from '../../apps/worker/src/pipeline/receipts.removal.js';
import { receiptRows } from '../../apps/worker/src/pipeline/flush-receipts.writer.js';
import { LedgerCheckJob } from '../../apps/worker/src/repair/ledger-check-job.js';
import {
  LedgerReader,
  totalOf,
  type LedgerEffort,
} from '../../apps/worker/src/repair/ledger.reader.js';
import { RewriteLock, RewriteRunningError } from '../../apps/worker/src/repair/rewrite-lock.js';
import { ShadowTables } from '../../apps/worker/src/repair/shadow-tables.js';
import { aFact } from '../support/facts.js';
import { aProject } from '../support/test-server.js';
import { theRedis } from '../support/queue.js';
import { openOwnStore } from '../support/store.js';
import { flushOn, recordsRebuildOn, Refusing, repairsOn, writerOn } from '../support/worker.js';

let store: Store;
let redis: Redis;
let ledger: Ledger;

beforeAll(async () => {
  store = await openOwnStore();
  redis = new Redis(theRedis(3));
  ledger = new Ledger(redis);
});
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

/** The number of dead letters that were written for each fact of the project, before any merge. */
const deadLetters = (projectId: string) =>
  store.rows<{ kind: string; call_id: string; times: number }>(
    sql`SELECT kind, call_id, toUInt32(count()) AS times FROM dead_letters
      WHERE project_id = ${bind('String', projectId)} GROUP BY id, kind, call_id ORDER BY call_id, kind`,
  );

/** Starts and ends of the calls `a`, `b`, `poison`, `d` and `e` in one chunk. */
function fiveCalls(projectId: string): CallFact[] {
  const chunkId = randomUUID();
  return ['a', 'b', 'poison', 'd', 'e'].flatMap((callId, n) =>
    (['start', 'end'] as const).map((kind, i) =>
      aFact(kind, { projectId, callId, chunkId, index: 2 * n + i }),
    ),
  );
}

describe('a call that the table refuses', () => {
  it('does not stop a sweep, and is dead-lettered once', async () => {
    const projectId = aProject();
    await new CallLog(store).append(fiveCalls(projectId));
    const { sweeper } = repairsOn(new Refusing(store, CALLS.name, 'poison'), redis);
    const from = Date.now() - 600_000;
    await ledger.setWatermark('sweep', String(from));

    const swept = await sweeper.sweep(millis(Date.now() + 61_000));

    expect(swept).toMatchObject({ repaired: 4, deadLettered: 1 });
    expect(await ledger.watermark('sweep')).toBe(String(swept.until));
    expect(await calls(projectId)).toEqual(['a', 'b', 'd', 'e']);
    const written = [
      { kind: 'end', call_id: 'poison', times: 1 },
      { kind: 'start', call_id: 'poison', times: 1 },
    ];
    expect(await deadLetters(projectId)).toEqual(written);
    expect(await sweeper.sweepRange(millis(from), swept.until)).toMatchObject({
      repaired: 0,
      deadLettered: 1,
    });
    expect(await deadLetters(projectId)).toEqual(written);
  });

  it('does not stop a rebuild, which stores the same facts of it as before', async () => {
    const projectId = aProject();
    const whole = aFact('complete', { projectId, callId: 'whole' });
    const start = aFact('start', { projectId, callId: 'half' });
    const end = aFact('end', { projectId, callId: 'half', item: { exception: 'poison' } });
    const flush = flushOn(new Refusing(store, CALLS.name, 'poison'), redis);
    await flush.write([whole, start]);
    await flush.write([end]);
    expect(await deadLetters(projectId)).toEqual([{ kind: 'end', call_id: 'half', times: 1 }]);

    const { rebuild } = repairsOn(new Refusing(store, `${CALLS.name}_rebuild`, 'poison'), redis);
    const { before, after, deadLettered } = await rebuild.run(() => undefined, {
      now: millis(Date.now() + 120_000),
    });

    expect(deadLettered).toBeGreaterThan(0);
    expect(after).toEqual(before);
    expect(await calls(projectId)).toEqual(['half', 'whole']);
    expect(await deadLetters(projectId)).toEqual([{ kind: 'end', call_id: 'half', times: 1 }]);
  });
});

describe('a rebuild of calls', () => {
  /** A rebuild that calls `between` before it exchanges the table. */
  function rebuildWith(between: (table: string) => Promise<void>) {
    class Interrupted extends ShadowTables {
      override async exchange(table: string, suffix: string): Promise<void> {
        await between(table);
        await super.exchange(table, suffix);
      }
    }
    return repairsOn(store, redis, new Interrupted(store)).rebuild;
  }

  it('is finished by the next run of its job when it died between two exchanges', async () => {
    const projectId = aProject();
    const usage = { usage: { m: { prompt_tokens: 7 } } };
    const early = aFact('complete', { projectId, callId: 'early', item: { summary: usage } });
    const late = aFact('complete', { projectId, callId: 'late', item: { summary: usage } });
    await flushOn(store, redis).write([early]);
    const dying = rebuildWith(async (table) => {
      // The new table of usage is filled by now, and does not have this fact.
      if (table === 'root_usage') await flushOn(store, redis).write([late]);
      else throw new Error('killed');
    });
    const used = () =>
      store.rows(
        sql`SELECT id FROM root_usage FINAL WHERE project_id = ${bind('String', projectId)} ORDER BY id`,
      );

    await expect(dying.run(() => undefined)).rejects.toThrow('killed');
    expect(await used()).toEqual([{ id: 'early' }]);
    const { rebuild } = repairsOn(store, redis);
    expect(await rebuild.recover()).toBe(true);

    expect(await used()).toEqual([{ id: 'early' }, { id: 'late' }]);
    expect(await rebuild.recover()).toBe(false);
    await rebuild.run(() => undefined);
  });

  it('exchanges nothing when another owner of the lock has dropped its tables', async () => {
    const projectId = aProject();
    await flushOn(store, redis).write([aFact('complete', { projectId, callId: 'kept' })]);
    const paused = rebuildWith(() => new ShadowTables(store).drop(['root_usage', 'calls']));

    await expect(paused.run(() => undefined)).rejects.toThrow(/rebuild_\w+` doesn't exist/);

    expect(await calls(projectId)).toEqual(['kept']);
    await repairsOn(store, redis).rebuild.recover();
  });

  it('does not delete rows that the log does not account for, unless it is told to', async () => {
    const projectId = aProject();
    const fact = aFact('complete', { projectId, callId: 'unlogged' });
    await flushOn(store, redis).write([fact]);
    await removal().remove('call_events', sql`project_id = ${bind('String', projectId)}`);
    const { rebuild } = repairsOn(store, redis);

    await expect(rebuild.run(() => undefined)).rejects.toThrow('--allow-fewer-rows');
    expect(await calls(projectId)).toEqual(['unlogged']);
    await rebuild.run(() => undefined, { allowFewerRows: true });
    expect(await calls(projectId)).toEqual([]);
  });
});

describe('a rebuild of records', () => {
  const tables = async () =>
    (
      await store.rows<{ name: string }>(
        sql`SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name`,
      )
    ).map(({ name }) => name);

  it('runs once at a time, also over several processes, and leaves no shadow table', async () => {
    const before = await tables();
    const running = recordsRebuildOn(store, redis).run(() => undefined);

    const second = recordsRebuildOn(store, redis).run(() => undefined);
    await expect(second).rejects.toThrow(RewriteRunningError);
    await running;
    expect(await tables()).toEqual(before);
    await recordsRebuildOn(store, redis).run(() => undefined);
  });

  it('does not run beside a rebuild of calls or an expiry', async () => {
    const { rebuild } = repairsOn(store, redis);

    await new RewriteLock(redis).run(async () => {
      const records = recordsRebuildOn(store, redis).run(() => undefined);
      await expect(records).rejects.toThrow(RewriteRunningError);
      await expect(rebuild.run(() => undefined)).rejects.toThrow(RewriteRunningError);
      await expect(expiry().run()).rejects.toThrow(RewriteRunningError);
    });
  });
});

describe('a sweep', () => {
  it('does not run beside an erasure, whose calls it could write again', async () => {
    const projectId = aProject();
    await new CallLog(store).append([aFact('start', { projectId, callId: 'a' })]);
    const { sweeper } = repairsOn(store, redis);
    const sweep = () => sweeper.sweepRange(millis(0), millis(Date.now() + 60_000));

    await expect(new RewriteLock(redis).run(sweep)).rejects.toThrow(RewriteRunningError);
    expect(await calls(projectId)).toEqual([]);

    await sweep();
    expect(await calls(projectId)).toEqual(['a']);
  });

  it('follows the clock of ClickHouse, which sets the time at which facts are stored', async () => {
    const hourAgo = millis(Date.now() - 3_600_000);
    const behind = withClock(() => hourAgo);
    await redis.hset(KEYS.watermarks, 'sweep', String(hourAgo - 120_000));

    const { until } = await repairsOn(behind, redis).sweeper.sweep();

    expect(until).toBe(hourAgo - 60_000);
  });
});

describe('a rewrite', () => {
  it('waits for a step of a repair, and no step begins before it has ended', async () => {
    const lock = new RewriteLock(redis);
    const order: string[] = [];
    let hasBegun = false;
    const step = lock.step(async () => {
      hasBegun = true;
      await sleep(300);
      order.push('step');
    });
    while (!hasBegun) await sleep(1);
    const rewrite = lock.run(async () => {
      await expect(lock.step(async () => undefined)).rejects.toThrow(RewriteRunningError);
      order.push('rewrite');
    });
    await Promise.all([step, rewrite]);
    await lock.step(async () => void order.push('next step'));

    expect(order).toEqual(['step', 'rewrite', 'next step']);
  });
});

describe('a table whose migration is pending', () => {
  it.each([
    [CALLS.name, 'otel_dump'],
    [CALL_EVENTS.name, 'chunk_index'],
  ])('delays a flush while %s has no %s, and no fact is dead-lettered', async (table, column) => {
    const projectId = aProject();
    const alter = (change: string) =>
      store.client.command({ query: `ALTER TABLE ${table} ${change}` });
    const facts = fiveCalls(projectId);
    await alter(`RENAME COLUMN ${column} TO renamed`);

    const written = flushOn(store, redis).write(facts);
    await expect(written).rejects.toThrow(/run `migrate`/);
    await expect(written).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await deadLetters(projectId)).toEqual([]);

    await alter(`RENAME COLUMN renamed TO ${column}`);
    await flushOn(store, redis).write(facts);
    expect(await calls(projectId)).toEqual(['a', 'b', 'd', 'e', 'poison']);
  });
});

describe('an erased call', () => {
  /** Deletes the call and removes its facts and rows, as an erasure does. */
  async function erase(projectId: string, callId: string): Promise<void> {
    const chunkId = randomUUID();
    const item = Buffer.from(ERASED_ITEM);
    const fact = { ...aFact('delete', { projectId, callId, chunkId }), item };
    await flushOn(store, redis).write([fact]);
    const target = { kind: 'trace', projectId, traceId: 't' } as const;
    await new RecentErasures(redis).add({ target, seq: 1, at: nowMillis() });
    await erasedRows().removeCalls(projectId, [callId], {});
  }

  it('stays hidden when a flush that was paused writes its row after the erasure and a rebuild', async () => {
    const projectId = aProject();
    const facts = (['start', 'end'] as const).map((kind) =>
      aFact(kind, { projectId, callId: 'a' }),
    );
    await flushOn(store, redis).write([...facts, aFact('complete', { projectId, callId: 'b' })]);
    await erase(projectId, 'a');
    const { rebuild } = repairsOn(store, redis);
    await rebuild.run(() => undefined, { allowFewerRows: true });
    expect(await calls(projectId)).toEqual(['b']);

    await writerOn(store).write(foldRows(facts));

    expect(await calls(projectId)).toEqual(['b']);
  });

  it('loses the usage, payload and facts that a paused flush stores after the erasure', async () => {
    const projectId = aProject();
    const summary = { usage: { m: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } } };
    const item = { summary, ended_at: '2026-03-01T10:00:00Z' };
    const [erased, other] = ['erased', 'other'].map((callId, n) => [
      aFact('start', { projectId, callId, index: 2 * n }),
      aFact('end', { projectId, callId, index: 2 * n + 1, item }),
    ]) as [CallFact[], CallFact[]];
    await flushOn(store, redis).write([...erased, ...other]);
    await erase(projectId, 'erased');
    await new CallLog(store).append(erased);
    await writerOn(store).write(foldRows(erased));
    await store.insert(RECEIPTS, receiptRows([...erased, ...other], micros(Date.now() * 1000)));
    const left = async (table: string, id: string, isLeft = 'true') =>
      (
        await store.rows<{ id: string }>(
          sql`SELECT DISTINCT ${raw(id)} AS id FROM ${raw(table)}
          WHERE project_id = ${bind('String', projectId)} AND ${raw(isLeft)} ORDER BY id`,
        )
      ).map((row) => row.id);
    const everywhere = async () => [
      await left('call_events', 'call_id', `kind != 'delete'`),
      await left('calls', 'id', 'is_deleted = 0'),
      await left('root_usage', 'id'),
    ];
    const job = new LateRowsJob(
      store,
      new RecentErasures(redis),
      erasedRows(),
      ledger,
      new RewriteLock(redis),
      createLogger('test', 'error', { write: () => undefined }),
    );

    await job.run(AbortSignal.timeout(60_000));
    // Their flush may be running.
    expect(await everywhere()).toEqual(Array(3).fill(['erased', 'other']));
    const stored = sql`project_id = ${bind('String', projectId)}`;
    await removal().change('call_events', sql`stored_at = stored_at - 61`, stored);
    await job.run(AbortSignal.timeout(60_000));

    expect(await everywhere()).toEqual(Array(3).fill(['other']));
    expect(await calls(projectId)).toEqual(['other']);
    const deleted = aFact('delete', { projectId, callId: 'erased' });
    await settled([...erased, ...other, deleted]);
    expect(await lineOf(projectId)).toMatchObject({ missingFacts: 0, holds: Array(5).fill(true) });
  });
});

/** The same store with another clock. */
const withClock = (now: () => Millis): Store =>
  Object.assign(Object.create(store) as Store, { now: () => Promise.resolve(now()) });

/** Counts these facts in Redis as received and settled. */
async function settled(facts: readonly CallFact[]): Promise<void> {
  for (const { projectId } of facts) {
    for (const side of ['received', 'settled'])
      await redis.hincrby(STREAM_KEYS.calls.ledger, `${side}:${projectId}`, 1);
  }
}

const lineOf = async (projectId: string, effort?: LedgerEffort) =>
  (await new LedgerReader(ledger, store).read({ projectId }, effort))[0];

const progress = () => new QueueProgress(redis);
const removal = () => new Removal(store);
const erasedRows = () =>
  new ErasedRows(store, removal(), new ReceiptsRemoval(store, removal(), progress()));
const expiry = (receipts = new ReceiptsRemoval(store, removal(), progress())) =>
  new Expiry(
    store,
    removal(),
    receipts,
    new FeedbackExpiry(store, removal()),
    new RewriteLock(redis),
    new ShadowTables(store),
  );

describe('the ledger', () => {
  const ALL = [true, true, true, true, true];

  it.each([CALL_EVENTS.name, CALLS.name])(
    'balances after %s has refused a fact, and still detects missing facts',
    async (table) => {
      const projectId = aProject();
      const facts = fiveCalls(projectId);
      await flushOn(new Refusing(store, table, 'poison'), redis).write(facts);
      await settled(facts);

      expect(await lineOf(projectId)).toMatchObject({ receipts: 10, settled: 10, holds: ALL });

      await new CallLog(store).append([aFact('rename', { projectId, callId: 'a' })]);
      await removal().remove(
        'call_events',
        sql`project_id = ${bind('String', projectId)} AND call_id = 'b'`,
      );
      const unbalanced = {
        missingFacts: 2,
        staleCalls: 1,
        holds: [true, true, false, false, true],
      };
      expect(await lineOf(projectId)).toMatchObject(unbalanced);
      // A log that does not fit in memory is read in shares.
      expect(await lineOf(projectId, { factsPerShare: 2 })).toMatchObject(unbalanced);
    },
  );

  it('balances after an erased call is sent again, and detects it when it is visible again', async () => {
    const projectId = aProject();
    const fact = (kind: CallFactKind, item = {}) =>
      aFact(kind, { projectId, callId: 'a', chunkId: randomUUID(), item });
    const sent = [fact('start'), fact('end'), fact('rename'), fact('delete')];
    await flushOn(store, redis).write(sent);
    const project = sql`project_id = ${bind('String', projectId)}`;
    const receipts = new ReceiptsRemoval(store, removal(), progress());
    const erased = sql`${project} AND kind != 'delete'`;
    await receipts.recordRemoved(projectId, 'call_events', erased);
    await removal().remove('call_events', erased);

    const again = [
      fact('start'),
      fact('start', { started_at: '2026-01-01T00:00:00Z', trace_id: 't2' }),
    ];
    await flushOn(store, redis).write(again);
    await settled([...sent, ...again]);
    expect(await calls(projectId)).toEqual([]);
    expect(await lineOf(projectId)).toMatchObject({ staleCalls: 0, holds: ALL });

    const late = fact('start', { started_at: '2026-02-02T00:00:00Z' });
    await new CallLog(store).append([late]);
    await writerOn(store).write(foldRows([late]));
    expect(await calls(projectId)).toEqual(['a']);
    expect((await lineOf(projectId))?.staleCalls).toBe(1);
    const { sweeper } = repairsOn(store, redis);
    expect(await sweeper.sweepRange(millis(0), millis(Date.now() + 1000))).toMatchObject({
      deadLettered: 0,
    });
    expect(await calls(projectId)).toEqual([]);
    expect((await lineOf(projectId))?.staleCalls).toBe(0);
  });

  it('detects usage that reports do not see, which a rebuild repairs', async () => {
    const projectId = aProject();
    const summary = { usage: { m: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } } };
    const item = { summary, ended_at: '2026-03-01T10:00:00Z' };
    const [start, end] = [
      aFact('start', { projectId, callId: 'a' }),
      aFact('end', { projectId, callId: 'a', index: 1, item }),
    ];
    await flushOn(store, redis).write([start, end]);
    await settled([start, end]);
    const usage = () =>
      store.rows(
        sql`SELECT model FROM root_usage FINAL WHERE project_id = ${bind('String', projectId)}`,
      );
    expect(await usage()).toEqual([{ model: 'm' }]);
    expect(await lineOf(projectId)).toMatchObject({ callsWithOtherUsage: 0, holds: ALL });

    await removal().remove('root_usage', sql`project_id = ${bind('String', projectId)}`);
    const unequal = { callsWithOtherUsage: 1, holds: [true, true, true, true, false] };
    expect(await lineOf(projectId)).toMatchObject(unequal);
    expect(await lineOf(projectId, { factsPerShare: 1 })).toMatchObject(unequal);
    await repairsOn(store, redis).rebuild.run(() => undefined, { allowFewerRows: true });

    expect(await usage()).toEqual([{ model: 'm' }]);
    expect(await lineOf(projectId)).toMatchObject({ holds: ALL });
  });

  it('balances when an end was stored before its start is refused', async () => {
    const projectId = aProject();
    const [end, start] = (['end', 'start'] as CallFactKind[]).map((kind) =>
      aFact(kind, { projectId, callId: 'poison', chunkId: randomUUID() }),
    );
    const flush = flushOn(new Refusing(store, CALLS.name, 'poison'), redis);
    await flush.write([end!]);
    await flush.write([start!]);
    await settled([end!, start!]);

    expect(await lineOf(projectId)).toMatchObject({ holds: ALL });
  });

  it('balances after retention has removed calls, also calls that could not be stored', async () => {
    const projectId = aProject();
    const facts = fiveCalls(projectId);
    await flushOn(new Refusing(store, CALLS.name, 'poison'), redis).write(facts);
    const [at, item] = [Date.now() * 1000, { started_at: new Date().toISOString() }];
    const fresh = aFact('start', { projectId, callId: 'fresh', receivedAt: micros(at), item });
    await flushOn(store, redis).write([fresh]);
    await settled([...facts, fresh]);
    const retention = {
      project_id: projectId,
      retention_days: 10,
      feedback_retention_days: 0,
      version: 1,
    };
    await store.insert(PROJECTS, [retention]);

    const receipts = new ReceiptsRemoval(store, removal(), progress());
    expect(await expiry(receipts).run()).toEqual({ calls: 5, feedback: 0 });

    expect(await calls(projectId)).toEqual(['fresh']);
    expect(await deadLetters(projectId)).toEqual([]);
    expect(await new CallLog(store).factsOf([[projectId, 'poison']])).toEqual([]);
    expect(await lineOf(projectId)).toMatchObject({ receipts: 11, settled: 11, holds: ALL });
  });

  it('balances while retention leaves a call whose refused start is old, because its dead letter stays', async () => {
    const projectId = aProject();
    const receivedAt = micros(Date.now() * 1000);
    const end = aFact('end', { projectId, callId: 'poison', chunkId: randomUUID(), receivedAt });
    const [start, gone] = ['poison', 'other'].map((callId) =>
      aFact('start', { projectId, callId, chunkId: randomUUID() }),
    );
    const flush = flushOn(new Refusing(store, CALLS.name, 'poison'), redis);
    await flush.write([end]);
    await flush.write([start!]);
    await flushOn(new Refusing(store, CALL_EVENTS.name, 'other'), redis).write([gone!]);
    await settled([end, start!, gone!]);
    const written = { kind: 'start', call_id: 'poison', times: 1 };
    expect(await deadLetters(projectId)).toEqual([{ ...written, call_id: 'other' }, written]);
    await store.insert(PROJECTS, [
      { project_id: projectId, retention_days: 10, feedback_retention_days: 0, version: 1 },
    ]);

    await expiry().run();

    expect(await deadLetters(projectId)).toEqual([written]);
    expect(await lineOf(projectId)).toMatchObject({ receipts: 3, settled: 3, holds: ALL });
  });

  it('keeps the receipts of today when the clock of a worker is a month ahead', async () => {
    const projectId = aProject();
    const facts = fiveCalls(projectId);
    await flushOn(store, redis).write(facts);
    const ahead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 30 * 86_400_000);
    try {
      await expiry().run();
    } finally {
      ahead.mockRestore();
    }
    const kept = await store.rows(
      sql`SELECT chunk_id FROM receipts FINAL WHERE project_id = ${bind('String', projectId)}`,
    );
    expect(kept).toEqual([{ chunk_id: facts[0]!.chunkId }]);
  });

  it('has a line also for a project whose counters Redis has lost', async () => {
    const projectId = aProject();
    await flushOn(store, redis).write(fiveCalls(projectId));
    await new CallLog(store).append([aFact('rename', { projectId, callId: 'a' })]);
    await removal().remove(
      'call_events',
      sql`project_id = ${bind('String', projectId)} AND call_id = 'b'`,
    );

    expect(await lineOf(projectId)).toEqual({
      project: projectId,
      received: 0,
      settled: 0,
      pending: 0,
      moved: 0,
      receipts: 10,
      missingFacts: 2,
      staleCalls: 1,
      callsWithOtherUsage: 0,
      holds: [true, false, false, false, true],
    });
  });

  it('balances when receipts of a week ago are rolled up into totals, also when that is interrupted', async () => {
    const projectId = aProject();
    const day = (n: number) => millis(Date.UTC(2026, 0, n, 12));
    const facts = [...fiveCalls(projectId), ...fiveCalls(projectId)];
    const [once, twice] = [facts.slice(0, 10), facts.slice(10)];
    await new CallLog(store).append(facts);
    const keys = ['a', 'b', 'poison', 'd', 'e'].map((id) => [projectId, id] as const);
    await repairsOn(store, redis).refolder.refold(keys);
    await settled(facts);
    const writeReceipts = (some: readonly CallFact[], n: number) =>
      store.insert(RECEIPTS, receiptRows(some, microsOf(day(n))));
    for (const n of [10, 11]) await writeReceipts(twice, n);
    await writeReceipts(once, 10);
    const stored = (table: string) =>
      store.rows<{ n: number }>(
        sql`SELECT toUInt32(count()) AS n FROM ${raw(table)} WHERE project_id = ${bind('String', projectId)}`,
      );
    const balances = async () =>
      expect(await lineOf(projectId)).toMatchObject({ receipts: 20, settled: 20, holds: ALL });
    await balances();

    class InterruptedRemoval extends Removal {
      override dropPartition(): Promise<void> {
        return Promise.reject(new Error('interrupted'));
      }
    }
    const interrupted = new ReceiptsRemoval(store, new InterruptedRemoval(store), progress());
    await expect(interrupted.rollUp(day(18))).rejects.toThrow('interrupted');
    await balances();

    const receipts = new ReceiptsRemoval(store, removal(), progress());
    await redis.zadd(STREAM_KEYS.calls.inflight, day(9), 'still in progress');
    expect(await receipts.rollUp(day(18))).toBe(0);
    await redis.zrem(STREAM_KEYS.calls.inflight, 'still in progress');
    expect(await receipts.rollUp(day(18))).toBe(1);
    expect(await stored('receipts')).toEqual([{ n: 1 }]);
    await balances();
    expect(await receipts.rollUp(day(19))).toBe(1);
    expect(await stored('receipts')).toEqual([{ n: 0 }]);
    expect(await stored('receipt_totals FINAL')).toEqual([{ n: 2 }]);
    await balances();
  });

  it('balances when the counts of a settled project move to ClickHouse, also when that is interrupted', async () => {
    const projectId = aProject();
    const facts = fiveCalls(projectId);
    const more = fiveCalls(projectId);
    const receive = async (some: readonly CallFact[], day: number) => {
      await flushOn(store, redis).write(some);
      await settled(some);
      await removal().remove('receipts', sql`project_id = ${bind('String', projectId)}`);
      await store.insert(RECEIPT_TOTALS, [{ project_id: projectId, day, facts: some.length }]);
    };
    const inRedis = () => redis.hget(STREAM_KEYS.calls.ledger, `received:${projectId}`);
    const balances = async (facts: number, moved: number) =>
      expect(await lineOf(projectId)).toMatchObject({
        ...{ received: facts, settled: facts, receipts: facts, moved, holds: ALL },
      });
    const ledgers = new SettledLedgers(ledger, store);
    await receive(facts, 20260110);
    await balances(10, 0);

    await ledgers.move();
    expect(await inRedis()).toBeNull();
    await balances(10, 10);
    await receive(more, 20260111);
    await balances(20, 10);

    // The worker ended after it had recorded the move, and the project got facts before the next run.
    await ledger.openMove([{ project: projectId, before: 10, facts: 9 }]);
    await ledgers.move();
    expect(await inRedis()).toBeNull();
    expect(await ledger.openMoves()).toEqual([]);
    await balances(20, 20);
  });

  it('keeps the counts of a project in Redis while it has receipts, facts in the queue, or does not balance', async () => {
    const [recent, pending, unbalanced] = [aProject(), aProject(), aProject()];
    const facts = [recent, pending, unbalanced].map((projectId) => aFact('start', { projectId }));
    await settled(facts);
    await flushOn(store, redis).write(facts.slice(0, 1));
    await store.insert(RECEIPT_TOTALS, [
      { project_id: pending, day: 20260110, facts: 1 },
      { project_id: unbalanced, day: 20260110, facts: 2 },
    ]);
    await redis.hincrby(STREAM_KEYS.calls.ledger, `received:${pending}`, 1);

    await new SettledLedgers(ledger, store).move();

    const fields = [recent, pending, unbalanced].map((projectId) => `settled:${projectId}`);
    expect(await redis.hmget(STREAM_KEYS.calls.ledger, ...fields)).toEqual(['1', '1', '1']);
  });

  it('is compared with the store while facts arrive, for at most a hundredth of the time', async () => {
    const projectId = aProject();
    // Facts with a receipt that are not settled yet, and the reverse, are no error while facts arrive.
    const facts = fiveCalls(projectId);
    await flushOn(store, redis).write(facts);
    await redis.hincrby(STREAM_KEYS.calls.ledger, `received:${projectId}`, facts.length);
    const logger = createLogger('test', 'error');
    const ahead = withClock(() => millis(Date.now() + 61_000));
    const checking = new LedgerCheckJob(
      new LedgerReader(ledger, store),
      ledger,
      ahead,
      new SettledLedgers(ledger, store),
      logger,
    );
    const soon = Date.now() + 61_000;
    await redis.hdel(KEYS.watermarks, 'ledger');
    const before = await checking.checkWhenDue(millis(soon));
    const { tookMs } = before!;
    expect(tookMs).toBeGreaterThan(0);
    expect(await checking.checkWhenDue(millis(soon + 99 * tookMs))).toBeUndefined();

    await redis.hincrby(STREAM_KEYS.calls.ledger, `settled:${projectId}`, facts.length + 2);
    await new CallLog(store).append([aFact('rename', { projectId, callId: 'a' })]);
    await removal().remove(
      'call_events',
      sql`project_id = ${bind('String', projectId)} AND call_id = 'b'`,
    );
    const { unbalancedFacts, missingFacts, staleCalls } = before!;
    const later = soon + 100 * tookMs;
    expect(await checking.checkWhenDue(millis(later))).toMatchObject({
      unbalancedFacts: unbalancedFacts + 2,
      missingFacts: missingFacts + 2,
      staleCalls: staleCalls + 1,
    });
    new QueueMetrics(progress(), ledger, redis).onApplicationBootstrap();
    expect((await metricsPage()).match(/^heddle_ledger_.*$/gm)).toEqual([
      `heddle_ledger_unbalanced_facts ${unbalancedFacts + 2}`,
      `heddle_ledger_missing_facts ${missingFacts + 2}`,
      `heddle_ledger_stale_calls ${staleCalls + 1}`,
      'heddle_ledger_calls_with_other_usage 0',
      `heddle_ledger_checked_seconds ${later / 1000}`,
    ]);
  });

  it('adds up over projects, and holds in total only where it holds in each', async () => {
    const [one, other] = [aProject(), aProject()];
    const facts = [one, other].map((projectId) => aFact('start', { projectId, chunkId: 'c' }));
    await flushOn(store, redis).write(facts);
    await settled(facts);
    // One project has a fact too many and the other one too few, so the sums alone would balance.
    await redis.hincrby(STREAM_KEYS.calls.ledger, `settled:${one}`, 1);
    await redis.hincrby(STREAM_KEYS.calls.ledger, `settled:${other}`, -1);

    const lines = (await new LedgerReader(ledger, store).read()).filter(({ project }) =>
      [one, other].includes(project),
    );

    expect(totalOf(lines)).toEqual({
      project: 'total',
      received: 2,
      settled: 2,
      pending: 0,
      moved: 0,
      receipts: 2,
      missingFacts: 0,
      staleCalls: 0,
      callsWithOtherUsage: 0,
      holds: [false, false, true, true, true],
    });
  });
});
