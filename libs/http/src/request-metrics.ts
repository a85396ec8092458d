import type { FastifyInstance, FastifyRequest } from 'fastify';
import { counter, seconds } from '@app/observability';

const REQUESTS = counter('heddle_http_requests_total', 'Requests that were responded to.', [
  'operation',
  'status',
]);
const REFUSALS = counter(
  'heddle_http_refusals_total',
  'Requests that were refused, by error code.',
  ['operation', 'code'],
);
const DURATION = seconds(
  'heddle_http_request_seconds',
  'Time from the first byte of a request to the last byte of its response.',
  ['operation'],
);

/** Counts and times every request of a server. */
export function measureRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const operation = operationOf(request);
    REQUESTS.inc({ operation, status: reply.statusCode });
    DURATION.observe({ operation }, reply.elapsedTime / 1000);
    done();
  });
}

export const countRefusal = (request: FastifyRequest, code: string): void =>
  REFUSALS.inc({ operation: operationOf(request), code });

/** The route and not the path, which has names of projects and ids: every value of a label takes memory. */
export const operationOf = ({ method, routeOptions }: FastifyRequest): string =>
  routeOptions.url === undefined ? 'unknown' : `${method} ${routeOptions.url}`;
