import fc from 'fast-check';
import { raw } from '@app/clickhouse';
import { malformed } from '../../../test/support/malformed-queries.js';
import { compileExpr } from './compile-expr.js';
import { ExprError, type Place } from './expr-error.js';
import { column, textColumn, timeColumn, type FieldMap } from './field-map.js';
import { JsonLeaves } from './json-leaves.js';
import { JsonText } from './json-text.js';
import { parseQuery } from './parse-expr.js';
import { parsePath } from './parse-path.js';

/** A field map other than that of calls. */
const FEEDBACK: FieldMap = {
  field(path: string, at: Place) {
    if (path === 'feedback_type') return textColumn('feedback_type');
    if (path === 'created_at') return timeColumn('created_at');
    if (path === 'id') return column('text', 'id');
    const [name, ...keys] = parsePath(path, at);
    if (name === 'payload') return new JsonText(raw('payload'), keys);
    if (name === 'inputs') return new JsonLeaves('inputs', keys);
    throw new ExprError('value', at, 'unknown field');
  },
};

const compiled = (expr: unknown) => compileExpr(parseQuery({ $expr: expr }), FEEDBACK).render();
const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

describe('a compiled query', () => {
  it('is a condition with bound values', () => {
    expect(compiled({ $eq: [field('feedback_type'), literal('note')] })).toEqual({
      query: "((feedback_type = {p0:String}) AND NOT (feedback_type = ''))",
      query_params: { p0: 'note' },
    });
  });

  it('compiles equality with null to a test for a value', () => {
    const isNull = { $eq: [field('created_at'), literal(null)] };

    expect(compiled({ $not: [isNull] }).query).toBe(
      "(NOT (created_at = toDateTime64(0, 6, 'UTC')))",
    );
    expect(compiled({ $gt: [field('created_at'), literal(null)] }).query).toBe('false');
  });

  it('reads a date as a time, and refuses an invalid date', () => {
    const after = (time: unknown) => ({ $gte: [field('created_at'), literal(time)] });

    expect(compiled(after('2026-03-01')).query_params).toEqual({ p0: 1772323200000000 });
    expect(compiled(after(1772323200.5)).query_params).toEqual({ p0: 1772323200500000 });
    expect(() => compiled(after('yesterday'))).toThrow(/not a time/);
  });

  it.each([
    [{ $eq: [field('feedback_type'), literal(5)] }, /text cannot be compared with a number/],
    [{ $gt: [field('created_at'), field('payload.a')] }, /cannot be compared with a time/],
    [{ $contains: { input: field('created_at'), substr: literal('x') } }, /must be text or a list/],
    [{ $eq: [{ $size: field('created_at') }, literal(1)] }, /has no size/],
  ])('refuses a comparison without a meaning: %j', (expr, sentence) => {
    expect(() => compiled(expr)).toThrow(sentence);
  });

  it('searches once for a value that a list contains twice', () => {
    const list = (...values: unknown[]) => ({ $in: [field('inputs.a'), values.map(literal)] });

    expect(compiled(list(true, false, true, true)).query).toBe(compiled(list(true, false)).query);
    expect(compiled(list('a', 'b', 'a')).query_params).toEqual(
      compiled(list('a', 'b')).query_params,
    );
  });

  it('has the same SQL text for all values and keys of a request', () => {
    const shape = (key: string, value: string, part: string) =>
      compiled({
        $and: [
          { $eq: [field(`inputs.${key.replace(/[.\\]/g, '\\$&')}`), literal(value)] },
          { $contains: { input: field('feedback_type'), substr: literal(part) } },
          { $in: [field('id'), [literal(value), literal(part)]] },
        ],
      }).query;
    const plain = fc
      .string({ unit: 'grapheme' })
      .map((text) => `k${text.replace(/["\\/\p{Cc}]/gu, '')}`);

    fc.assert(
      fc.property(plain, fc.string(), fc.string(), (key, value, part) => {
        const usual = /^[\x20-\x7e]*$/.test(key)
          ? shape('key', 'text', 'part')
          : shape('ключ', 'text', 'part');
        expect(shape(key, `v${value}`, part)).toBe(usual);
      }),
    );
  });

  it('never contains a part of the request in its SQL text', () => {
    const marked = fc.string().map((text) => `zq${text}`);
    fc.assert(
      fc.property(marked, marked, (key, value) => {
        const path = `inputs.${key.replace(/[.\\]/g, '\\$&')}`;
        for (const expr of [
          { $eq: [field(path), literal(value)] },
          { $gt: [field(path), literal(value)] },
          { $eq: [{ $convert: { input: field(path), to: 'int' } }, { $size: field(path) }] },
          { $contains: { input: field(path), substr: literal(value), case_insensitive: true } },
        ]) {
          expect(compiled(expr).query).not.toContain('zq');
        }
      }),
    );
  });
});

describe('malformed queries', () => {
  it('are either compiled or refused with a path', () => {
    fc.assert(
      fc.property(malformed, ($expr) => {
        try {
          compileExpr(parseQuery({ $expr }), FEEDBACK).render();
        } catch (error) {
          expect(error).toBeInstanceOf(ExprError);
          expect((error as ExprError).at[0]).toBe('query');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
