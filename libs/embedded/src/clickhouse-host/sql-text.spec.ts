import fc from 'fast-check';
import { blankProse, identifier, stringLiteral } from './sql-text.js';

describe('blanking prose out of SQL', () => {
  it.each([
    ["SELECT 'a;b' AS x", "SELECT ' ' AS x"],
    ['SELECT "a;b", `c;d`', 'SELECT " ", ` `'],
    ["SELECT 'it''s; \\'x;' ; y", "SELECT ' '' ' ; y"],
    ['SELECT 1 -- a;b\n, 2', 'SELECT 1 , 2'],
    ['SELECT 1 // a;b\n, 2', 'SELECT 1 , 2'],
    ['SELECT 1 # a;b', 'SELECT 1 '],
    ['SELECT /* a /* b; */ c; */ 1', 'SELECT 1'],
    ['SELECT $x$ a; $ b $x$ ;', 'SELECT $ $ ;'],
    ['SELECT ‘a;b’, “c;d” ;', 'SELECT ‘ ’, “ ” ;'],
    ["SELECT 'never closed;", "SELECT ' ;"],
  ])('%s', (sql, code) => {
    expect(blankProse(sql).replace(/ +/g, ' ')).toBe(code);
  });

  it('keeps every position, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (sql) => blankProse(sql).length === sql.length));
  });

  it('sees the end of a literal where it is, whatever the value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const literal = stringLiteral(value);
        const blank = `'${' '.repeat(literal.length - 2)}'`;
        expect(blankProse(`SELECT ${literal}, 1`)).toBe(`SELECT ${blank}, 1`);
      }),
    );
  });

  it('lets no name out of its quotes', () => {
    expect(identifier('a`b\\c')).toBe('`a\\`b\\\\c`');
  });
});
