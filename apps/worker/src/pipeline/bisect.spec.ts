import { StoreRefusedError, StoreUnavailableError } from '@app/clickhouse';
import { writeOrBisect, type RefusableWrite } from './bisect.js';
import { RefusalEvidence } from './refusal-evidence.js';

interface Item {
  readonly name: string;
}
const itemsOf = (names: string): Item[] => [...names].map((name) => ({ name }));

/** A table that refuses every insert for which `isRefused` is true, and a clock that the test moves. */
function aTable(isRefused: (name: string) => boolean, acceptsInserts = true, code = 27) {
  const table = {
    clock: 0,
    stored: '',
    deadLettered: '',
    inserts: 0,
    isRefused,
    write: (items: readonly Item[]) => writeOrBisect(items, task),
  };
  const evidence = new RefusalEvidence(
    () => Promise.resolve(acceptsInserts),
    60_000,
    () => table.clock,
  );
  const task: RefusableWrite<Item> = {
    evidence,
    write: async (items) => {
      table.inserts++;
      table.clock++;
      if (items.some(({ name }) => table.isRefused(name))) throw new StoreRefusedError('bad', code);
      table.stored += items.map(({ name }) => name).join('');
    },
    deadLetter: async ({ name }) => void (table.deadLettered += name),
  };
  return table;
}

const among = (names: string) => (name: string) => names.includes(name);
const noEvidence = /accepted no other write/;

describe('a write that ClickHouse may refuse', () => {
  it('is one insert when it is accepted', async () => {
    const table = aTable(among(''));
    await table.write(itemsOf('abc'));
    expect(table).toMatchObject({ stored: 'abc', deadLettered: '', inserts: 1 });
  });

  it.each(['a', 'be', 'e', 'abcd'])(
    'stores every other item, in order, and dead-letters each of "%s" alone',
    async (refused) => {
      const table = aTable(among(refused));
      await table.write(itemsOf('abcde'));
      const others = [...'abcde'].filter((name) => !refused.includes(name)).join('');
      expect(table).toMatchObject({ stored: others, deadLettered: refused });
    },
  );

  it('fails as a whole while ClickHouse is unavailable, and dead-letters nothing', async () => {
    const unavailable = new StoreUnavailableError('unavailable');
    const write = writeOrBisect(itemsOf('ab'), {
      evidence: new RefusalEvidence(() => Promise.resolve(true)),
      write: () => Promise.reject(unavailable),
      deadLetter: () => Promise.reject(new Error('dead-lettered')),
    });
    await expect(write).rejects.toBe(unavailable);
  });

  it('is retried, and nothing is dead-lettered, while ClickHouse refuses every item', async () => {
    const table = aTable(() => true);
    const items = itemsOf('abcdefghijklmnopqrstuvwxyz');
    await expect(table.write(items)).rejects.toThrow(noEvidence);
    await expect(table.write(items)).rejects.toMatchObject({
      code: 'storage_unavailable',
      isUnexpected: true,
    });
    expect(table.inserts).toBeLessThan(40);

    table.isRefused = among('d');
    await table.write(items);
    expect(table).toMatchObject({ stored: 'abcefghijklmnopqrstuvwxyz', deadLettered: 'd' });
  });

  it('dead-letters a single refused item once another write has been accepted', async () => {
    const table = aTable(among('x'));
    const alone = itemsOf('x');
    await expect(table.write(alone)).rejects.toThrow(noEvidence);
    await table.write(itemsOf('a'));
    await table.write(alone);
    expect(table).toMatchObject({ stored: 'a', deadLettered: 'x' });
  });

  it('dead-letters refused items after a minute in a quiet system, however many', async () => {
    const table = aTable(() => true);
    const items = itemsOf('abcdefghijkl');
    await expect(table.write(items)).rejects.toThrow(noEvidence);
    table.clock += 60_000;
    await expect(table.write(items)).rejects.toThrow(noEvidence);
    table.clock += 60_000;
    await table.write(items);
    expect(new Set(table.deadLettered)).toEqual(new Set('abcdefghijkl'));
  });

  it('dead-letters nothing, after a minute either, while a known-good insert fails too', async () => {
    const table = aTable(() => true, false);
    const alone = itemsOf('x');
    await expect(table.write(alone)).rejects.toThrow(noEvidence);
    table.clock += 3_600_000;
    await expect(table.write(alone)).rejects.toThrow(noEvidence);
    expect(table.deadLettered).toBe('');
  });

  it('stores an item whose first refusal was an error of ClickHouse', async () => {
    let refusals = 0;
    const table = aTable((name) => name === 'b' && refusals++ < 3);
    await table.write(itemsOf('abc'));
    expect(table).toMatchObject({ stored: 'acb', deadLettered: '' });
  });

  it('dead-letters at once an item that the worker could not encode', async () => {
    const table = aTable(() => true, false, 0);
    await table.write(itemsOf('x'));
    expect(table).toMatchObject({ deadLettered: 'x', inserts: 1 });
  });
});
