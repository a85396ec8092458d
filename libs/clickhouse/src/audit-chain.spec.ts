import { chained, ChainCheck, CHAIN_START, type AuditContent } from './audit-chain.js';

const anEntry = (n: number, fields: Partial<AuditContent> = {}): AuditContent => ({
  at: 1_770_000_000_000_000 + n,
  id: `id-${n}`,
  user_id: 'ann',
  key_id: 'k',
  address: '127.0.0.1',
  request_id: `r-${n}`,
  action: 'calls.delete',
  project_id: 'acme/demo',
  detail: '{}',
  ...fields,
});
const entries = Array.from({ length: 6 }, (_, n) => anEntry(n + 1));
const chain = chained(CHAIN_START, entries);
const faults = (rows: typeof chain, size = 2) => {
  const check = new ChainCheck();
  const found: string[] = [];
  for (let at = 0; at < rows.length; at += size)
    found.push(...check.add(rows.slice(at, at + size)));
  return [...found, ...check.end(chain.at(-1)!)];
};
const without = (...seqs: number[]) => chain.filter(({ seq }) => !seqs.includes(seq));
const replaced = (seq: number, change: object) =>
  chain.map((row) => (row.seq === seq ? { ...row, ...change } : row));

describe('the chain of audit entries', () => {
  it('is the same however many entries are added at a time', () => {
    const [first, ...rest] = entries;
    const begun = chained(CHAIN_START, [first!]);

    expect([...begun, ...chained(begun[0]!, rest)]).toEqual(chain);
    expect(faults(chain)).toEqual([]);
  });

  it.each(Object.keys(anEntry(1)))('detects a change of %s', (field) => {
    expect(faults(replaced(3, { [field]: field === 'at' ? 1 : 'other' }))).toEqual([
      'Entry 3 was changed, or the one before it.',
    ]);
  });

  it('detects a change whose hash was computed again', () => {
    const [forged] = chained(chain[1]!, [anEntry(3, { user_id: 'eve' })]);

    expect(faults(replaced(3, forged!))).toEqual(['Entry 4 was changed, or the one before it.']);
  });

  it('detects missing entries at the beginning, in the middle and at the end', () => {
    expect(faults(without(1))).toEqual(['Entry 1 is missing.']);
    expect(faults(without(3, 4))).toEqual(['Entries 3 to 4 are missing.']);
    expect(faults(without(5, 6))).toEqual(['Entries 5 to 6 are missing.']);
  });

  it('detects entries in another order, and a second version of an entry', () => {
    const [, second, third] = entries as [AuditContent, AuditContent, AuditContent];
    const swapped = chain.map((row) => {
      if (row.seq === 2) return { ...row, ...third };
      return row.seq === 3 ? { ...row, ...second } : row;
    });
    const twice = [...chain.slice(0, 2), { ...chain[1]!, detail: 'x' }, ...chain.slice(2)];

    expect(faults(swapped)).toHaveLength(2);
    expect(faults(twice, 10)).toEqual(['Entry 2 exists in two versions.']);
  });

  it('detects a chain that was computed again from its beginning', () => {
    const again = chained(CHAIN_START, [anEntry(1, { user_id: 'eve' }), ...entries.slice(1)]);

    expect(faults(again)).toEqual(['Entry 6 was changed, or the one before it.']);
  });
});
