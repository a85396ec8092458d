import { millis } from '@app/wire';
import { endedCookie, sessionCookie, sessionIn, sessionLifetimeMs } from './session.js';

const HOUR = 3_600_000;

describe('the cookie of a session', () => {
  it('is hidden from scripts and other sites, and over TLS bound to this host', () => {
    expect(sessionCookie('s', { headers: {}, protocol: 'https' })).toBe(
      '__Host-heddle=s; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure',
    );
    expect(sessionCookie('s', { headers: {}, protocol: 'http' })).toBe(
      'heddle=s; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict',
    );
  });

  it('is removed under the same name', () => {
    expect(endedCookie({ headers: {}, protocol: 'http' })).toMatch(/^heddle=; Path=\/; Max-Age=0;/);
  });

  it.each([
    ['heddle=s', 'http', 's'],
    ['other=1;heddle=s ;more=2', 'http', 's'],
    ['__Host-heddle=s', 'https', 's'],
    ['__Host-heddle=s', 'http', undefined],
    ['heddle=s', 'https', undefined],
    ['myheddle=s', 'http', undefined],
    ['heddle=', 'http', undefined],
    ['', 'http', undefined],
  ])('is read from "%s" over %s as %s', (cookie, protocol, secret) => {
    expect(sessionIn({ headers: { cookie }, protocol })).toBe(secret);
  });
});

describe('a session', () => {
  it.each([
    [0, 12 * HOUR],
    [6 * 24 * HOUR, 12 * HOUR],
    [7 * 24 * HOUR - HOUR, HOUR],
    [7 * 24 * HOUR, 0],
  ])('that was created %i ms ago and is used now lives %i ms longer', (age, left) => {
    expect(sessionLifetimeMs({ keyHash: 'h', createdAt: millis(1000) }, millis(1000 + age))).toBe(
      left,
    );
  });
});
