import fc from 'fast-check';
import { editedDigests, EditedRows } from './edited-rows.js';

async function* inBlocks(list: readonly string[], size: number) {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

async function listed(rows: EditedRows, base: readonly string[], size = 3): Promise<string[]> {
  const digests: string[] = [];
  for await (const some of editedDigests(rows.pieces(), inBlocks(base, size)))
    digests.push(...some);
  return digests;
}

const baseOf = (length: number) => Array.from({ length }, (_, i) => `b${i}`);

describe('the rows of a table after updates', () => {
  it('are the same as in a list to which the updates were applied', async () => {
    const edit = fc.record({ isInsert: fc.boolean(), at: fc.nat() });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.array(edit),
        fc.integer({ min: 1, max: 9 }),
        async (length, edits, size) => {
          const base = baseOf(length);
          const list = [...base];
          const rows = new EditedRows(length);
          for (const [i, { isInsert, at }] of edits.entries()) {
            if (isInsert) {
              const index = at % (list.length + 1);
              list.splice(index, 0, `n${i}`);
              rows.insert(index, `n${i}`);
            } else if (list.length > 0) {
              const index = at % list.length;
              const removed = rows.remove(index);
              expect(typeof removed === 'number' ? base[removed] : removed).toBe(list[index]);
              list.splice(index, 1);
            }
          }
          expect(rows.length).toBe(list.length);
          expect(await listed(rows, base, size)).toEqual(list);
        },
      ),
    );
  });

  it('are found quickly after a hundred thousand updates of a million rows', async () => {
    const rows = new EditedRows(1_000_000);
    const began = performance.now();
    for (let i = 0; i < 100_000; i++) rows.insert((i * 7919) % rows.length, `n${i}`);
    expect(rows.length).toBe(1_100_000);
    expect(performance.now() - began).toBeLessThan(25_000);
  });

  it('fail when the base has too few rows', async () => {
    await expect(listed(new EditedRows(5), baseOf(4))).rejects.toThrow(/row 4/);
  });
});
