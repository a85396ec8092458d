import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeEmptyDefinitions, removeEmptyMutations } from './empty-definitions.js';

describe('definitions of tables that a full disk has left empty', () => {
  let data: string;
  let database: string;
  const define = (table: string, text: string) =>
    writeFileSync(join(database, `${table}.sql`), text);
  const isDefined = (table: string) => existsSync(join(database, `${table}.sql`));

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'heddle-definitions-'));
    database = join(data, 'store', '8c8', '8c8e3ab7-38d6-4436-ac33-8c2ca7b1ead7');
    mkdirSync(database, { recursive: true });
    define('calls', 'ATTACH TABLE _');
    define('calls_rebuild_0123abcd', 'ATTACH TABLE _');
  });
  afterEach(() => rmSync(data, { recursive: true }));

  it('are removed when the tables were those of a rebuild', async () => {
    define('usage_rebuild_0123abcd', '');
    define('usage_rebuild_0123abcd_local', '');

    const removed = await removeEmptyDefinitions(data);
    expect([...removed].sort()).toEqual(['usage_rebuild_0123abcd', 'usage_rebuild_0123abcd_local']);
    expect(isDefined('usage_rebuild_0123abcd')).toBe(false);
    expect(isDefined('calls')).toBe(true);
    expect(isDefined('calls_rebuild_0123abcd')).toBe(true);
  });

  it('of other tables stop the start with their files, and nothing is removed', async () => {
    define('calls', '');
    define('usage_rebuild_0123abcd', '');

    await expect(removeEmptyDefinitions(data)).rejects.toThrow(
      /were changed: \S+calls\.sql\. docs/,
    );
    expect(isDefined('usage_rebuild_0123abcd')).toBe(true);
  });

  it('are none in a new directory', async () => {
    expect(await removeEmptyDefinitions(join(data, 'new'))).toEqual([]);
  });
});

describe('mutations that a full disk has left empty', () => {
  it('are removed, and those with a text are kept', async () => {
    const data = mkdtempSync(join(tmpdir(), 'heddle-mutations-'));
    const table = join(data, 'store', '1f0', '1f0e3ab7-38d6-4436-ac33-8c2ca7b1ead7');
    mkdirSync(table, { recursive: true });
    writeFileSync(join(table, 'mutation_7.txt'), 'format version: 1\n');
    writeFileSync(join(table, 'mutation_8.txt'), '');
    writeFileSync(join(table, 'format_version.txt'), '');

    expect(await removeEmptyMutations(data)).toEqual([join(table, 'mutation_8.txt')]);
    expect(readdirSync(table).sort()).toEqual(['format_version.txt', 'mutation_7.txt']);
    rmSync(data, { recursive: true });
  });
});
