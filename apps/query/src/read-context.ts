import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '@app/auth';

/** What one statement cost ClickHouse. */
export interface QueryExplanation {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly elapsed_ms: number;
  readonly indexes: readonly string[];
}

/** A read before ReadAuthorizer has authorised it. */
export interface IncomingRead {
  readonly principal: Principal;
  /** The client accepts a response that lacks its own latest writes. */
  readonly isEventual: boolean;
  /** Sends a header with the number of the caller's chunks that are not stored yet. */
  readonly reportPending: (chunks: number) => void;
  /** Aborts when the client disconnects before the response was sent. */
  readonly signal: AbortSignal;
  /** Runs the action when the response was sent or the client has disconnected. */
  readonly onClose: (action: () => void) => void;
  /** One entry per executed statement; undefined unless the client requested it. */
  readonly explanations: QueryExplanation[] | undefined;
}

/** An authorised read, as every query needs it. */
export interface ReadContext extends Pick<
  IncomingRead,
  'principal' | 'signal' | 'onClose' | 'explanations'
> {
  /** The projects that the request names; the caller may read all of them. */
  readonly projectIds: readonly string[];
}

/** A handler's parameter for the read that its request makes. */
export const CurrentRead = createParamDecorator(
  (_: unknown, context: ExecutionContext): IncomingRead => {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & { principal: Principal }>();
    const { principal, headers } = request;
    const reply = http.getResponse<FastifyReply>();
    return {
      principal,
      isEventual: headers['x-heddle-consistency'] === 'eventual',
      reportPending: (chunks) => void reply.header('x-heddle-pending', chunks),
      signal: disconnectSignal(reply),
      onClose: (action) => onceClosed(reply, action),
      explanations: headers['x-heddle-explain'] === '1' ? startExplanation(request) : undefined,
    };
  },
);

const explanations = new WeakMap<FastifyRequest, QueryExplanation[]>();

function startExplanation(request: FastifyRequest): QueryExplanation[] {
  const explanation: QueryExplanation[] = [];
  explanations.set(request, explanation);
  return explanation;
}

/** The statements that a request has executed; undefined unless the client requested them. */
export const explanationOf = (request: FastifyRequest): readonly QueryExplanation[] | undefined =>
  explanations.get(request);

/** Aborts when the connection closes before the whole response was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onceClosed(reply, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Runs the action when the response was sent or the client has disconnected, at once if that has happened already. */
export function onceClosed({ raw }: FastifyReply, action: () => void): void {
  if (raw.closed) action();
  else raw.once('close', action);
}
