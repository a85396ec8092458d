import fc from 'fast-check';
import { bind, join, raw, sql, tabSeparated } from '@app/clickhouse';
import { JsonText, QuickJsonText, type Undecided } from '@app/query-language';
import { openStore } from '../support/store.js';

const store = openStore();
afterAll(() => store.close());

const VALUE = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '👎',
    'é',
    '',
    'x',
    null,
    true,
    5,
    { v: 'y' },
    ['x'],
    '\uD83D',
    '\\u0076',
    '"v":"z"',
  ),
);

/** As JSON.stringify, with escapes for all characters from this one on: Python escapes whatever is not ASCII. */
function printed(value: unknown, from: number): string {
  if (Array.isArray(value)) return `[${value.map((one) => printed(one, from)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    return `{${members.map(([key, one]) => `${printed(key, from)}:${printed(one, from)}`).join(',')}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  return JSON.stringify(value).replace(/\\u[0-9a-f]{4}|\\.|[^"]/gsu, (char) =>
    char.startsWith('\\') || char.charCodeAt(0) < from
      ? char
      : [...Array(char.length).keys()]
          .map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/** A JSON text, and what it has at `p.v`: the last of repeated keys. */
const DOCUMENT = fc
  .record({
    v: VALUE,
    first: fc.option(VALUE, { freq: 1 }),
    from: fc.constantFrom(0x20, 0x80, 0x100, 0x10000),
    a: fc.constantFrom('v', 'w'),
  })
  .map(({ v, first, from, a }) => {
    const member = (value: unknown) => `${printed('v', from)}:${printed(value, from)}`;
    const before = first === null ? '' : `${member(first)},`;
    const json = `{"a":"${a}","p":{${before}${member(v)}}}`;
    // A lone surrogate has no UTF-8.
    const text = typeof v === 'string' ? v.toWellFormed() : v === null ? '' : printed(v, from);
    return { json, text };
  });

it('reads a path of a JSON text as JSON.parse does, and quickly or not at all', async () => {
  const documents = fc.sample(DOCUMENT, 3000);
  const undecided: Undecided[] = [];
  const path = ['p', 'v'];
  const quick = new QuickJsonText(raw('json'), path, undecided);
  const columns = [new JsonText(raw('json'), path).text(), quick.text(), quick.exists()];
  const isUndecided = join(
    undecided.map(({ rows }) => sql`(${rows})`),
    ' OR ',
  );
  const texts = bind(
    'Array(String)',
    documents.map(({ json }) => json),
  );
  const [exact, fast, exists] = columns;
  const rows = await store.rows<{ exact: string; fast: string; has: boolean; open: number }>(
    sql`SELECT ${exact!} AS exact, ${fast!} AS fast, toBool(${exists!}) AS has, ${isUndecided} AS open
      FROM (SELECT arrayJoin(${texts}) AS json)`,
  );

  const decidedRows = rows.filter(({ open }) => !open);
  expect(
    rows.flatMap(({ exact }, i) =>
      exact === documents[i]!.text ? [] : [{ exact, ...documents[i]! }],
    ),
  ).toEqual([]);
  expect(decidedRows.map(({ fast }) => fast)).toEqual(decidedRows.map(({ exact }) => exact));
  expect(decidedRows.length).toBeGreaterThan(100);
  expect(decidedRows.every(({ has }) => has)).toBe(true);
});

it('reads texts that are separated by tabs as they are stored', async () => {
  const texts = fc.sample(fc.string({ unit: 'binary' }), 2000).map((text) => text.toWellFormed());
  texts.push("it's", '\\N', '\\', '\\\\', "\\'", '\t\n\r\0\b\f\v\x1b', '\r\n__exception__\r\n');
  const decode = tabSeparated<{ text: string; at: number }>([
    ['text', 'text'],
    ['at', 'number'],
  ]);
  const statement = sql`SELECT text, toInt64(at) FROM (SELECT ${bind('Array(String)', texts)} AS all)
    ARRAY JOIN all AS text, arrayEnumerate(all) AS at ORDER BY at`;

  const read: { text: string; at: number }[] = [];
  for await (const rows of store.stream(statement, {}, undefined, undefined, decode))
    read.push(...rows);

  expect(read).toEqual(texts.map((text, i) => ({ text, at: i + 1 })));
});
