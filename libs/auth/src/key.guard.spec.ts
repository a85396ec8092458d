import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Authenticator, type FailedLogins, type KeyLimits } from './authenticator.js';
import { hashOf } from './api-key.js';
import { admin } from './project-access.js';
import type { KeyCache } from './key-cache.js';
import type { SessionStore } from './session-store.js';
import { KeyGuard, Needs, Public } from './key.guard.js';

class Guarded {
  @Needs('admin') handler(): void {}
  @Needs('read') read(): void {}
  undeclared(): void {}
  @Public() open(): void {}
}

@Public()
class Open {
  handler(): void {}
}

const ingest = { ...admin('bob'), role: 'ingest' as const };
const find = async (key: string) => ({ k1: admin('ann'), k3: ingest })[key];
const findByHash = async (hash: string) => (hash === hashOf('k1') ? admin('ann') : undefined);
const keys = { find, findByHash } as unknown as KeyCache;
const stored = new Map([
  ['s1', { keyHash: hashOf('k1'), createdAt: 0 }],
  ['s2', { keyHash: hashOf('k2'), createdAt: 0 }],
]);
const sessions = { find: async (secret: string) => stored.get(secret) } as unknown as SessionStore;
const logins = { consume: async () => undefined };
const limits = { consumeRequest: async () => undefined, consumeBytes: async () => undefined };
const authenticator = new Authenticator(
  keys,
  logins as unknown as FailedLogins,
  limits as unknown as KeyLimits,
  sessions,
);
const guard = new KeyGuard(authenticator, new Reflector());

const activate = (
  controller: { prototype: object },
  handler: string,
  request: { headers: object; principal?: object },
) =>
  guard.canActivate({
    getHandler: () => Reflect.get(controller.prototype, handler),
    getClass: () => controller,
    switchToHttp: () => ({ getRequest: () => request }),
  } as unknown as ExecutionContext);

describe('the guard', () => {
  it('accepts a known key and adds its principal to the request', async () => {
    const request = { headers: { authorization: 'Bearer k1' } };

    expect(await activate(Guarded, 'handler', request)).toBe(true);
    expect(request).toHaveProperty('principal', admin('ann'));
  });

  it('refuses a request without a key, and one with an unknown key', async () => {
    await expect(activate(Guarded, 'handler', { headers: {} })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(
      activate(Guarded, 'handler', { headers: { authorization: 'Bearer k2' } }),
    ).rejects.toMatchObject({ code: 'unknown_key' });
  });

  it('accepts the cookie of a session with the header of our page', async () => {
    const request = { headers: { cookie: 'a=b; heddle=s1', 'x-heddle-page': '1' } };

    expect(await activate(Guarded, 'handler', request)).toBe(true);
    expect(request).toMatchObject({ principal: admin('ann'), session: stored.get('s1') });
  });

  it.each([
    ['without the header', { cookie: 'heddle=s1' }, 'page_header_missing'],
    ['with another value', { cookie: 'heddle=s1', 'x-heddle-page': '0' }, 'page_header_missing'],
    ['of an unknown session', { cookie: 'heddle=s9', 'x-heddle-page': '1' }, 'session_ended'],
    ['whose key has ended', { cookie: 'heddle=s2', 'x-heddle-page': '1' }, 'session_ended'],
    ['of TLS', { cookie: '__Host-heddle=s1', 'x-heddle-page': '1' }, 'unauthenticated'],
    ['beside an unknown key', { cookie: 'heddle=s1', authorization: 'Bearer k2' }, 'unknown_key'],
  ])('refuses a cookie %s', async (_which, headers, code) => {
    await expect(activate(Guarded, 'handler', { headers })).rejects.toMatchObject({ code });
  });

  it('refuses a role that the route does not accept, before the handler runs', async () => {
    const request = () => ({ headers: { authorization: 'Bearer k3' } });

    await expect(activate(Guarded, 'read', request())).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This API key (role ingest) may not read; roles that may: read, write, admin.',
    });
  });

  it('accepts no request to a route that does not declare what it needs', async () => {
    const request = { headers: { authorization: 'Bearer k1' } };

    await expect(activate(Guarded, 'undeclared', request)).rejects.toThrow(/must declare/);
  });

  it('accepts every request to a public handler or controller', async () => {
    expect(await activate(Guarded, 'open', { headers: {} })).toBe(true);
    expect(await activate(Open, 'handler', { headers: {} })).toBe(true);
  });
});
