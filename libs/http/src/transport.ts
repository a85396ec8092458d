import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import cors from '@fastify/cors';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '@app/auth';
import type { ServerConfig } from '@app/config';
import { IGNORED_HEADER } from './ignored-members.js';
import { ProblemError } from './problems.js';
import { setSecurityHeaders } from './security-headers.js';

const REQUEST_ID = 'x-request-id';
const HEADERS_TIMEOUT_MAX_MS = 20_000;

/** Limits and timeouts of Fastify. */
export function serverOptions({ requestTimeoutMs, trustedProxies }: ServerConfig) {
  const headersTimeout = Math.min(HEADERS_TIMEOUT_MAX_MS, Math.ceil(requestTimeoutMs / 10));
  return {
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    // How often Node.js checks for slow requests.
    http: { headersTimeout, connectionsCheckingInterval: Math.min(5000, headersTimeout) },
    // Percent-encoded names and digests in a path can be longer than the default of the router.
    routerOptions: { maxParamLength: 1024 },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: requestId,
    rewriteUrl: ({ url }: IncomingMessage) => rewriteUrl(url ?? '/'),
  };
}

/** The id that the client sent, if it is safe to log; else a new one. */
function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Clients use the operations at `/` and under `/traces/`, and some join paths with two slashes. */
export function rewriteUrl(url: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark);
  const single = path.replace(/\/{2,}/g, '/');
  const plain = single.replace(/^\/traces(?=\/|$)/, '');
  const trimmed = plain.length > 1 ? plain.replace(/\/$/, '') : plain;
  return (trimmed || '/') + query;
}

/** Registers security headers, CORS and request ids. */
export async function prepareTransport(
  app: NestFastifyApplication,
  { corsOrigins }: ServerConfig,
): Promise<void> {
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...corsOrigins],
      methods: ['GET', 'POST', 'PUT'],
      exposedHeaders: [REQUEST_ID, 'retry-after', 'x-heddle-pending', IGNORED_HEADER],
      maxAge: 600,
    });
  }
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      setSecurityHeaders(reply.raw);
      void reply.header(REQUEST_ID, request.id);
      done();
    });
}

const WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The login. Its body has the key, so it is read first; it is small. */
const LOGIN = { method: 'POST', url: '/session', maxBytes: 4096 } as const;

export function limitLoginBody(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url === LOGIN.url) route.bodyLimit = LOGIN.maxBytes;
  });
}

const isLogin = ({ method, routeOptions }: FastifyRequest) =>
  method === LOGIN.method && routeOptions.url === LOGIN.url;

/** Authenticates before the body is read. Other operations that need no key have no body. */
export function authenticateFirst(
  fastify: FastifyInstance,
  authenticator: () => Authenticator,
): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.is404 || !WITH_BODY.includes(request.method) || isLogin(request)) return done();
    authenticator()
      .identify(request)
      .then(() => done(), done);
  });
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

interface RequestOrigin {
  readonly method: string;
  /** The Host header of the client; proxies do not change it. */
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a page of another site made the browser send this request. A browser that has a key for our pages sends it with
 * every request to us, also with those of other pages. Programs send neither of these headers.
 */
export function isCrossSite(
  { method, host, headers }: RequestOrigin,
  allowed: readonly string[],
): boolean {
  const { origin } = headers;
  if (SAFE_METHODS.includes(method) || (origin !== undefined && allowed.includes(origin)))
    return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  // Browsers send no sec-fetch-site over plain http, and old browsers never do.
  return origin !== undefined && hostOf(origin) !== host.toLowerCase();
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/** Runs before authentication. */
export function refuseCrossSite(fastify: FastifyInstance, allowed: readonly string[]): void {
  fastify.addHook('onRequest', ({ method, host, headers }, _reply, done) => {
    const isRefused = isCrossSite({ method, host, headers }, allowed);
    done(isRefused ? new ProblemError('cross_site') : undefined);
  });
}

/** A larger ratio is a decompression bomb: text does not shrink that much. Small bodies are exempt. */
const RATIO_MAX = 200;
const RATIO_FREE_BYTES = 64 * 1024;

type Decompress = () => Transform;

/** Node has zstd since 22.15 and 23.8. */
const zstd = (zlib as { createZstdDecompress?: Decompress }).createZstdDecompress;

const ENCODINGS: Readonly<Record<string, Decompress | undefined>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd,
};

/** Decompresses bodies. The limit applies to the size after decompression. */
export function acceptCompressedBodies(fastify: FastifyInstance, maxBytes: number): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase();
    if (encoding === undefined || encoding === '' || encoding === 'identity') {
      done(null, payload);
      return;
    }
    const decompress = ENCODINGS[encoding];
    if (decompress === undefined) {
      done(unsupported(encoding));
      return;
    }
    delete request.headers['content-length'];
    // Without either header Fastify takes a request without a content type for one without a body.
    request.headers['transfer-encoding'] ??= 'chunked';
    done(null, decompressed(payload as Readable, decompress(), maxBytes));
  });
}

function unsupported(encoding: string): ProblemError {
  const known = Object.keys(ENCODINGS).filter((name) => ENCODINGS[name] !== undefined);
  return new ProblemError(
    'unsupported_encoding',
    `Content-Encoding ${encoding.slice(0, 40)} is not one of ${known.join(', ')}.`,
  );
}

function decompressed(source: Readable, decompress: Transform, maxBytes: number): Readable {
  let received = 0;
  source.on('data', (bytes: Buffer) => (received += bytes.length));
  const limit = new Limit((sent) => {
    if (sent > maxBytes) return new ProblemError('body_too_large');
    const isBomb = sent > RATIO_FREE_BYTES && sent > received * RATIO_MAX;
    return isBomb
      ? new ProblemError(
          'body_too_large',
          `The body grows too much when it is decompressed: more than ${RATIO_MAX} times.`,
        )
      : undefined;
  });
  decompress.on('error', (error) => {
    limit.destroy(
      error instanceof ProblemError
        ? error
        : new ProblemError('not_json', `The body cannot be decompressed: ${error.message}.`),
    );
  });
  source.on('error', (error) => limit.destroy(error));
  // The rest of a refused body must be read. Otherwise the next request on this connection never starts.
  limit.on('error', () => source.unpipe(decompress).resume());
  source.pipe(decompress).pipe(limit);
  return limit;
}

/** Forwards bytes until `refuse` returns an error. */
class Limit extends Transform {
  private sent = 0;

  constructor(private readonly refuse: (sent: number) => ProblemError | undefined) {
    super();
  }

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.sent += bytes.length;
    const problem = this.refuse(this.sent);
    if (problem === undefined) done(null, bytes);
    else done(problem);
  }
}
