import { randomBytes } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OldParts, raw, Removal, sql, type Sql } from '@app/clickhouse';
import { ShadowTables } from '../../apps/worker/src/repair/shadow-tables.js';
import { openStore } from '../support/store.js';

const store = openStore();
const parts = new OldParts(store);
const GUARD = 'max_bytes_to_merge_at_max_space_in_pool = 1';
const LOWERED = 'old_parts_lifetime = 1';

let table: string;

const run = (statement: string, settings = {}) => store.runDdl(sql`${raw(statement)}`, settings);
const insert = (number: number) => run(`INSERT INTO ${table} VALUES (${number}, 'row ${number}')`);

async function rows<Row>(query: Sql): Promise<Row[]> {
  return store.rows<Row>(query);
}

const definition = async (): Promise<string> => {
  const [row] = await rows<{ engine_full: string }>(
    sql`SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = ${raw(`'${table}'`)}`,
  );
  return row!.engine_full;
};

const partsOf = (condition: string) =>
  rows<{ name: string; path: string }>(
    sql`SELECT name, path FROM system.parts WHERE database = currentDatabase() AND table = ${raw(`'${table}'`)} AND ${raw(condition)}`,
  );

describe('parts that a merge has replaced', () => {
  beforeEach(async () => {
    table = `old_parts_${randomBytes(4).toString('hex')}`;
    await run(`CREATE TABLE ${table} (id UInt64, text String) ENGINE = MergeTree ORDER BY id`);
    await insert(1);
    await insert(2);
    await run(`OPTIMIZE TABLE ${table} FINAL`);
  });
  afterEach(() => run(`DROP TABLE ${table} SYNC`));
  afterAll(() => store.close());

  it('are removed, and the table has its own settings again', async () => {
    const before = await definition();
    expect(await partsOf('NOT active')).toHaveLength(2);

    expect(await parts.remove([table], { waitMs: 30_000 })).toEqual([]);
    expect(await partsOf('NOT active')).toEqual([]);
    expect(await definition()).toBe(before);
  });

  it('stay when ClickHouse cannot read what replaced them', async () => {
    const before = await definition();
    const [merged] = await partsOf('active');
    truncateSync(join(merged!.path, 'columns.txt'));

    const [left] = await parts.remove([table], { waitMs: 10_000 });
    expect(left).toMatchObject({ table, parts: 2, reason: expect.stringContaining(merged!.name) });
    expect(left!.reason).toMatch(/restart/i);
    expect(await partsOf('NOT active')).toHaveLength(2);
    expect(await definition()).toBe(before);
  });

  it('are removed only while no merge can begin', async () => {
    const lowered = new Set<string>();
    let isRemoved = false;
    const removal = parts.remove([table], { waitMs: 30_000 }).finally(() => (isRemoved = true));
    while (!isRemoved) {
      const text = await definition();
      if (text.includes(LOWERED)) lowered.add(text);
      await sleep(20);
    }
    await removal;
    expect(lowered.size).toBeGreaterThan(0);
    expect([...lowered].filter((text) => !text.includes(GUARD))).toEqual([]);
  });

  it('of a removal that was killed do not keep its settings', async () => {
    const before = await definition();
    await run(`ALTER TABLE ${table} MODIFY SETTING ${GUARD}, ${LOWERED}`);

    expect(await parts.changedTables()).toEqual([table]);
    expect(await parts.resetSettings()).toEqual([table]);
    expect(await definition()).toBe(before);
    expect(await parts.changedTables()).toEqual([]);
  });

  it('of a removal that was killed are not removed early after the next deletion', async () => {
    const before = await definition();
    await run(`ALTER TABLE ${table} MODIFY SETTING ${GUARD}, ${LOWERED}`);

    await new Removal(store).remove(table, sql`id = 1`);
    expect(await definition()).toBe(before);
  });

  it('of a removal that was killed do not give its settings to a rebuild', async () => {
    const before = await definition();
    await run(`ALTER TABLE ${table} MODIFY SETTING ${GUARD}, ${LOWERED}`);

    const shadows = new ShadowTables(store);
    await shadows.create([table]);
    expect(await definition()).toBe(before);
    expect(await parts.changedTables()).toEqual([]);
    await shadows.drop([table]);
  });
});
