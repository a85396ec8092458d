import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFromPage } from '@app/auth';
import type { ProblemCode } from '@app/errors';
import type { Logger } from '@app/observability';
import { ProblemError, problemOf } from './problems.js';
import { callerOf } from './receive-body.js';
import { refuseBody } from './refused-body.js';
import { countRefusal } from './request-metrics.js';
import { whyUnserved } from './unserved.js';

/** The only place that turns an error into a response. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(
      error,
      http.getRequest<FastifyRequest>(),
      http.getResponse<FastifyReply>(),
      this.logger,
    );
  }
}

export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): void {
  const problem = error instanceof HttpException ? httpProblem(error, request) : problemOf(error);
  countRefusal(request, problem.code);
  if (problem.status >= 500) report(error, problem, request, logger);
  if (problem.status === 429 || problem.status === 503) {
    void reply.header('retry-after', String(problem.retryAfterSeconds));
  }
  // Fastify tells the client to close the connection after a body that is too large.
  if (problem.status === 413) reply.removeHeader('connection');
  // A browser would show its own password prompt over our page.
  if (problem.status === 401 && !isFromPage(request)) {
    void reply.header('www-authenticate', 'Basic realm="heddle"');
  }
  refuseBody(request.raw, callerOf(request), () => {
    void reply
      .status(problem.status)
      .type('application/json')
      .send(JSON.stringify(body(problem, request)));
  });
}

function body(problem: ProblemError, request: FastifyRequest): object {
  if (problem.code === 'not_found' && problem.extras['detail'] === 'Not Found')
    return problem.extras;
  const { detail, ...extras } = problem.extras;
  if (detail !== undefined) return { detail };
  // An unexpected error shows only the id to find it in the log.
  const found = problem.code === 'internal' ? { request_id: request.id } : {};
  return { reason: problem.message, error_code: problem.code, ...found, ...extras };
}

/** Refusals of Fastify that Nest passes on with the status only. */
const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'unsupported_encoding',
  431: 'headers_too_large',
};

/** Maps what Nest throws itself: an unknown route, a body that is too large. */
function httpProblem(error: HttpException, request: FastifyRequest): ProblemError {
  const status = error.getStatus();
  const allowed = status === 404 ? otherMethods(request) : [];
  if (allowed.length > 0) {
    const path = request.url.slice(0, 200);
    return new ProblemError(
      'method_not_allowed',
      `${path} accepts ${allowed.join(', ')}, not ${request.method}.`,
    );
  }
  if (status === 404) return unknownRoute(request);
  if (status < 500)
    return new ProblemError(
      BY_STATUS[status] ?? 'invalid_request',
      BY_STATUS[status] ? undefined : error.message,
    );
  return new ProblemError('internal');
}

function unknownRoute({ url }: FastifyRequest): ProblemError {
  const why = whyUnserved(url);
  if (why !== undefined) return new ProblemError('not_served', why);
  return new ProblemError('not_found', undefined, { detail: 'Not Found' });
}

function otherMethods(request: FastifyRequest): string[] {
  const url = request.url.split('?')[0]!;
  return ['GET', 'POST', 'PUT', 'DELETE'].filter((method) =>
    request.server.hasRoute({ method, url }),
  );
}

/** The stack trace goes to the log; the client gets the id of the request. */
function report(
  error: unknown,
  problem: ProblemError,
  request: FastifyRequest,
  logger: Logger,
): void {
  const fields = { requestId: request.id, method: request.method, path: request.routeOptions.url };
  if (problem.code === 'internal') {
    logger.error('A request failed with an unexpected error.', {
      ...fields,
      error: described(error),
    });
    return;
  }
  logger.debug('A request was refused for now.', { ...fields, code: problem.code });
}

const described = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : error;
