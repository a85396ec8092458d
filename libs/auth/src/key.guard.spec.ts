import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Authenticator, type FailedLogins, type KeyLimits } from './authenticator.js';
import { admin } from './project-access.js';
import type { KeyCache } from './key-cache.js';
import { KeyGuard, Public } from './key.guard.js';

class Guarded {
  handler(): void {}
  @Public() open(): void {}
}

@Public()
class Open {
  handler(): void {}
}

const find = async (key: string) => (key === 'k1' ? admin('ann') : undefined);
const keys = { find, fromCache: () => undefined } as unknown as KeyCache;
const logins = { refuseBlocked: () => undefined, consume: async () => undefined };
const limits = { consumeRequest: async () => undefined, consumeBytes: async () => undefined };
const authenticator = new Authenticator(
  keys,
  logins as unknown as FailedLogins,
  limits as unknown as KeyLimits,
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

  it('accepts every request to a public handler or controller', async () => {
    expect(await activate(Guarded, 'open', { headers: {} })).toBe(true);
    expect(await activate(Open, 'handler', { headers: {} })).toBe(true);
  });
});
