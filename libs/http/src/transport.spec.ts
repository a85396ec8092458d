import fc from 'fast-check';
import { isCrossSite, rewriteUrl } from './transport.js';

describe('the address of a request', () => {
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

  it('begins with one slash, doubles none and keeps the query as it is', () => {
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

const asked = (headers: Record<string, string>, method = 'POST') =>
  isCrossSite({ method, host: 'traces.example.com', headers }, ['https://app.example.org']);

describe('a request of a page of somebody else', () => {
  it.each([
    ['what the browser says of it', { 'sec-fetch-site': 'cross-site' }],
    ['that of another host of the same site', { 'sec-fetch-site': 'same-site' }],
    [
      'that of a page elsewhere',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ],
    ['its origin alone', { origin: 'http://evil.example' }],
    ['another port', { origin: 'https://traces.example.com:8443' }],
    ['an origin that is kept secret', { origin: 'null' }],
  ])('is known by %s', (_how, headers) => {
    expect(asked(headers)).toBe(true);
  });

  it.each([
    ['programs, which send neither', {}],
    ['fetch of Node, which says how but not whence', { 'sec-fetch-mode': 'cors' }],
    ['our own pages', { origin: 'https://traces.example.com', 'sec-fetch-site': 'same-origin' }],
    ['our own pages over plain http', { origin: 'http://traces.example.com' }],
    ['what a person typed in', { 'sec-fetch-site': 'none' }],
    [
      'pages that an operator has named',
      { origin: 'https://app.example.org', 'sec-fetch-site': 'cross-site' },
    ],
  ])('is not what %s', (_who, headers) => {
    expect(asked(headers)).toBe(false);
  });

  it('may look, since it cannot read the answer, and ask whether it may', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(asked({ 'sec-fetch-site': 'cross-site' }, method)).toBe(false);
    }
  });
});
