import fc from 'fast-check';
import { and, bind, join, Lookup, raw, sql } from './sql.js';

describe('SQL', () => {
  it('carries a value as a parameter of its type', () => {
    expect(sql`SELECT ${bind('String', "a'b")}`.render()).toEqual({
      query: 'SELECT {p0:String}',
      query_params: { p0: "a'b" },
    });
  });

  it('composes, and numbers the values of all fragments in text order, each once', () => {
    const piece = sql`a = ${bind('UInt64', 1)}`;
    const where = and([piece, sql`b IN ${bind('Array(String)', ['x'])}`, piece]);

    expect(
      sql`SELECT ${raw('c')} FROM t WHERE ${where} LIMIT ${bind('UInt64', 9)}`.render(),
    ).toEqual({
      query:
        'SELECT c FROM t WHERE a = {p0:UInt64} AND b IN {p1:Array(String)} AND a = {p0:UInt64} LIMIT {p2:UInt64}',
      query_params: { p0: 1, p1: ['x'], p2: 9 },
    });
  });

  it('renders the same every time', () => {
    const statement = sql`SELECT ${bind('String', 'x')}`;

    expect(statement.render()).toEqual(statement.render());
  });

  it('leaves out empty conditions, and is true without any condition', () => {
    expect(and([undefined, false, null, sql`a`, undefined, sql`b`]).render().query).toBe('a AND b');
    expect(and([undefined]).render().query).toBe('true');
    expect(join([], ', ').render().query).toBe('');
  });

  it('never contains a value in its text', () => {
    const statement = (values: readonly unknown[]) =>
      sql`SELECT * FROM t WHERE ${join(
        values.map((value) => sql`x = ${bind('String', value)}`),
        ' OR ',
      )}`.render();

    fc.assert(
      fc.property(fc.array(fc.anything(), { minLength: 1, maxLength: 5 }), (values) => {
        const { query, query_params } = statement(values);
        expect(query).toBe(statement(values.map(() => '')).query);
        expect(Object.values(query_params)).toEqual(values);
      }),
    );
  });

  it('renders a lookup as a subquery until it is resolved, then as a parameter', () => {
    const ids = new Lookup(
      'String',
      sql`SELECT id FROM others WHERE kind = ${bind('String', 'k')}`,
    );
    const both = sql`a IN ${ids} OR b IN ${ids}`;

    expect(both.render().query).toBe(
      'a IN (SELECT id FROM others WHERE kind = {p0:String}) OR b IN (SELECT id FROM others WHERE kind = {p0:String})',
    );
    ids.resolve(['x', "'y"]);
    expect(both.render()).toEqual({
      query: 'a IN {p0:Array(String)} OR b IN {p0:Array(String)}',
      query_params: { p0: ['x', "'y"] },
    });
  });
});
