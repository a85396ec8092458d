import type { LoggerService } from '@nestjs/common';
import multipart from '@fastify/multipart';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '@app/auth';
import { StartupError, type ServerConfig } from '@app/config';
import { stopTracing, type Logger } from '@app/observability';
import { serveDocs } from './openapi.js';
import { sendClientError } from './client-errors.js';
import { compressResponses } from './compression.js';
import { sendIgnored } from './ignored-members.js';
import { limitConnections } from './connections.js';
import { printResponse } from './json-responses.js';
import { ProblemFilter, sendProblem } from './problem.filter.js';
import {
  acceptCompressedBodies,
  authenticateFirst,
  limitLoginBody,
  prepareTransport,
  refuseCrossSite,
  serverOptions,
} from './transport.js';
import { receiveBodies } from './receive-body.js';
import { RequestBodyPipe } from './request-body.pipe.js';
import { measureRequests } from './request-metrics.js';
import { traceRequests } from './request-spans.js';

type RootModule = Parameters<typeof NestFactory.create>[0];

/** All processes serve HTTP with the same limits, body parsing and refusals. */
export async function createServer(
  module: RootModule,
  config: ServerConfig,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: config.bodyMaxBytes,
    forceCloseConnections: 'idle',
    ...serverOptions(config),
    clientErrorHandler: sendClientError,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(error, request, reply, logger),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger(logger),
  });
  limitConnections(adapter.getInstance().server, config);
  measureRequests(adapter.getInstance());
  traceRequests(adapter.getInstance());
  await prepareTransport(app, config);
  receiveBodies(adapter.getInstance(), config.bodiesMaxBytes);
  adapter.getInstance().setReplySerializer(printResponse);
  acceptLargeFlatBodies(adapter.getInstance(), config.bodyMaxBytes);
  limitLoginBody(adapter.getInstance());
  // The operation reads the form as a stream and sets its limits.
  await app.register(multipart);
  acceptCompressedBodies(adapter.getInstance(), config.bodyMaxBytes);
  compressResponses(adapter.getInstance());
  sendIgnored(adapter.getInstance());
  refuseCrossSite(adapter.getInstance(), config.corsOrigins);
  authenticateFirst(adapter.getInstance(), authenticatorOf(app));
  app.useGlobalPipes(new RequestBodyPipe());
  app.useGlobalFilters(new ProblemFilter(logger));
  return app;
}

/** Looked up at the first request, because the worker has no Authenticator: it serves only health. */
function authenticatorOf(app: NestFastifyApplication): () => Authenticator {
  let authenticator: Authenticator | undefined;
  return () => (authenticator ??= app.get<Authenticator>(Authenticator, { strict: false }));
}

/** Fastify parses no body, whatever its content type: the pipe or the operation does. */
/** Operations whose bodies may be larger, because they have only a list of digests. */
const FLAT_BODIES: ReadonlySet<string> = new Set(['/table/create_from_digests']);
const FLAT_BODY_FACTOR = 4;

function acceptLargeFlatBodies(fastify: FastifyInstance, maxBytes: number): void {
  fastify.addHook('onRoute', (route) => {
    if (FLAT_BODIES.has(route.url)) route.bodyLimit = maxBytes * FLAT_BODY_FACTOR;
  });
}

export interface Serving {
  readonly url: string;
  /** Stops accepting requests, finishes those in progress, then closes all connections. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly config: ServerConfig;
  /** The port when the configuration has none. */
  readonly port: number;
  readonly logger: Logger;
  /** Also serve the OpenAPI document. */
  readonly docs?: boolean;
}

export async function serve(
  module: RootModule,
  { config, port, logger, docs = false }: ServeOptions,
): Promise<Serving> {
  const app = await createServer(module, config, logger);
  if (docs) serveDocs(app);
  await listen(app, config.host, config.port || port);
  const close = async () => {
    await app.close();
    await stopTracing();
  };
  return { url: await app.getUrl(), close };
}

/** New connections that wait to be accepted. Linux drops those above it, and their clients try again only after a second. */
const BACKLOG = 4096;

async function listen(app: NestFastifyApplication, host: string, port: number): Promise<void> {
  try {
    await app.listen({ port, host, backlog: BACKLOG });
  } catch (error) {
    await app.close();
    throw startupError(error, host, port);
  }
}

function startupError(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return new StartupError(
      `Port ${port} on ${host} is in use; stop what uses it or set PORT to another.`,
    );
  }
  if (code === 'EACCES') {
    return new StartupError(
      `Port ${port} needs more rights than this process has; set PORT above 1023.`,
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartupError(
      `${host} is not an address of this machine; set HOST to one, such as 127.0.0.1.`,
    );
  }
  return error;
}

/** Nest logs every step of its start; only warnings and errors are logged above debug. */
function nestLogger(logger: Logger): LoggerService {
  const text = (message: unknown) => String(message);
  return {
    log: (message) => logger.debug(text(message)),
    debug: (message) => logger.debug(text(message)),
    verbose: (message) => logger.debug(text(message)),
    warn: (message) => logger.warn(text(message)),
    error: (message) => logger.error(text(message)),
    fatal: (message) => logger.error(text(message)),
  };
}
