import { ExprError } from './expr-error.js';
import { DEPTH_MAX, NODES_MAX, parseQuery } from './parse-expr.js';

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const query = (expr: unknown) => ({ $expr: expr });

function refusalOf(value: unknown): { refusal: string; at: string } {
  try {
    parseQuery(value);
  } catch (error) {
    if (error instanceof ExprError) return { refusal: error.refusal, at: error.at.join('.') };
    throw error;
  }
  throw new Error('The query was accepted.');
}

describe('a query', () => {
  it('becomes a tree whose nodes have their path in the request', () => {
    const tree = parseQuery(query({ $and: [{ $eq: [field('inputs.a'), literal(1)] }] }));

    expect(tree).toMatchObject({
      kind: 'all',
      of: [{ kind: 'compare', by: 'eq', left: { kind: 'field', path: 'inputs.a' } }],
    });
    expect(tree).toHaveProperty('of.0.right.at', [
      'query',
      '$expr',
      '$and',
      0,
      '$eq',
      1,
      '$literal',
    ]);
  });

  it('accepts any operand inside a logical operator, and a list as one literal', () => {
    expect(parseQuery(query({ $and: [literal(true), field('a')] }))).toMatchObject({
      of: [{ kind: 'literal', value: true }, { kind: 'field' }],
    });
    expect(parseQuery(query({ $in: [field('a'), literal([1, 2])] }))).toMatchObject({
      list: [
        { kind: 'literal', value: 1 },
        { kind: 'literal', value: 2 },
      ],
    });
  });

  it('has a maximum number of nodes, and names the first one too many', () => {
    const many = (count: number) =>
      query({ $and: Array.from({ length: count }, () => field('a')) });
    const listed = Array.from({ length: 1000 }, () => literal('x'));

    expect(parseQuery(many(NODES_MAX - 1))).toHaveProperty('of.length', NODES_MAX - 1);
    expect(parseQuery(query({ $in: [field('a'), listed] }))).toHaveProperty('list.length', 1000);
    expect(refusalOf(many(NODES_MAX))).toEqual({
      refusal: 'value',
      at: `query.$expr.$and.${NODES_MAX - 1}.$getField`,
    });
  });

  it.each([
    ['a number instead of an object', 7, 'shape', 'query'],
    ['another key beside $expr', { $expr: {}, other: 1 }, 'shape', 'query'],
    ['another key', { expr: {} }, 'shape', 'query.expr'],
    ['a bare literal at the top', query(literal(1)), 'shape', 'query.$expr'],
    ['a bare field at the top', query(field('id')), 'shape', 'query.$expr'],
    ['an unknown operator', query({ $ne: [1, 2] }), 'shape', 'query.$expr.$ne'],
    ['an inherited name', query({ constructor: [] }), 'shape', 'query.$expr.constructor'],
    ['an empty $and', query({ $and: [] }), 'value', 'query.$expr.$and'],
    [
      'three operands',
      query({ $eq: [literal(1), literal(1), literal(1)] }),
      'shape',
      'query.$expr.$eq',
    ],
    [
      'two operands of $not',
      query({ $not: [literal(1), literal(1)] }),
      'shape',
      'query.$expr.$not',
    ],
    ['an operand without operator', query({ $eq: [1, literal(1)] }), 'shape', 'query.$expr.$eq.0'],
    ['a value instead of a list', query({ $in: [field('a'), 'x'] }), 'shape', 'query.$expr.$in.1'],
    [
      'too many values',
      query({ $in: [field('a'), Array.from({ length: 1001 }, () => literal(1))] }),
      'value',
      'query.$expr.$in.1',
    ],
    [
      'a field that is not a string',
      query({ $eq: [{ $getField: 1 }, literal(1)] }),
      'shape',
      'query.$expr.$eq.0.$getField',
    ],
    [
      'an unknown conversion',
      query({ $eq: [{ $convert: { input: field('a'), to: 'date' } }, literal(1)] }),
      'shape',
      'query.$expr.$eq.0.$convert.to',
    ],
    [
      'an unknown key of $contains',
      query({ $contains: { input: field('a'), substr: literal('x'), regex: true } }),
      'shape',
      'query.$expr.$contains.regex',
    ],
  ])('is refused with %s, and the error has its path', (_, value, refusal, at) => {
    expect(refusalOf(value)).toEqual({ refusal, at });
  });

  it('is refused when it is nested too deeply', () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? literal(true) : { $not: [nested(depth - 1)] };

    expect(parseQuery(query(nested(DEPTH_MAX - 1)))).toMatchObject({ kind: 'not' });
    expect(refusalOf(query(nested(DEPTH_MAX)))).toMatchObject({ refusal: 'depth' });
  });
});
