import { readFileSync } from 'node:fs';
import { fillPlaceholders, KINDS, substitute, type Names } from '../support/wire-template.js';

const ID = '0197a3b2-0000-7000-8000-000000000001';

/** Compares as the wire spec does. */
function compare(expected: unknown, actual: unknown, names: Names = new Map()): void {
  expect(actual).toEqual(fillPlaceholders(expected, actual, names));
}

describe('a placeholder', () => {
  it('accepts any value of its kind', () => {
    compare({ id: '<uuid7>', list: ['<digest>'] }, { id: ID, list: ['a'.repeat(43)] });
  });

  it.each([
    ['another kind of value', '<timestamp>', ID],
    ['an unknown kind', '<colour>', 'red'],
    ['a number', '<uuid>', 7],
    ['null', '<uuid>', null],
    ['an object', '<sentence>', { reason: 'It is a sentence.' }],
  ])('refuses %s', (_, expected, actual) => {
    expect(() => compare({ value: expected }, { value: actual })).toThrow('toEqual');
  });

  it('is documented for each kind', () => {
    const text = readFileSync(new URL('../wire/README.md', import.meta.url), 'utf8');
    const documented = [...text.matchAll(/^\| `<([\w-]+)>`/gm)].map(([, kind]) => kind);
    expect(documented.sort()).toEqual(Object.keys(KINDS).sort());
  });

  it('captures the value under its name, for later steps', () => {
    const names: Names = new Map();
    compare({ id: '<uuid7 as call>' }, { id: ID }, names);
    expect(substitute({ 'id-${call}': ['x/${call}', 1, null] }, names)).toEqual({
      [`id-${ID}`]: [`x/${ID}`, 1, null],
    });
  });

  it('captures nothing when the value does not fit', () => {
    const names: Names = new Map();
    fillPlaceholders('<uuid7 as call>', 'call-1', names);
    expect(() => substitute('${call}', names)).toThrow('"call"');
  });
});

describe('a golden response', () => {
  const golden = { id: '<uuid7>', call: { tags: ['a', 'b'], output: null } };
  const actual = { id: ID, call: { tags: ['a', 'b'], output: null } };

  it('equals the response it describes', () => {
    compare(golden, actual);
  });

  it.each([
    ['has a field more', { ...actual, more: 1 }],
    ['has a field more inside', { ...actual, call: { ...actual.call, more: null } }],
    ['lacks a field', { id: ID }],
    ['lacks a field that was null', { ...actual, call: { tags: ['a', 'b'] } }],
    ['has an item more', { ...actual, call: { tags: ['a', 'b', 'c'], output: null } }],
    ['lacks an item', { ...actual, call: { tags: ['a'], output: null } }],
    ['has its items in another order', { ...actual, call: { tags: ['b', 'a'], output: null } }],
    ['has a value of another type', { ...actual, call: { tags: ['a', 'b'], output: '' } }],
    ['is a list', [actual]],
    ['is null', null],
  ])('differs from a response that %s', (_, changed) => {
    expect(() => compare(golden, changed)).toThrow('toEqual');
  });
});
