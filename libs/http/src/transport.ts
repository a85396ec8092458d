import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '@app/auth';
import type { ServerConfig } from '@app/config';
import { ProblemError } from './problems.js';

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
    rewriteUrl: ({ url }: IncomingMessage) => rewriteUrl(url ?? '/'),
  };
}

/** The caller's own id for a request, when it is one that can be logged as it is. */
function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Clients reach the same operations at `/` and under `/traces/`, and some join paths with a slash too many. */
export function rewriteUrl(url: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark);
  const single = path.replace(/\/{2,}/g, '/');
  const plain = single.replace(/^\/traces(?=\/|$)/, '');
  const trimmed = plain.length > 1 ? plain.replace(/\/$/, '') : plain;
  return (trimmed || '/') + query;
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

const HARMLESS = ['GET', 'HEAD', 'OPTIONS'];

interface Asked {
  readonly method: string;
  /** As the client wrote it, whatever proxies are between. */
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a page of somebody else makes a browser ask this. A browser that has once been given a key for our pages sends it
 * with every request to us, whoever made it ask. Programs send neither of these headers.
 */
export function isCrossSite({ method, host, headers }: Asked, allowed: readonly string[]): boolean {
  const { origin } = headers;
  if (HARMLESS.includes(method) || (origin !== undefined && allowed.includes(origin))) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  // Browsers say nothing about the site over plain http, and old ones never.
  return origin !== undefined && hostOf(origin) !== host.toLowerCase();
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/** Before anybody is asked who they are. */
export function refuseCrossSite(fastify: FastifyInstance, allowed: readonly string[]): void {
  fastify.addHook('onRequest', async ({ method, host, headers }) => {
    if (isCrossSite({ method, host, headers }, allowed)) throw new ProblemError('cross_site');
  });
}
