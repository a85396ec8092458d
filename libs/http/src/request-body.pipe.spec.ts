import fc from 'fast-check';
import {
  CallReadRequest,
  CallsFilter,
  CallsQueryRequest,
  CallsQueryStatsRequest,
  FeedbackMetric,
  FeedbackStatsRequest,
  SortField,
} from '@app/contracts';
import { InvalidBodyError } from './problems.js';
import {
  parseJsonBody,
  RecordsBody,
  RequestBodyPipe,
  requireRecords,
} from './request-body.pipe.js';

const pipe = new RequestBodyPipe();
const body = (text: string, metatype: new () => object) =>
  pipe.transform(Buffer.from(text), { type: 'body', metatype });

describe('the body that a handler gets', () => {
  it('is an instance of the declared class, and so are its parts', () => {
    const request = body(
      '{"project_id":"a/b","filter":{"op_names":["x"]},"sort_by":[{"field":"id"}],"limit":null}',
      CallsQueryRequest,
    ) as CallsQueryRequest;

    expect(request).toBeInstanceOf(CallsQueryRequest);
    expect(request.filter).toBeInstanceOf(CallsFilter);
    expect(request.sort_by![0]).toBeInstanceOf(SortField);
    expect(request).toMatchObject({
      project_id: 'a/b',
      filter: { op_names: ['x'] },
      sort_by: [{ field: 'id' }],
      limit: null,
    });
  });

  it('has parts also where the class inherits', () => {
    const text =
      '{"project_id":"a/b","start":"2026-01-01T00:00:00Z","metrics":[{"json_path":"a"}]}';
    const request = body(text, FeedbackStatsRequest) as FeedbackStatsRequest;

    expect(request.start).toBe('2026-01-01T00:00:00Z');
    expect(request.metrics![0]).toBeInstanceOf(FeedbackMetric);
  });

  it.each(['{"constructor":"x"}', '{"constructor":{"constructor":null}}', '{"__proto__":{"a":1}}'])(
    'has a query expression exactly as it was sent: %s',
    (expression) => {
      const text = `{"project_id":"a/b","query":{"$expr":${expression}}}`;
      const request = body(text, CallsQueryStatsRequest) as CallsQueryStatsRequest;

      expect(JSON.stringify(request.query)).toBe(`{"$expr":${expression}}`);
    },
  );

  it.each([
    ['in a part', '{"filter":{"constructor":"x","__proto__":{"op_names":["y"]}}}'],
    ['in an unknown member', '{"unknown":{"constructor":"x"}}'],
    ['in an unknown member of a part', '{"filter":{"unknown":[{"constructor":1}]}}'],
  ])('ignores the key "constructor" %s', (_where, text) => {
    const request = body(`{"project_id":"a/b",${text.slice(1)}`, CallsQueryStatsRequest);

    expect(request).toMatchObject({ project_id: 'a/b' });
    expect((request as CallsQueryStatsRequest).filter?.op_names).toBeUndefined();
  });

  it.each([
    ['limit', '{"limit":{"constructor":"x"}}'],
    ['filter', '{"filter":[{"constructor":"x"}]}'],
    ['filter.op_names', '{"filter":{"op_names":[{"constructor":{"a":1}}]}}'],
  ])('is refused with its place when %s is an object with a constructor', (place, text) => {
    const refuse = () => body(`{"project_id":"a/b",${text.slice(1)}`, CallsQueryStatsRequest);
    const loc = ['body', ...place.split('.')];

    expect(refuse).toThrow(InvalidBodyError);
    expect(refuse).toThrow(expect.objectContaining({ detail: [expect.objectContaining({ loc })] }));
  });

  it('is the bytes, checked to be JSON, when the handler declares a Buffer', () => {
    const bytes = Buffer.from('{"a":1.0}');

    expect(pipe.transform(bytes, { type: 'body', metatype: Buffer })).toBe(bytes);
    expect(() => body('{', Buffer as unknown as new () => object)).toThrow('not valid JSON');
  });

  it('is not checked when the function that reads its records does that, but it is never empty', () => {
    const given = (text: string) => body(text, RecordsBody as unknown as new () => object);

    expect(given('{')).toEqual(new RecordsBody(Buffer.from('{')));
    expect(() => given('')).toThrow('The body is empty');
  });

  it('may be 512 levels deep when its records have limits of their own', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    const asBytes = (bytes: Buffer) => pipe.transform(bytes, { type: 'body', metatype: Buffer });

    expect(() => requireRecords(nested(512))).not.toThrow();
    expect(() => requireRecords(nested(513))).toThrow('deeper than 512 levels');
    expect(() => requireRecords(Buffer.from('{'))).toThrow('not valid JSON');
    expect(() => asBytes(nested(201))).toThrow('deeper than 200 levels');
  });

  it.each(['[]', '"text"', '5', 'null', 'true'])('is never %s', (text) => {
    expect(() => body(text, CallReadRequest)).toThrow(
      expect.objectContaining({ detail: [expect.objectContaining({ loc: ['body'] })] }),
    );
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'ignores a member called %s',
    (name) => {
      for (const value of ['null', '1', '{"id":"evil"}']) {
        const text = `{"project_id":"a/b","id":"c1","${name}":${value}}`;
        expect(body(text, CallReadRequest)).toMatchObject({ project_id: 'a/b', id: 'c1' });
      }
    },
  );

  it('waits for its turn when it is large, with small bodies in between', async () => {
    const order: string[] = [];
    const large = Buffer.from(JSON.stringify({ text: 'x'.repeat(100_000) }));
    const read = async (name: string) => {
      await pipe.transform(large, { type: 'body', metatype: Buffer });
      order.push(name);
    };
    const both = [read('large'), read('larger')];
    await both[0];
    pipe.transform(Buffer.from('{}'), { type: 'body', metatype: Buffer });
    order.push('small');
    await both[1];

    expect(order).toEqual(['large', 'small', 'larger']);
  });

  it('is refused also when it is large', async () => {
    const broken = Buffer.from(`{"text":"${'x'.repeat(100_000)}`);
    await expect(pipe.transform(broken, { type: 'body', metatype: Buffer })).rejects.toMatchObject({
      code: 'not_json',
    });
  });

  it('has at most 20,000 values and 4 MiB where a DTO is made of it', async () => {
    const read = async (fields: object) =>
      body(JSON.stringify({ project_id: 'a/b', id: 'c', ...fields }), CallReadRequest);

    await expect(read({ x: Array(10_000).fill(1) })).resolves.toMatchObject({ id: 'c' });
    await expect(read({ x: Array(20_001).fill(1) })).rejects.toMatchObject({
      message: 'The body has more than 20000 values; send it in parts.',
    });
    await expect(read({ x: 'x'.repeat(5_000_000) })).rejects.toMatchObject({
      message: 'This operation accepts at most 4194304 bytes.',
      status: 413,
    });
  });

  it('is the only parameter that the pipe transforms', () => {
    expect(pipe.transform('x', { type: 'custom' })).toBe('x');
  });
});

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const refusal = (bytes: unknown) => {
  try {
    parseJsonBody(bytes);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('the body of a request', () => {
  it('is what JSON.parse returns', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'not_json'],
    ['no bytes at all', undefined, 'not_json'],
    ['half an object', Buffer.from('{"a":'), 'not_json'],
    ['a string without an end', Buffer.from('{"a":"\\"'), 'not_json'],
    ['two values', Buffer.from('{}{}'), 'not_json'],
    ['a byte order mark', Buffer.from('\ufeff{}'), 'not_json'],
    ['Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'not_utf8'],
    ['a lone surrogate as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not_utf8'],
  ])('is refused when it is %s', (_what, bytes, code) => {
    expect(refusal(bytes)).toMatchObject({ code });
  });

  it('may be 200 levels deep and no deeper', () => {
    expect(parse(nested(200))).toBeDefined();
    expect(refusal(Buffer.from(nested(201)))).toMatchObject({ code: 'body_too_complex' });
    expect(parse(`[${'[],'.repeat(300)}[]]`)).toHaveLength(301);
  });

  it('may have a million values and no more', () => {
    expect(parse(`[${'0,'.repeat(999_999)}0]`)).toHaveLength(1_000_000);
    expect(refusal(Buffer.from(`[${'0,'.repeat(1_000_000)}0]`))).toMatchObject({
      code: 'body_too_complex',
      status: 413,
    });
  });

  it('may have 50,000 keys in one object and no more', () => {
    const keys = (count: number) =>
      `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`;

    expect(parse(`[${keys(50_000)},${keys(50_000)}]`)).toHaveLength(2);
    expect(refusal(Buffer.from(`[${keys(50_001)}]`))).toMatchObject({
      message: 'The body has an object with more than 50000 keys.',
      status: 413,
    });
  });

  it('does not count brackets and commas inside of strings', () => {
    const text = `${nested(300)},"\\",`.repeat(10);

    expect(parse(JSON.stringify({ text }))).toEqual({ text });
  });

  it('is quoted in a refusal, but truncated', () => {
    expect(
      (refusal(Buffer.from(`{"a":${'x'.repeat(10_000)}`)) as Error).message.length,
    ).toBeLessThan(301);
  });
});
