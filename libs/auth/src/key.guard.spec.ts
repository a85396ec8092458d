import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Authenticator } from './authenticator.js';
import { admin } from './grant.js';
import type { FailedLogins, KeyLimits } from './key-limits.js';
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
const keys = { find, recall: () => undefined } as unknown as KeyCache;
const logins = { refuseBlocked: () => undefined, take: async () => undefined };
const limits = { takeRequest: async () => undefined, takeBytes: async () => undefined };
const door = new Authenticator(
  keys,
  logins as unknown as FailedLogins,
  limits as unknown as KeyLimits,
);
const guard = new KeyGuard(door, new Reflector());

const asking = (
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
  it('lets a known key in and tells the handler whose it is', async () => {
    const request = { headers: { authorization: 'Bearer k1' } };

    expect(await asking(Guarded, 'handler', request)).toBe(true);
    expect(request).toHaveProperty('principal', admin('ann'));
  });

  it('turns away who brings no key, and who brings an unknown one', async () => {
    await expect(asking(Guarded, 'handler', { headers: {} })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(
      asking(Guarded, 'handler', { headers: { authorization: 'Bearer k2' } }),
    ).rejects.toMatchObject({ code: 'unknown_key' });
  });

  it('stays quiet where a handler or its controller is public', async () => {
    expect(await asking(Guarded, 'open', { headers: {} })).toBe(true);
    expect(await asking(Open, 'handler', { headers: {} })).toBe(true);
  });
});
