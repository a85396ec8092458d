import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, runInSpan, startRequestSpan, type Span } from '@app/observability';
import { operationOf } from './request-metrics.js';

/**
 * Routes that never start a trace. A request to `/otel` may bring the spans of a Heddle: if it made spans, those would be exported with
 * another such request, without end. The rule is by route, so no client can hide other requests behind it. The others are
 * probes, which would be most of all traces.
 */
const UNTRACED =
  /^\/((agents\/)?otel\/|(healthz|readyz|health|metrics|version|server_info|docs)(\/|$))/;

export const isTraced = (route: string): boolean => !UNTRACED.test(route);

/** Starts a trace for a sample of the requests. Without tracing there are no hooks. */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const span = spanFor(request);
    if (span !== undefined) spans.set(request, span);
    done();
  });
  // Not earlier, because the body arrives in events of the socket, which know no request.
  fastify.addHook('preHandler', (request, _reply, done) => runInSpan(spans.get(request), done));
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.fail(`status ${reply.statusCode}`);
    span?.end();
    done();
  });
}

function spanFor(request: FastifyRequest): Span | undefined {
  const { url: route } = request.routeOptions;
  if (route === undefined || !isTraced(route)) return undefined;
  return startRequestSpan(operationOf(request), request.headers['traceparent'])
    ?.set('http.request.method', request.method)
    .set('http.route', route)
    .set('heddle.request_id', request.id);
}
