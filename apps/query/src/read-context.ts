import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '@app/auth';

/** What one question to ClickHouse took. */
export interface QueryExplanation {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly elapsed_ms: number;
  readonly indexes: readonly string[];
}

/** Who reads, how fresh it has to be, and until when anybody waits for it. */
export interface ReadContext {
  readonly principal: Principal;
  readonly isEventual: boolean;
  readonly reportPending: (chunks: number) => void;
  /** Fires when the client has gone away before the answer was sent. */
  readonly gone: AbortSignal;
  /** Runs when the answer has been sent, or nobody waits for it any more. */
  readonly atEnd: (action: () => void) => void;
  /** Filled with every question asked, when the caller wants to know. */
  readonly explained: QueryExplanation[] | undefined;
}

/** The reading of a request, for a handler's parameter. */
export const CurrentRead = createParamDecorator(
  (_: unknown, context: ExecutionContext): ReadContext => {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & { principal: Principal }>();
    const { principal, headers } = request;
    const reply = http.getResponse<FastifyReply>();
    return {
      principal,
      isEventual: headers['x-heddle-consistency'] === 'eventual',
      reportPending: (chunks) => void reply.header('x-heddle-pending', chunks),
      gone: goneSignal(reply),
      atEnd: (action) => void reply.raw.once('close', action),
      explained: headers['x-heddle-explain'] === '1' ? explanationFor(request) : undefined,
    };
  },
);

const explanations = new WeakMap<FastifyRequest, QueryExplanation[]>();

function explanationFor(request: FastifyRequest): QueryExplanation[] {
  const explanation: QueryExplanation[] = [];
  explanations.set(request, explanation);
  return explanation;
}

/** What the questions of a request took so far; undefined unless its caller wants to know. */
export const explanationOf = (request: FastifyRequest): readonly QueryExplanation[] | undefined =>
  explanations.get(request);

export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
