import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Authenticator, type IncomingRequest } from './authenticator.js';
import { requireRole, type Action, type Principal } from './project-access.js';

const PUBLIC = 'heddle:public';

/** Serves a route without a key. All other routes need one. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

const NEED = 'heddle:need';

/** The access that a route needs. */
export interface Need {
  readonly action: Action;
  /** Requests of this kind need another action, which the handler checks. */
  readonly cases?: Readonly<Record<string, Action>>;
  /** The route names no project: each caller acts within the scope of the key. */
  readonly isOwnScope?: boolean;
}

/** Declares the access that a route needs. The guard checks the role; the handler checks the projects that the request names. */
export const Needs = (action: Action, more: Omit<Need, 'action'> = {}): MethodDecorator =>
  SetMetadata(NEED, { action, ...more } satisfies Need);

/** The declared access of a handler; undefined for a public one. */
export const needOf = (handler: () => unknown): Need | undefined =>
  Reflect.getMetadata(NEED, handler) as Need | undefined;

/** Authenticates every request before its handler runs, and refuses roles that the route does not accept. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<IncomingRequest>();
    const principal = await this.authenticator.identify(request);
    const need = needOf(context.getHandler() as () => unknown);
    if (need === undefined)
      throw new Error('a route that is not public must declare what it needs');
    requireRole(principal, need.action);
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
