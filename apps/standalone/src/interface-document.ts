import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { readConfig } from '@app/config';
import { openApiOf } from '@app/http';
import { createLogger } from '@app/observability';
import { StandaloneModule } from './standalone.module.js';

/** Every operation of every app, as its controllers describe it. Nothing is started: it is a preview. */
export async function interfaceDocument(): Promise<ReturnType<typeof openApiOf>> {
  const module = StandaloneModule.register(readConfig({}), createLogger('docs', 'error'));
  const app = await NestFactory.create(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return openApiOf(app);
}
