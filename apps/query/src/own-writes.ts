import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAccess, type Principal } from '@app/auth';
import type { QueryConfig } from '@app/config';
import { PendingWrites } from '@app/queue';
import { QUERY_CONFIG } from './tokens.js';

/** Who reads, and how fresh it has to be. */
export interface Reading {
  readonly principal: Principal;
  readonly isEventual: boolean;
  readonly tellPending: (chunks: number) => void;
}

/** The reading of a request, for a handler's parameter. */
export const AsReading = createParamDecorator((_: unknown, context: ExecutionContext): Reading => {
  const http = context.switchToHttp();
  const { principal, headers } = http.getRequest<FastifyRequest & { principal: Principal }>();
  return {
    principal,
    isEventual: headers['x-heddle-consistency'] === 'eventual',
    tellPending: (chunks) =>
      void http.getResponse<FastifyReply>().header('x-heddle-pending', chunks),
  };
});

/** Every read of a project begins here: may the caller read it, and has it caught up with their own writes? */
@Injectable()
export class OwnWrites {
  constructor(
    private readonly pending: PendingWrites,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /** Resolves when the caller's writes to the project are visible, or when waiting longer would be rude. */
  async visible(reading: Reading, projectId: string): Promise<void> {
    requireAccess(reading.principal, 'read', [projectId]);
    if (reading.isEventual) return;
    const left = await this.pending.settled(
      projectId,
      reading.principal.user,
      this.config.readWaitMs,
    );
    if (left > 0) reading.tellPending(left);
  }
}
