import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefinitionCopies } from './definition-copies.js';
import { repairEmptyFiles } from './empty-definitions.js';

const DATABASE = '8c8e3ab7-38d6-4436-ac33-8c2ca7b1ead7';
const CALLS = '1f0e3ab7-38d6-4436-ac33-8c2ca7b1ead7';
const REBUILT = '2a0e3ab7-38d6-4436-ac33-8c2ca7b1ead7';

let root: string;
let data: string;
let copies: DefinitionCopies;

const inStore = (uuid: string) => join(data, 'store', uuid.slice(0, 3), uuid);
const definition = (uuid: string, more = '') =>
  `ATTACH TABLE _ UUID '${uuid}'\n(\n    \`id\` String${more}\n)\n`;
const fileOf = (table: string) => join(inStore(DATABASE), `${table}.sql`);
const define = (table: string, text: string) => writeFileSync(fileOf(table), text);
const repair = () => repairEmptyFiles(data, copies);

function addTable(uuid: string): void {
  mkdirSync(inStore(uuid), { recursive: true });
  writeFileSync(join(inStore(uuid), 'format_version.txt'), '1');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'heddle-definitions-'));
  data = join(root, 'data');
  mkdirSync(join(data, 'metadata'), { recursive: true });
  mkdirSync(join(data, 'metadata_dropped'));
  mkdirSync(inStore(DATABASE), { recursive: true });
  symlinkSync(inStore(DATABASE), join(data, 'metadata', 'default'));
  writeFileSync(join(data, 'metadata', 'default.sql'), 'ATTACH DATABASE _');
  addTable(CALLS);
  define('calls', definition(CALLS));
  define('calls_rebuild_0123abcd', definition(REBUILT));
  copies = new DefinitionCopies(data);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('definitions of tables that a full disk has left empty', () => {
  it('are restored from the newest copy', async () => {
    await copies.update();
    define('calls', definition(CALLS, ',\n    `added` String'));
    await copies.update();
    define('calls', '');

    expect(await repair()).toEqual(['Restored definitions of tables from their copies: calls']);
    expect(readFileSync(fileOf('calls'), 'utf8')).toContain('`added` String');
    expect(readdirSync(inStore(DATABASE)).sort()).toEqual([
      'calls.sql',
      'calls_rebuild_0123abcd.sql',
    ]);
  });

  it('never replace their copy', async () => {
    await copies.update();
    define('calls', '');

    expect(await copies.update()).toEqual([]);
    expect(await repair()).toHaveLength(1);
  });

  it('are restored when only a part of them is left, which is not copied', async () => {
    await copies.update();
    define('calls', definition(CALLS).slice(0, 60));

    expect(await copies.update()).toEqual([]);
    expect(await repair()).toHaveLength(1);
    expect(readFileSync(fileOf('calls'), 'utf8')).toBe(definition(CALLS));
  });

  it('are copied as soon as they change', async () => {
    const errors: unknown[] = [];
    copies.keep((error) => errors.push(error));
    const copy = join(root, 'definitions', 'default.calls.sql');
    const copied = async (text: string) => {
      while (!existsSync(copy) || readFileSync(copy, 'utf8') !== text) await sleep(5);
    };
    await copied(definition(CALLS));
    const changed = definition(CALLS, ',\n    `added` String');
    const since = performance.now();
    define('calls', changed);
    await copied(changed);
    copies.stop();

    // Without a watch it is five seconds.
    expect(performance.now() - since).toBeLessThan(4000);
    expect(errors).toEqual([]);
  });

  it('stop the start when the copy is of data that was exchanged and dropped since', async () => {
    await copies.update();
    addTable(REBUILT);
    writeFileSync(join(data, 'metadata_dropped', `default.calls.${CALLS}.sql`), definition(CALLS));
    define('calls', '');

    await expect(repair()).rejects.toThrow(/no copy fits their data: \S+calls\.sql\. docs/);
    expect(readFileSync(fileOf('calls'), 'utf8')).toBe('');
  });

  it('stop the start when another table has the data of the copy, or when it is gone', async () => {
    await copies.update();
    define('calls', '');
    define('calls_before', definition(CALLS));
    await expect(repair()).rejects.toThrow(/no copy fits/);

    rmSync(fileOf('calls_before'));
    rmSync(inStore(CALLS), { recursive: true });
    await expect(repair()).rejects.toThrow(/no copy fits/);
  });

  it('stop the start without a copy, and nothing is removed', async () => {
    define('calls', '');
    define('usage_rebuild_0123abcd', '');

    await expect(repair()).rejects.toThrow(/no copy fits their data: \S+calls\.sql\. docs/);
    expect(existsSync(fileOf('usage_rebuild_0123abcd'))).toBe(true);
  });

  it('are removed when the tables were those of a rebuild', async () => {
    define('usage_rebuild_0123abcd', '');
    define('usage_rebuild_0123abcd_local', '');

    const [sentence] = await repair();
    expect(sentence).toMatch(/unfinished rebuilds .*: usage_rebuild_0123abcd/);
    expect(existsSync(fileOf('usage_rebuild_0123abcd'))).toBe(false);
    expect(existsSync(fileOf('usage_rebuild_0123abcd_local'))).toBe(false);
    expect(existsSync(fileOf('calls'))).toBe(true);
    expect(existsSync(fileOf('calls_rebuild_0123abcd'))).toBe(true);
  });

  it('are none in a new directory', async () => {
    const path = join(root, 'new', 'data');

    expect(await repairEmptyFiles(path, new DefinitionCopies(path))).toEqual([]);
  });
});

describe('copies of definitions', () => {
  it('are made of what has changed, and not of tables of a rebuild', async () => {
    expect(await copies.update()).toEqual(['default.calls.sql']);
    expect(await copies.update()).toEqual([]);
  });

  it('are removed with their tables', async () => {
    await copies.update();
    rmSync(fileOf('calls'));
    await copies.update();

    expect(readdirSync(join(root, 'definitions'))).toEqual([]);
  });
});

describe('mutations that a full disk has left empty', () => {
  it('are removed, and those with a text are kept', async () => {
    const table = inStore(CALLS);
    writeFileSync(join(table, 'mutation_7.txt'), 'format version: 1\n');
    writeFileSync(join(table, 'mutation_8.txt'), '');
    writeFileSync(join(table, 'detached.txt'), '');

    expect(await repair()).toEqual([
      `Removed mutations that a full disk has left empty: ${join(table, 'mutation_8.txt')}`,
    ]);
    expect(readdirSync(table).sort()).toEqual([
      'detached.txt',
      'format_version.txt',
      'mutation_7.txt',
    ]);
  });
});
