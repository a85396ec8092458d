import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { TupleParam } from '@clickhouse/client';
import { clientOf, rowsOf, startEngine, type TestEngine } from './engine.js';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
  await engine.client.command({
    query: 'CREATE TABLE pairs (id UInt64, text String) ENGINE = MergeTree ORDER BY id',
  });
});
afterAll(() => engine.close());
beforeEach(() => engine.client.command({ query: 'TRUNCATE TABLE pairs' }));

const pairs = () => rowsOf(engine.client, 'SELECT * FROM pairs ORDER BY id');
/** One row in RowBinary: a number of eight bytes and a string of fewer than 128 bytes. */
function rowBinary(id: number, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.writeBigUInt64LE(BigInt(id));
  head.writeUInt8(Buffer.byteLength(text), 8);
  return Buffer.concat([head, Buffer.from(text)]);
}

describe('the unmodified client', () => {
  it('pings, with and without a query', async () => {
    expect(await engine.client.ping()).toEqual({ success: true });
    expect(await engine.client.ping({ select: true })).toEqual({ success: true });
  });

  it('reads JSON with its envelope, and plain rows', async () => {
    const query = 'SELECT number AS n FROM numbers(3)';
    const json = await engine.client.query({ query, format: 'JSON' });
    expect(await json.json()).toMatchObject({ rows: 3, data: [{ n: 0 }, { n: 1 }, { n: 2 }] });
    expect(await rowsOf(engine.client, query)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it('reads nothing from an empty result', async () => {
    expect(await rowsOf(engine.client, 'SELECT 1 WHERE 0')).toEqual([]);
  });

  it('inserts arrays and streams of rows, and reports how many', async () => {
    const { client } = engine;
    const array = {
      table: 'pairs',
      values: [{ id: 1, text: 'ä\n\t"' }],
      format: 'JSONEachRow',
    } as const;
    const { summary } = await client.insert(array);
    expect(summary).toMatchObject({ written_rows: '1' });
    const values = Readable.from([
      { id: 2, text: 'b' },
      { id: 3, text: 'c' },
    ]);
    await client.insert({ table: 'pairs', values, format: 'JSONEachRow' });
    expect(await pairs()).toEqual([
      { id: 1, text: 'ä\n\t"' },
      { id: 2, text: 'b' },
      { id: 3, text: 'c' },
    ]);
  });

  it('inserts a stream of binary rows, whatever their bytes', async () => {
    const texts = ['\n\nx', '\0', '', ';', "'", '{"a":1}\n\n'];
    const values = Readable.from(
      texts.map((text, id) => rowBinary(id, text)),
      { objectMode: false },
    );
    const query = 'INSERT INTO pairs FORMAT RowBinary';
    const { stream } = await engine.client.exec({ query, values });
    await buffer(stream);
    expect(await pairs()).toEqual(texts.map((text, id) => ({ id, text })));
  });

  it('inserts nothing from an empty stream', async () => {
    const values = Readable.from([]);
    await engine.client.insert({ table: 'pairs', values, format: 'JSONEachRow' });
    expect(await pairs()).toEqual([]);
  });

  it('compresses requests and responses', async () => {
    const client = clientOf(engine.clickhouse, { compression: { request: true, response: true } });
    const text = 'x'.repeat(10_000);
    await client.insert({ table: 'pairs', values: [{ id: 1, text }], format: 'JSONEachRow' });
    expect(await rowsOf(client, 'SELECT text FROM pairs')).toEqual([{ text }]);
    const many = await rowsOf(client, 'SELECT number FROM numbers(200000)');
    expect(many).toHaveLength(200_000);
    await client.close();
  });

  it('keeps a session for temporary tables', async () => {
    const session_id = 'a-session';
    const make = 'CREATE TEMPORARY TABLE mine AS SELECT 7 AS n';
    await engine.client.command({ query: make, session_id });
    const query = 'SELECT n FROM mine';
    const inside = await engine.client.query({ query, session_id, format: 'JSONEachRow' });
    expect(await inside.json()).toEqual([{ n: 7 }]);
    await expect(rowsOf(engine.client, query)).rejects.toMatchObject({ code: '60' });
  });

  it('works in another database', async () => {
    await engine.client.command({ query: 'CREATE DATABASE other' });
    const client = clientOf(engine.clickhouse, { database: 'other' });
    await client.command({ query: 'CREATE TABLE t (a UInt8) ENGINE = Memory' });
    await client.insert({ table: 't', values: [{ a: 1 }], format: 'JSONEachRow' });
    expect(await rowsOf(client, 'SELECT a, currentDatabase() AS d FROM t')).toEqual([
      { a: 1, d: 'other' },
    ]);
    expect(await rowsOf(engine.client, 'SELECT currentDatabase() AS d')).toEqual([
      { d: 'default' },
    ]);
    await client.close();
  });
});

const nasty = `it's \\ a "quote" \`tick\`\nline\r\ttab \0 é 😀 {p:String} -- /* ; \\N`;

describe('a bound value', () => {
  it.each<[type: string, given: unknown, read: unknown]>([
    ['String', nasty, nasty],
    ['String', '', ''],
    ['Int32', -5, -5],
    ['Float64', 1.5e300, 1.5e300],
    ['Bool', true, true],
    ['Date', '2024-02-29', '2024-02-29'],
    ['DateTime64(6)', '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456'],
    ['DateTime64(3)', new Date('2024-02-29T12:34:56.789Z'), '2024-02-29 12:34:56.789'],
    ['Array(String)', ['a', nasty, ''], ['a', nasty, '']],
    ['Array(Array(UInt8))', [[1], []], [[1], []]],
    ['Map(String, String)', { a: nasty, "b'": '' }, { a: nasty, "b'": '' }],
    ['Nullable(String)', null, null],
    ['Nullable(String)', nasty, nasty],
    ['Tuple(String, UInt8)', new TupleParam([nasty, 7]), [nasty, 7]],
    ['Decimal(18, 4)', '123.4567', 123.4567],
    ["Enum8('it\\'s' = 1)", "it's", "it's"],
    ['LowCardinality(String)', nasty, nasty],
  ])('is read back from %s unchanged: %j', async (type, p, read) => {
    expect(
      await rowsOf(engine.client, `SELECT {p:${type}} AS v, toTypeName(v) AS t`, { p }),
    ).toEqual([{ v: read, t: expect.anything() }]);
  });

  it('keeps all 64 bits', async () => {
    const p = '18446744073709551615';
    expect(await rowsOf(engine.client, 'SELECT toString({p:UInt64}) AS v', { p })).toEqual([
      { v: p },
    ]);
  });

  it('selects, limits and inserts', async () => {
    await engine.client.command({
      query: 'INSERT INTO pairs SELECT number, {p:String} FROM numbers({n:UInt32})',
      query_params: { p: nasty, n: 5 },
    });
    const query = `SELECT id FROM pairs WHERE text = {p:String} AND id IN {ids:Array(UInt64)}
      ORDER BY id LIMIT {n:UInt8} OFFSET 1`;
    const params = { p: nasty, ids: [0, 2, 4, 9], n: 1 };
    expect(await rowsOf(engine.client, query, params)).toEqual([{ id: 2 }]);
  });

  it('may be too long for a URL', async () => {
    const ids = Array.from({ length: 50_000 }, (_, i) => `call-${i}'`);
    const result = await engine.client.query({
      query: 'SELECT length({ids:Array(String)}) AS n, {ids:Array(String)}[-1] AS last',
      query_params: { ids },
      use_multipart_params: true,
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: 50_000, last: "call-49999'" }]);
  });

  it('that is missing is refused, and so is one of another type', async () => {
    await expect(rowsOf(engine.client, 'SELECT {p:UInt8}')).rejects.toMatchObject({ code: '456' });
    await expect(rowsOf(engine.client, 'SELECT {p:UInt8}', { p: 'x' })).rejects.toMatchObject({
      code: '457',
    });
  });

  it('is not mixed up with those of concurrent statements', async () => {
    const send = async (p: number) => rowsOf(engine.client, 'SELECT {p:UInt32} AS v', { p });
    const values = Array.from({ length: 200 }, (_, i) => i);
    expect(await Promise.all(values.map(send))).toEqual(values.map((v) => [{ v }]));
  });
});
