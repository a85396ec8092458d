import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';

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
