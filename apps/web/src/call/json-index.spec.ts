import fc from 'fast-check';
import {
  membersOf,
  nodeAt,
  nodeOfPath,
  pathText,
  rowsOf,
  stringOf,
  type JsonNode,
} from './json-index.js';

/** The value of a node, by the index alone. */
function valueOf(text: string, node: JsonNode): unknown {
  if (node.kind === 'array') return membersOf(text, node).map((one) => valueOf(text, one.node));
  if (node.kind === 'object') {
    return Object.fromEntries(
      membersOf(text, node).map(({ key, node: inner }) => [key, valueOf(text, inner)]),
    );
  }
  if (node.kind === 'string') return stringOf(text, node);
  return JSON.parse(text.slice(node.start, node.end));
}

describe('the index of a JSON text', () => {
  it('finds the same value as a parser, with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const expected: unknown = JSON.parse(text);

        expect(valueOf(text, nodeAt(text, 0)!)).toEqual(expected);
      }),
    );
  });

  it('keeps every digit of a number', () => {
    const text = '{"n": 1234567890123456789012345678901234567890.10}';

    const { start, end } = nodeOfPath(text, ['n'])!;

    expect(text.slice(start, end)).toBe('1234567890123456789012345678901234567890.10');
  });

  it('reads what is there of a text that is cut anywhere', () => {
    const whole = JSON.stringify({ a: [1, 'two\n"', { b: null }], c: 'é\u0001' });
    for (let length = 1; length < whole.length; length++) {
      const text = whole.slice(0, length);
      const rows = rowsOf(text, () => true);

      expect(rows[0]!.node.isCut).toBe(true);
      for (const { node } of rows) if (node.kind === 'string') stringOf(text, node);
    }
  });

  it('escapes dots in the keys of a path', () => {
    expect(pathText(['inputs', 'gpt-4.1', '0'])).toBe('inputs.gpt-4\\.1.0');
  });

  it('makes rows of open containers only', () => {
    const text = '{"a": {"b": 1}, "c": [1, 2]}';

    const rows = rowsOf(text, (path) => path === '' || path === 'c');

    expect(rows.map(({ keys, depth }) => [pathText(keys), depth])).toEqual([
      ['', 0],
      ['a', 1],
      ['c', 1],
      ['c.0', 2],
      ['c.1', 2],
    ]);
  });
});
