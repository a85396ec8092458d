import { isCrossSite } from './cross-site.js';

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
