import { CallReadRequest, CallsFilter, CallsQueryStatsRequest } from '@app/contracts';
import { RecordsBody, RequestBodyPipe } from './request-body.pipe.js';

const pipe = new RequestBodyPipe();
const body = (text: string, metatype: new () => object) =>
  pipe.transform(Buffer.from(text), { type: 'body', metatype });

describe('the body that a handler gets', () => {
  it('is an instance of what it asks for, parts included', () => {
    const request = body(
      '{"project_id":"a/b","filter":{"op_names":["x"]}}',
      CallsQueryStatsRequest,
    );

    expect(request).toBeInstanceOf(CallsQueryStatsRequest);
    expect((request as CallsQueryStatsRequest).filter).toBeInstanceOf(CallsFilter);
  });

  it('is the bytes when it asks for bytes, known to be JSON', () => {
    const bytes = Buffer.from('{"a":1.0}');

    expect(pipe.transform(bytes, { type: 'body', metatype: Buffer })).toBe(bytes);
    expect(() => body('{', Buffer as unknown as new () => object)).toThrow('not valid JSON');
  });

  it('may be deeper when its records say themselves how deep they may be', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    const given = (bytes: Buffer, metatype: typeof Buffer) =>
      pipe.transform(bytes, { type: 'body', metatype });

    expect(given(nested(512), RecordsBody)).toHaveLength(1024);
    expect(() => given(nested(513), RecordsBody)).toThrow('deeper than 512 levels');
    expect(() => given(nested(201), Buffer)).toThrow('deeper than 200 levels');
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

  it('is read in its turn when it is large: one at a time, and smaller ones in between', async () => {
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

  it('is refused in its turn, too', async () => {
    const broken = Buffer.from(`{"text":"${'x'.repeat(100_000)}`);
    await expect(pipe.transform(broken, { type: 'body', metatype: Buffer })).rejects.toMatchObject({
      code: 'not_json',
    });
  });

  it('leaves everything that is no body alone', () => {
    expect(pipe.transform('x', { type: 'custom' })).toBe('x');
  });
});
