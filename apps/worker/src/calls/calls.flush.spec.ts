import type { CallFact } from '@app/events';
import { aFact } from '../../../../test/support/facts.js';
import { CallsFlush } from './calls.flush.js';
import { leafBytes, type FoldedRows } from './calls.writer.js';

/** The flush with stores that accept everything. */
function flushOf(facts: readonly CallFact[]) {
  const writes: { calls: number; leafBytes: number }[] = [];
  let receipts = 0;
  const snapshots = facts.map((fact) => ({
    ...{ key: fact.callId, facts: [fact], own: [fact], wasRead: false },
  }));
  const accept = () => Promise.resolve();
  const flush = Reflect.construct(CallsFlush, [
    { append: accept },
    { of: () => [snapshots], recordStarted: accept },
    {
      write: (rows: FoldedRows) => {
        writes.push({ calls: rows.calls.length, leafBytes: leafBytes(rows) });
        return Promise.resolve();
      },
    },
    {
      ...{ deadLetter: accept, deadLetterWithoutEffect: accept, evidence: { recordAccepted() {} } },
      ...{ recordOverwrites: accept, recordChanges: accept },
      recordReceipt: () => Promise.resolve(void receipts++),
    },
  ]) as CallsFlush;
  return { write: () => flush.write(facts), writes, receipts: () => receipts };
}

const complete = (n: number, payload: unknown) =>
  aFact('complete', {
    callId: `call-${n}`,
    item: {
      ...{ started_at: '2026-03-02T10:00:00Z', ended_at: '2026-03-02T10:00:01Z', op_name: 'op' },
      ...{ attributes: payload, inputs: payload, output: payload, summary: payload },
    },
  });

describe('a flush', () => {
  it('writes its calls at once', async () => {
    const facts = Array.from({ length: 500 }, (_, n) => complete(n, { a: { b: [1, 'x', true] } }));
    const { write, writes, receipts } = flushOf(facts);
    await write();

    expect(writes.map(({ calls }) => calls)).toEqual([500]);
    expect(receipts()).toBe(1);
  });

  it('of calls that have far more paths than bytes folds only a part of them at once', async () => {
    const payload = { ['k'.repeat(390)]: Array.from({ length: 15 }, () => 1) };
    const facts = Array.from({ length: 2000 }, (_, n) => complete(n, payload));
    const { write, writes, receipts } = flushOf(facts);
    await write();

    expect(writes.reduce((sum, { calls }) => sum + calls, 0)).toBe(2000);
    expect(writes.length).toBeGreaterThan(2);
    for (const one of writes) expect(one.leafBytes).toBeLessThan(17 * 1024 ** 2);
    expect(receipts()).toBe(1);
  });

  it('without calls has a receipt', async () => {
    const { write, receipts } = flushOf([]);
    await write();

    expect(receipts()).toBe(1);
  });
});
