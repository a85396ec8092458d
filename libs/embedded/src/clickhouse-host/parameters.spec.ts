import fc from 'fast-check';
import { bindParameters } from './parameters.js';
import { blankProse, stringLiteral } from './sql-text.js';

const bind = (sql: string, values: Record<string, string>) =>
  bindParameters(sql, new Map(Object.entries(values)));

describe('binding parameters', () => {
  it('reads a string as one field of tab-separated text', () => {
    expect(bind('SELECT {s:String}', { s: "it's\\ta \\\\" })).toBe("SELECT 'it\\'s\ta \\\\'");
  });

  it('casts every other type from its text', () => {
    expect(bind('{n:UInt64}', { n: '5' })).toBe("_CAST('5', 'UInt64')");
    expect(bind("{e:Enum8('a' = 1)}", { e: 'a' })).toBe("_CAST('a', 'Enum8(\\'a\\' = 1)')");
    expect(bind('{a:Array(String)}', { a: "['x\\\\ty']" })).toBe(
      "_CAST('[\\'x\\\\\\\\ty\\']', 'Array(String)')",
    );
  });

  it('takes a map out of a list, since text cannot be cast to a map', () => {
    expect(bind('{m:Map(String, UInt8)}', { m: "{'a':1}" })).toBe(
      "_CAST('[{\\'a\\':1}]', 'Array(Map(String, UInt8))')[1]",
    );
  });

  it('knows null, and names of tables', () => {
    expect(bind('{n:Nullable(String)}', { n: '\\N' })).toBe("_CAST(NULL, 'Nullable(String)')");
    expect(bind('FROM {t:Identifier}', { t: 'a`b' })).toBe('FROM `a\\`b`');
  });

  it('leaves alone what stands in strings, names and comments', () => {
    const sql = "SELECT '{s:String}', `{s:String}` -- {s:String}\n/* {s:String} */ + {s:String}";
    expect(bind(sql, { s: 'x' })).toBe(sql.replace(/\{s:String\}$/, "'x'"));
  });

  it('leaves a placeholder without a value to the engine', () => {
    expect(bind('SELECT {a:UInt8}, {b:UInt8}', { a: '1' })).toBe(
      "SELECT _CAST('1', 'UInt8'), {b:UInt8}",
    );
  });

  it('lets no value become code, whatever it is', () => {
    const types = fc.constantFrom('String', 'UInt64', 'Array(String)', 'Map(String, String)');
    fc.assert(
      fc.property(fc.string(), types, (value, type) => {
        const code = (text: string) =>
          blankProse(bind(`{p:${type}}`, { p: text })).replace(/ +/g, '');
        expect(code(value)).toBe(code(value === '\\N' && type !== 'String' ? value : 'harmless'));
      }),
    );
    expect(stringLiteral('\0')).toBe("'\\0'");
  });
});
