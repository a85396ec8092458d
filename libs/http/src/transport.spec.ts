import fc from 'fast-check';
import { isCrossSite, rewriteUrl } from './transport.js';

describe('the URL of a request', () => {
  it.each([
    ['/call/start', '/call/start'],
    ['/traces/call/start', '/call/start'],
    ['//call//start', '/call/start'],
    ['//traces///call/start/', '/call/start'],
    ['/call/start/', '/call/start'],
    ['/traces', '/'],
    ['/traces/', '/'],
    ['/', '/'],
    ['', '/'],
    ['/traces?a=//b/', '/?a=//b/'],
    ['/call/read?next=/traces//x', '/call/read?next=/traces//x'],
    ['/tracesmith/x', '/tracesmith/x'],
    ['/x/traces/y', '/x/traces/y'],
  ])('%s is served at %s', (url, served) => {
    expect(rewriteUrl(url)).toBe(served);
  });

  it('begins with one slash, has no double slash and keeps its query', () => {
    const path = fc
      .array(fc.constantFrom('/', 'traces', 'call', '.', '%2F'))
      .map((p) => p.join(''));

    fc.assert(
      fc.property(path, fc.string(), (before, query) => {
        const [served] = rewriteUrl(`/${before}?${query}`).split(`?${query}`);
        expect(served).toMatch(/^\/(?!\/)/);
        expect(served).not.toContain('//');
        expect(rewriteUrl(`/${before}?${query}`).endsWith(`?${query}`)).toBe(true);
      }),
    );
  });
});

const isRefused = (headers: Record<string, string>, method = 'POST') =>
  isCrossSite({ method, host: 'traces.example.com', headers }, ['https://app.example.org']);

describe('a cross-site request', () => {
  it.each([
    ['its sec-fetch-site', { 'sec-fetch-site': 'cross-site' }],
    ['sec-fetch-site of another host of the same site', { 'sec-fetch-site': 'same-site' }],
    [
      'origin and sec-fetch-site',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ],
    ['its origin only', { origin: 'http://evil.example' }],
    ['another port', { origin: 'https://traces.example.com:8443' }],
    ['an opaque origin', { origin: 'null' }],
  ])('is recognised by %s', (_how, headers) => {
    expect(isRefused(headers)).toBe(true);
  });

  it.each([
    ['one of a program, without these headers', {}],
    ['one of fetch in Node.js, with sec-fetch-mode only', { 'sec-fetch-mode': 'cors' }],
    [
      'one of our own pages',
      { origin: 'https://traces.example.com', 'sec-fetch-site': 'same-origin' },
    ],
    ['one of our own pages over plain http', { origin: 'http://traces.example.com' }],
    ['one that a person typed in', { 'sec-fetch-site': 'none' }],
    [
      'one of a page of an allowed origin',
      { origin: 'https://app.example.org', 'sec-fetch-site': 'cross-site' },
    ],
  ])('is not %s', (_which, headers) => {
    expect(isRefused(headers)).toBe(false);
  });

  it('is allowed with safe methods, because the page cannot read the response', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(isRefused({ 'sec-fetch-site': 'cross-site' }, method)).toBe(false);
    }
  });
});
