import type { LoggerService } from '@nestjs/common';
import multipart from '@fastify/multipart';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '@app/auth';
import { StartupError, type ServerConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { serveDocs } from './openapi.js';
import { sendClientError } from './client-errors.js';
import { printResponse } from './json-responses.js';
import { sendProblem, ProblemFilter } from './problem.filter.js';
import { takeCompressedBodies } from './request-encoding.js';
import { RequestBodyPipe } from './request-body.pipe.js';
import { askFirst, prepareTransport, refuseCrossSite, serverOptions } from './transport.js';

type RootModule = Parameters<typeof NestFactory.create>[0];

/** How every process of the server serves HTTP: same limits, same bodies, same refusals. */
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
  await prepareTransport(app, config);
  takeBodiesAsBytes(adapter.getInstance());
  takeLargeFlatBodies(adapter.getInstance(), config.bodyMaxBytes);
  // Forms are read by their operation, as streams; everything else about them has its own limits there.
  await app.register(multipart);
  takeCompressedBodies(adapter.getInstance(), config.bodyMaxBytes);
  refuseCrossSite(adapter.getInstance(), config.corsOrigins);
  askFirst(adapter.getInstance(), doorOf(app));
  app.useGlobalPipes(new RequestBodyPipe());
  app.useGlobalFilters(new ProblemFilter(logger));
  return app;
}

/** The worker serves health only, and has no door. */
function doorOf(app: NestFastifyApplication): () => Authenticator {
  let door: Authenticator | undefined;
  return () => (door ??= app.get<Authenticator>(Authenticator, { strict: false }));
}

/** Whatever it calls itself, a body is bytes until its operation reads it. */
function takeBodiesAsBytes(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  fastify.setReplySerializer(printResponse);
}

/** Operations whose bodies may be several times as large: a million digests, but nothing to be taken apart. */
const FLAT_BODIES: ReadonlySet<string> = new Set(['/table/create_from_digests']);
const FLAT_BODY_FACTOR = 4;

function takeLargeFlatBodies(fastify: FastifyInstance, maxBytes: number): void {
  fastify.addHook('onRoute', (route) => {
    if (FLAT_BODIES.has(route.url)) route.bodyLimit = maxBytes * FLAT_BODY_FACTOR;
  });
}

export interface Serving {
  readonly url: string;
  /** Stops taking requests, finishes those under way, then closes what the process holds. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly config: ServerConfig;
  /** Where to listen when the configuration does not say. */
  readonly port: number;
  readonly logger: Logger;
  /** Serve the description of the interface too. */
  readonly docs?: boolean;
}

export async function serve(
  module: RootModule,
  { config, port, logger, docs = false }: ServeOptions,
): Promise<Serving> {
  const app = await createServer(module, config, logger);
  if (docs) serveDocs(app);
  await listen(app, config.host, config.port || port);
  return { url: await app.getUrl(), close: () => app.close() };
}

async function listen(app: NestFastifyApplication, host: string, port: number): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    await app.close();
    throw startProblem(error, host, port);
  }
}

function startProblem(error: unknown, host: string, port: number): unknown {
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

/** Nest tells of its own start at length; only what is wrong is worth a line. */
function nestLogger(logger: Logger): LoggerService {
  const say = (message: unknown) => String(message);
  return {
    log: (message) => logger.debug(say(message)),
    debug: (message) => logger.debug(say(message)),
    verbose: (message) => logger.debug(say(message)),
    warn: (message) => logger.warn(say(message)),
    error: (message) => logger.error(say(message)),
    fatal: (message) => logger.error(say(message)),
  };
}
