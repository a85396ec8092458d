import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '@app/auth';
import type { ServerConfig } from '@app/config';

const REQUEST_ID = 'x-request-id';
const HEADERS_TIMEOUT_MAX_MS = 20_000;

/** What the server below Nest allows a connection. */
export function serverOptions({ requestTimeoutMs, trustedProxies }: ServerConfig) {
  const headersTimeout = Math.min(HEADERS_TIMEOUT_MAX_MS, Math.ceil(requestTimeoutMs / 10));
  return {
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    // Slow requests are looked for this often.
    http: { headersTimeout, connectionsCheckingInterval: Math.min(5000, headersTimeout) },
    // Names and digests in a path are longer than the router's default when they are percent-encoded.
    routerOptions: { maxParamLength: 1024 },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: requestId,
  };
}

/** The caller's own id for a request, when it is one that can be logged as it is. */
function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** The headers of every answer, and what browsers are allowed. */
export async function prepareTransport(
  app: NestFastifyApplication,
  { corsOrigins }: ServerConfig,
): Promise<void> {
  // Plain HTTP is served on purpose behind a gateway: a page must not ask for its parts by https.
  const directives = { 'upgrade-insecure-requests': null };
  await app.register(helmet, { contentSecurityPolicy: { useDefaults: true, directives } });
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...corsOrigins],
      methods: ['GET', 'POST', 'PUT'],
      exposedHeaders: [REQUEST_ID, 'retry-after', 'x-heddle-pending'],
      maxAge: 600,
    });
  }
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      void reply.header(REQUEST_ID, request.id);
      done();
    });
}

const WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** A body is read only for somebody known; what needs no key has no body. */
export function askFirst(fastify: FastifyInstance, door: () => Authenticator): void {
  fastify.addHook('onRequest', async (request: FastifyRequest) => {
    if (request.is404 || !WITH_BODY.includes(request.method)) return;
    await door().identify(request);
  });
}
