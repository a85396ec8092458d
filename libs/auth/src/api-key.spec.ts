import fc from 'fast-check';
import { hashOf, isSameHash, keyIn, newApiKey } from './api-key.js';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('the key of a request', () => {
  it.each([
    ['the password of Basic', basic('api:hdl_abc'), 'hdl_abc'],
    ['whatever the username', basic('ann@example.org:hdl_abc'), 'hdl_abc'],
    ['also without a username', basic(':hdl_abc'), 'hdl_abc'],
    ['a Bearer token', 'Bearer hdl_abc', 'hdl_abc'],
    ['however the scheme is spelt', 'bEARER   hdl_abc ', 'hdl_abc'],
    ['up to the end, colons included', basic('api:a:b:c'), 'a:b:c'],
    ['in any alphabet', basic('api:ключ-é'), 'ключ-é'],
  ])('is %s', (_what, header, key) => {
    expect(keyIn({ authorization: header })).toBe(key);
  });

  it.each([
    undefined,
    '',
    'Basic',
    'Bearer',
    'Bearer ',
    'Bearer two words',
    'Digest abc',
    'hdl_abc',
    basic('api:'),
    basic('no colon'),
    'Basic !!!!',
  ])('is not in %s', (header) => {
    expect(keyIn(header === undefined ? {} : { authorization: header })).toBeUndefined();
  });

  it('is in the header of exporters for hosted Weave, unless there is another key', () => {
    expect(keyIn({ 'wandb-api-key': ' hdl_abc ' })).toBe('hdl_abc');
    expect(keyIn({ 'wandb-api-key': '' })).toBeUndefined();
    expect(keyIn({ 'wandb-api-key': 'hdl_abc', authorization: 'Bearer hdl_def' })).toBe('hdl_def');
  });

  it('is found in every header that a client can build', () => {
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes(':'));
    const key = fc.string({ unit: 'grapheme', minLength: 1 });

    fc.assert(
      fc.property(name, key, (user, password) => {
        expect(keyIn({ authorization: basic(`${user}:${password}`) })).toBe(password);
      }),
    );
  });

  it('is parsed from any header without an error', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(['string', 'undefined']).toContain(typeof keyIn({ authorization: header }));
      }),
    );
  });
});

describe('an API key', () => {
  it('is new every time, and can be sent either way', () => {
    const key = newApiKey();

    expect(key).toMatch(/^hdl_[\w-]{43}$/);
    expect(newApiKey()).not.toBe(key);
    const headers = [`Bearer ${key}`, basic(`api:${key}`)];
    expect(headers.map((authorization) => keyIn({ authorization }))).toEqual([key, key]);
  });

  it('is equal only when its hash is', () => {
    expect(isSameHash(hashOf('a'), hashOf('a'))).toBe(true);
    expect(isSameHash(hashOf('a'), hashOf('b'))).toBe(false);
    expect(isSameHash(hashOf('a'), '')).toBe(false);
  });
});
