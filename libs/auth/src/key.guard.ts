import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Authenticator, type IncomingRequest } from './authenticator.js';
import type { Principal } from './project-access.js';

const PUBLIC = 'heddle:public';

/** Serves a route without a key. All other routes need one. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

/** Authenticates every request before its handler runs. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<IncomingRequest>();
    await this.authenticator.identify(request);
    await this.authenticator.countBody(request);
    return true;
  }

  private isPublic(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<boolean>(PUBLIC, targets) === true;
  }
}

/** The principal of the request, for a handler's parameter. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<IncomingRequest>();
  if (principal === undefined) throw new Error('a public route has no caller');
  return principal;
});
