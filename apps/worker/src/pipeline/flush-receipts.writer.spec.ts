import { factId } from '@app/events';
import { micros } from '@app/wire';
import { aFact } from '../../../../test/support/facts.js';
import { receiptRows } from './flush-receipts.writer.js';

describe('flush receipts', () => {
  it('are one per chunk and project, with every fact in them', () => {
    const facts = [
      aFact('start', { chunkId: 'one' }),
      aFact('end', { chunkId: 'one', index: 1 }),
      aFact('start', { chunkId: 'one', index: 2, projectId: 'acme/other' }),
      aFact('end', { chunkId: 'two' }),
    ];
    const row = (project_id: string, chunk_id: string, indexes: number[]) => ({
      project_id,
      chunk_id,
      stored_at: 5,
      facts: indexes.length,
      fact_ids: indexes.map((index) => factId(facts[index]!)),
    });

    expect(receiptRows(facts, micros(5))).toEqual([
      row('acme/demo', 'one', [0, 1]),
      row('acme/other', 'one', [2]),
      row('acme/demo', 'two', [3]),
    ]);
  });

  it('count a repeated fact twice, under one id', () => {
    const fact = aFact('start');
    const [row] = receiptRows([fact, { ...fact, index: 1 }], micros(5));

    expect(row!.facts).toBe(2);
    expect(new Set(row!.fact_ids).size).toBe(1);
  });

  it('count a chunk once when it is twice in one flush', () => {
    const chunk = [aFact('start'), aFact('end', { index: 1 })];

    expect(receiptRows([...chunk, ...chunk], micros(5))).toEqual(receiptRows(chunk, micros(5)));
  });
});
