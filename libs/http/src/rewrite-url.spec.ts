import fc from 'fast-check';
import { rewriteUrl } from './rewrite-url.js';

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
