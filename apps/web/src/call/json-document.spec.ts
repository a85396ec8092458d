import { JsonDocument, type JsonRow } from './json-document.js';
import { pathText } from './json-index.js';

const closed = { openDepth: 0, toggled: [], selected: undefined };
const everything = { openDepth: Infinity, toggled: [], selected: undefined };
const paths = (rows: readonly JsonRow[]) => rows.map(({ keys }) => pathText(keys));

describe('the rows of a JSON text', () => {
  it('are those of open containers only', () => {
    const document = new JsonDocument('{"a": {"b": 1}, "c": [1, 2]}');

    expect(paths(document.rows(closed))).toEqual(['']);
    expect(paths(document.rows({ ...closed, toggled: ['', 'c'] }))).toEqual([
      '',
      'a',
      'c',
      'c.0',
      'c.1',
    ]);
    expect(paths(document.rows({ ...closed, selected: ['a', 'b'] }))).toEqual([
      '',
      'a',
      'a.b',
      'c',
    ]);
  });

  it('have what is there of a text that is cut anywhere', () => {
    const whole = JSON.stringify({ a: [1, 'two\n"', { b: null }], c: 'é\u0001' });
    for (let length = 1; length < whole.length; length++) {
      expect(new JsonDocument(whole.slice(0, length)).rows(everything)[0]!.isCut).toBe(true);
    }
  });

  it('show the beginning of a long string, and every digit of a number', () => {
    const number = '1234567890123456789012345678901234567890';
    const document = new JsonDocument(`{"long":"${'x'.repeat(5000)}","n":${number}}`);
    const [, long, n] = document.rows(everything);

    expect([long!.text.length, long!.isMore]).toEqual([600, true]);
    expect(n!.text).toBe(number);
    expect(document.value(['long'], Infinity)).toBe('x'.repeat(5000));
  });

  it('are a thousand of a container, around the value that is selected', () => {
    const document = new JsonDocument(JSON.stringify([...Array(2500).keys()]));
    const first = document.rows({ ...closed, openDepth: 1 });
    const last = document.rows({ ...closed, selected: ['2499'] });

    expect([first.length, first[0]!.before, first[0]!.hasAfter]).toEqual([1001, 0, true]);
    expect([last.length, last[0]!.before, last[0]!.hasAfter]).toEqual([501, 2000, false]);
    expect(last.at(-1)!.keys).toEqual(['2499']);
  });

  it('name the files that an SDK has stored beside the call', () => {
    const value = { _type: 'CustomWeaveType', weave_type: {}, files: { 'image.png': 'abc' } };
    const document = new JsonDocument(JSON.stringify({ image: value }));

    expect(document.rows({ ...closed, openDepth: 1 })[1]!.files).toEqual({ 'image.png': 'abc' });
  });
});

describe('a search in a JSON text', () => {
  const document = new JsonDocument(
    '{"a":[{"name":"x"},{"name":"Say \\"hi\\""}],"hit":1,"b":"hit"}',
  );
  const found = (query: string, nth = 0) => {
    const { total, keys } = document.search(query, nth);
    return [total, keys && pathText(keys)];
  };

  it('finds values and keys, whatever their case, one after the other', () => {
    expect(found('hi"')).toEqual([1, 'a.1.name']);
    expect(found('HIT')).toEqual([2, 'hit']);
    expect(found('hit', 1)).toEqual([2, 'b']);
    expect(found('hit', 2)).toEqual([2, 'hit']);
    expect(found('hit', -1)).toEqual([2, 'b']);
    expect(found('absent')).toEqual([0, undefined]);
  });

  it('finds the last of many', () => {
    const list = Array.from({ length: 3000 }, (_, n) => ({ n: `item ${n}.` }));
    expect(new JsonDocument(JSON.stringify(list)).search('item 2999.', 0).keys).toEqual([
      '2999',
      'n',
    ]);
  });
});
