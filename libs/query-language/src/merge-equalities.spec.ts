import { mergeEqualities } from './merge-equalities.js';
import { parseQuery } from './parse-expr.js';

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const eq = (path: string, value: unknown) => ({ $eq: [field(path), literal(value)] });
const not = (expr: unknown) => ({ $not: [expr] });

/** The same tree without places. */
const tree = (expr: unknown): unknown => withoutPlaces(parseQuery({ $expr: expr }));
const mergedTree = (expr: unknown): unknown =>
  withoutPlaces(mergeEqualities(parseQuery({ $expr: expr })));
const withoutPlaces = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === 'at' ? undefined : one)));

describe('equalities of one operand', () => {
  it('become one list, in the place of the first of them', () => {
    const $or = [eq('a', 1), eq('b', 2), { $eq: [literal('x'), field('a')] }, eq('a', true)];

    expect(mergedTree({ $or })).toEqual(
      tree({ $or: [{ $in: [field('a'), [1, 'x', true].map(literal)] }, eq('b', 2)] }),
    );
  });

  it('become the negation of a list when none of them may hold', () => {
    expect(
      mergedTree({ $and: [not(eq('a', 1)), not(eq('a', 2)), eq('a', 3), eq('a', 4)] }),
    ).toEqual(
      tree({ $and: [not({ $in: [field('a'), [1, 2].map(literal)] }), eq('a', 3), eq('a', 4)] }),
    );
  });

  it('are merged at every depth, and where the operand is converted', () => {
    const number = { $convert: { input: field('a'), to: 'double' } };
    const text = { $convert: { input: field('a'), to: 'string' } };
    const either = (...of: unknown[]) => ({ $or: of.map((one) => ({ $eq: [one, literal(1)] })) });

    expect(mergedTree({ $and: [not(either(number, number)), eq('b', 1)] })).toEqual(
      tree({ $and: [not({ $or: [{ $in: [number, [literal(1), literal(1)]] }] }), eq('b', 1)] }),
    );
    expect(mergedTree(either(number, text))).toEqual(tree(either(number, text)));
  });

  it.each([
    ['with null', { $or: [eq('a', null), eq('a', 1)] }],
    ['of different fields', { $or: [eq('a', 1), eq('b', 1)] }],
    ['of which all must hold', { $and: [eq('a', 1), eq('a', 2)] }],
    ['with another field', { $or: [1, 2].map(() => ({ $eq: [field('a'), field('b')] })) }],
    [
      'with a converted literal',
      {
        $or: [1, 2].map((n) => ({
          $eq: [{ $convert: { input: literal(null), to: 'string' } }, literal(n)],
        })),
      },
    ],
    ['between literals', { $or: [1, 2].map(() => ({ $eq: [literal(1), literal(1)] })) }],
    ['that are other comparisons', { $or: [1, 2].map((n) => ({ $gt: [field('a'), literal(n)] })) }],
  ])('are not merged %s', (_, expr) => {
    expect(mergedTree(expr)).toEqual(tree(expr));
  });

  it('keep the places of their operands', () => {
    const merged = mergeEqualities(
      parseQuery({ $expr: { $or: [eq('b', 0), eq('a', 1), eq('a', 2)] } }),
    );

    expect(merged).toHaveProperty('of.1.list.1.at', [
      'query',
      '$expr',
      '$or',
      2,
      '$eq',
      1,
      '$literal',
    ]);
  });
});
