import { parseQuery } from '@app/query-language';
import { matches, valueAt } from './trial-filter.js';

const trial = { scores: { s: 0.5, ok: true, why: 'Because' }, inputs: { list: [1, 2] } };
const holds = ($expr: object) =>
  matches(parseQuery({ $expr }), (path) => valueAt(trial, path.split('.')));
const field = ($getField: string) => ({ $getField });
const literal = ($literal: unknown) => ({ $literal });

describe('a filter of trials', () => {
  it.each([
    [{ $eq: [field('scores.ok'), literal(true)] }, true],
    [{ $gt: [field('scores.s'), literal(0.4)] }, true],
    [{ $lte: [field('scores.s'), literal(0.4)] }, false],
    [{ $in: [field('scores.s'), [literal(1), literal(0.5)]] }, true],
    [{ $contains: { input: field('scores.why'), substr: literal('cause') } }, true],
    [{ $contains: { input: field('scores.why'), substr: literal('BECAUSE') } }, false],
    [
      {
        $contains: {
          input: field('scores.why'),
          substr: literal('BECAUSE'),
          case_insensitive: true,
        },
      },
      true,
    ],
    [{ $eq: [{ $convert: { input: field('scores.s'), to: 'string' } }, literal('0.5')] }, true],
    [{ $eq: [field('inputs.list.1'), literal(2)] }, true],
    [{ $eq: [field('scores.none'), literal(null)] }, true],
  ])('%j is %s', (expr, expected) => {
    expect(holds(expr)).toBe(expected);
  });

  it('is unknown for a value that is absent or of another type, and so is its opposite', () => {
    for (const operand of [field('scores.none'), field('scores.why'), field('inputs.list.9')]) {
      const expr = { $gt: [operand, literal(1)] };
      expect(holds(expr)).toBeUndefined();
      expect(holds({ $not: [expr] })).toBeUndefined();
      expect(holds({ $or: [expr, { $eq: [field('scores.ok'), literal(true)] }] })).toBe(true);
      expect(holds({ $and: [expr, { $eq: [field('scores.ok'), literal(false)] }] })).toBe(false);
    }
  });

  it('reads no members that an object only inherits', () => {
    expect(valueAt({}, ['constructor'])).toBeUndefined();
    expect(valueAt([], ['length'])).toBeUndefined();
  });
});
