import { raw } from '@app/clickhouse';
import { column, type FieldMap } from './field-map.js';
import { JsonText } from './json-text.js';
import { parseQuery } from './parse-expr.js';
import { PAYLOAD_USES_MAX, payloadUses, requireFewPayloads } from './payload-uses.js';

const FIELDS: FieldMap = {
  field: (path) => (path === 'id' ? column('text', 'id') : new JsonText(raw('inputs'), [path])),
};
const field = ($getField: string) => ({ $getField });
const literal = ($literal: unknown) => ({ $literal });
const equal = (path: string) => ({ $eq: [field(path), literal('x')] });

const usesOf = ($expr: object, sort: readonly string[] = []) =>
  payloadUses(
    {
      expr: parseQuery({ $expr }),
      sortBy: sort.map((path, i) => ({ path, at: ['sort_by', i, 'field'] })),
    },
    FIELDS,
  );

describe('the uses of payloads', () => {
  it('are counted in conditions, and not those of columns', () => {
    const $and = ['id', 'a', 'b', 'a'].map(equal);

    expect(usesOf({ $and })).toBe(3);
    expect(usesOf({ $not: [{ $eq: [field('a'), { $size: field('b') }] }] })).toBe(2);
    expect(usesOf({ $contains: { input: field('a'), substr: literal('x') } })).toBe(1);
  });

  it('are counted once for the literals of each kind in a list, and for each other value', () => {
    const literals = Array.from({ length: 1000 }, (_, i) => literal(i));
    const mixed = ['x', 'y', 1, 2, true, true, false, null].map(literal);

    expect(usesOf({ $in: [field('a'), literals] })).toBe(1);
    expect(usesOf({ $in: [field('a'), mixed] })).toBe(4);
    expect(usesOf({ $in: [field('a'), []] })).toBe(1);
    expect(usesOf({ $in: [field('a'), [field('id'), field('b'), literal(1)]] })).toBe(4);
  });

  it('are three for a payload to sort by', () => {
    expect(usesOf(equal('id'), ['a', 'id', 'b'])).toBe(6);
  });

  it('have a maximum, which the refusal names', () => {
    expect(() => requireFewPayloads(PAYLOAD_USES_MAX)).not.toThrow();
    expect(() => requireFewPayloads(PAYLOAD_USES_MAX + 1)).toThrow(
      'reads fields of payloads 25 times where the text of a payload decides; at most 24 times',
    );
  });
});
