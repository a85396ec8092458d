import fc from 'fast-check';
import { opNamed, type Expr } from './filter-expr.js';
import { FilterError, parseFilter } from './parse-filter.js';
import { printFilter } from './print-filter.js';

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

const path = fc.constantFrom(
  'op_name',
  'summary.weave.status',
  'summary.weave.latency_ms',
  'inputs.messages.0.content',
  'inputs',
  'output',
  'not',
  'status',
  'feedback.[wandb.reaction.1].payload.emoji',
  'a b',
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('gpt-4', 'null', 'and', '2s', '', 'weave:///a/b/op/c:d'),
);
const plain = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  fc.integer({ min: 0, max: 100 }).map((n) => n * 500),
  fc.boolean(),
  fc.constant(null),
);
const { expr } = fc.letrec<{ expr: Expr }>((tie) => ({
  expr: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .tuple(fc.constantFrom('$eq', '$gt', '$gte', '$lt', '$lte'), path, plain)
      .map(([op, p, v]) => ({
        [op]: [field(p), literal(v)],
      })),
    fc.tuple(path, fc.array(plain, { maxLength: 3 })).map(([p, values]) => ({
      $in: [field(p), values.map(literal)],
    })),
    fc.tuple(path, text, fc.constantFrom(true, false, undefined)).map(([p, t, ignoresCase]) => ({
      $contains: {
        input: field(p),
        substr: literal(t),
        ...(ignoresCase === undefined ? {} : { case_insensitive: ignoresCase }),
      },
    })),
    text.map(opNamed),
    path.map((p) => ({ $eq: [{ $convert: { input: field(p), to: 'int' } }, { $size: field(p) }] })),
    fc
      .tuple(fc.constantFrom('$and', '$or'), fc.array(tie('expr'), { maxLength: 3 }))
      .map(([op, parts]): Expr => ({ [op]: parts })),
    tie('expr').map((inner): Expr => ({ $not: [inner] })),
  ),
}));

describe('the text of a filter', () => {
  it('means the same expression after printing and parsing, whatever the expression is', () => {
    fc.assert(
      fc.property(expr, (original) => {
        expect(parseFilter(printFilter(original))).toEqual(original);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads like a sentence', () => {
    const filter =
      'status = error and latency > 2s and inputs.model ~ "gpt-4" and op in (a, b) and user != ann and "refund"';

    const parsed = parseFilter(filter)!;

    expect(parsed).toEqual({
      $and: [
        { $eq: [field('summary.weave.status'), literal('error')] },
        { $gt: [field('summary.weave.latency_ms'), literal(2000)] },
        {
          $contains: {
            input: field('inputs.model'),
            substr: literal('gpt-4'),
            case_insensitive: true,
          },
        },
        { $or: [opNamed('a'), opNamed('b')] },
        { $not: [{ $eq: [field('wb_user_id'), literal('ann')] }] },
        {
          $or: ['inputs', 'output'].map((place) => ({
            $contains: { input: field(place), substr: literal('refund'), case_insensitive: true },
          })),
        },
      ],
    });
    expect(printFilter(parsed)).toBe(filter);
  });

  it('finds an op by its name in every version, and by its ref in one', () => {
    const ref = 'weave:///acme/demo/op/agent.run:abc';

    expect(parseFilter('op = agent.run')).toEqual({
      $or: [
        { $eq: [field('op_name'), literal('agent.run')] },
        { $contains: { input: field('op_name'), substr: literal('/op/agent.run:') } },
      ],
    });
    expect(parseFilter(`op = ${ref}`)).toEqual({ $eq: [field('op_name'), literal(ref)] });
    expect(parseFilter('op_name in (a)')).toEqual({ $in: [field('op_name'), [literal('a')]] });
    for (const filter of [
      'op = agent.run',
      'op != a and op in (b, c)',
      'op_name = a',
      `op = ${ref}`,
    ])
      expect(printFilter(parseFilter(filter)!)).toBe(filter);
  });

  it('keeps an expression that it cannot say as JSON', () => {
    const odd = { $eq: [field('inputs.a'), field('inputs.b')] };

    expect(printFilter({ $and: [odd, { $gt: [field('wb_run_step'), literal(3)] }] })).toBe(
      '{"$eq":[{"$getField":"inputs.a"},{"$getField":"inputs.b"}]} and wb_run_step > 3',
    );
  });

  it('is no filter when it is empty', () => {
    expect(parseFilter('  ')).toBeUndefined();
  });

  it.each([
    ['status =', 8, /value is expected/],
    ['status error', 7, /comparison is expected/],
    ['status = error latency > 2', 15, /"and" or "or" is missing/],
    ['op = "a', 5, /no closing quote/],
    ['(op = a', 7, /\) is expected/],
    ['op = a and', 10, /field or a quoted text/],
    ['op = a ; b', 7, /no meaning/],
    ['{"$eq": ', 0, /not closed/],
    ['{nonsense}', 0, /not JSON/],
    ['('.repeat(70), 60, /too deeply/],
  ])('names the place of a mistake: %s', (filter, at, sentence) => {
    expect(() => parseFilter(filter)).toThrow(sentence);
    try {
      parseFilter(filter);
    } catch (error) {
      expect((error as FilterError).at).toBe(at);
    }
  });

  it('accepts or refuses any text, and never fails otherwise', () => {
    fc.assert(
      fc.property(fc.string(), (any) => {
        try {
          parseFilter(any);
        } catch (error) {
          expect(error).toBeInstanceOf(FilterError);
        }
      }),
    );
  });
});
