import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Authenticator, type IncomingRequest } from './authenticator.js';
import type { Principal } from './grant.js';

const PUBLIC = 'heddle:public';

/** Served without a key. Everything that does not say so needs one. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

/** Knows who is asking before any handler runs. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    private readonly door: Authenticator,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<IncomingRequest>();
    await this.door.identify(request);
    await this.door.countBody(request);
    return true;
  }

  private isPublic(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<boolean>(PUBLIC, places) === true;
  }
}

/** The principal of the request, for a handler's parameter. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<IncomingRequest>();
  if (principal === undefined) throw new Error('a public route has no caller');
  return principal;
});
