import type { StatementRequest } from './request.js';
import { planStatement } from './statement.js';

function aRequest(sql: string, more: Partial<StatementRequest> = {}): StatementRequest {
  return {
    sql,
    data: undefined,
    parameters: new Map(),
    settings: new Map(),
    database: 'default',
    queryId: 'q',
    sessionId: undefined,
    defaultFormat: 'TabSeparated',
    wantsGzip: false,
    ...more,
  };
}
const settings = new Map([
  ['max_threads', '1'],
  ['log_comment', "it's"],
]);

describe('planning a statement', () => {
  it('streams a read whose format allows it', () => {
    expect(planStatement(aRequest('SELECT 1 FORMAT JSONEachRow;'))).toEqual({
      kind: 'stream',
      sql: 'SELECT 1 FORMAT JSONEachRow',
      format: 'JSONEachRow',
      maxSeconds: 0,
    });
    const bound = new Map([['max_execution_time', '60']]);
    expect(planStatement(aRequest('SELECT 1', { settings: bound }))).toMatchObject({
      maxSeconds: 60,
    });
    expect(planStatement(aRequest('(SELECT 1) FORMAT JSON')).kind).toBe('plain');
    expect(planStatement(aRequest('SHOW TABLES')).kind).toBe('plain');
  });

  it('puts settings after the format, where they hold for the whole of a union', () => {
    expect(planStatement(aRequest('SELECT 1 UNION ALL SELECT 2', { settings }))).toMatchObject({
      sql: `SELECT 1 UNION ALL SELECT 2\nFORMAT TabSeparated\nSETTINGS max_threads = 1, log_comment = 'it\\'s'`,
    });
  });

  it('does not take settings of a statement for those of the table it creates', () => {
    const create = 'CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a';
    expect(planStatement(aRequest(create, { settings }))).toMatchObject({
      sql: expect.stringMatching(/ORDER BY a\nFORMAT TabSeparated\nSETTINGS max_threads/),
    });
  });

  it('gives a connection of its own to a statement that changes it', () => {
    expect(planStatement(aRequest('SET max_threads = 1'))).toMatchObject({ prelude: '' });
    expect(planStatement(aRequest('SYSTEM FLUSH LOGS', { settings }))).toMatchObject({
      prelude: expect.stringMatching(/^SET max_threads = 1/),
    });
    expect(planStatement(aRequest('SYSTEM FLUSH LOGS'))).not.toHaveProperty('prelude');
  });

  it('refuses a second statement, but not a semicolon in a string', () => {
    expect(() => planStatement(aRequest('SELECT 1; DROP TABLE t'))).toThrow(/Code: 62/);
    expect(planStatement(aRequest("SELECT ';'")).kind).toBe('stream');
  });
});

describe('planning an insert', () => {
  const data = Buffer.from('{"format":1}\n');

  it('hands the rows over as they came', () => {
    const sql = 'INSERT INTO t (format) FORMAT JSONEachRow';
    expect(planStatement(aRequest(sql, { data }))).toEqual({ kind: 'insert', sql, data });
  });

  it('puts settings before the format, beside those that are there', () => {
    const bare = planStatement(aRequest('INSERT INTO t FORMAT CSV', { data, settings }));
    expect(bare).toMatchObject({
      sql: `INSERT INTO t SETTINGS max_threads = 1, log_comment = 'it\\'s' FORMAT CSV`,
    });
    const own = planStatement(
      aRequest('INSERT INTO t SETTINGS a = 2 FORMAT CSV', { data, settings }),
    );
    expect(own).toMatchObject({
      sql: `INSERT INTO t SETTINGS a = 2, max_threads = 1, log_comment = 'it\\'s' FORMAT CSV`,
    });
  });

  it('leaves rows inside the SQL alone, even when they look like a parameter', () => {
    const sql = `INSERT INTO t FORMAT JSONEachRow {"a":"{p:String}"};`;
    expect(planStatement(aRequest(sql, { parameters: new Map([['p', 'x']]) }))).toMatchObject({
      sql,
    });
  });

  it('does nothing when there are no rows', () => {
    const request = aRequest('INSERT INTO t FORMAT CSV', { data: Buffer.alloc(0) });
    expect(planStatement(request)).toEqual({ kind: 'nothing' });
  });

  it('spools rows that the engine would cut short', () => {
    const kindOf = (format: string, rows: string) =>
      planStatement(aRequest(`INSERT INTO t FORMAT ${format}`, { data: Buffer.from(rows) })).kind;
    expect(kindOf('RowBinary', 'ab')).toBe('insert from file');
    expect(kindOf('JSONEachRow', '{}\n\n{}')).toBe('insert from file');
    expect(kindOf('JSONEachRow', '\n{}')).toBe('insert from file');
    expect(kindOf('JSONEachRow', '{}\n{}')).toBe('insert');
  });

  it('refuses input(), through which the engine would insert nothing', () => {
    const sql = "INSERT INTO t SELECT a FROM input('a UInt8') FORMAT CSV";
    expect(() => planStatement(aRequest(sql, { data }))).toThrow(/Code: 48/);
  });
});
