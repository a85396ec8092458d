import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { keyIn } from './api-key.js';
import { AccessDenied } from './access-denied.js';
import { KeyRing } from './key-ring.js';
import type { Principal } from './grant.js';

const PUBLIC = 'heddle:public';

/** Served without a key. Everything that does not say so needs one. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

type Asking = FastifyRequest & { principal?: Principal };

/** Knows who is asking before any handler runs. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    private readonly keys: KeyRing,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<Asking>();
    const key = keyIn(request.headers.authorization);
    if (key === undefined) throw new AccessDenied('unauthenticated');
    const principal = await this.keys.find(key);
    if (principal === undefined) throw new AccessDenied('unknown_key');
    request.principal = principal;
    return true;
  }

  private isPublic(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<boolean>(PUBLIC, places) === true;
  }
}

/** The principal of the request, for a handler's parameter. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<Asking>();
  if (principal === undefined) throw new Error('a public route has no caller');
  return principal;
});
