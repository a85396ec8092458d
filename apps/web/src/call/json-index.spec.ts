import fc from 'fast-check';
import {
  membersOf,
  nodeAt,
  nodeOfPath,
  keysOfPath,
  pathText,
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

  it('escapes dots in the keys of a path', () => {
    expect(pathText(['inputs', 'gpt-4.1', '0'])).toBe('inputs.gpt-4\\.1.0');
  });

  it('reads the keys of a path back, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (keys) => {
        expect(keysOfPath(pathText(keys))).toEqual(keys);
      }),
    );
  });
});
