import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { readConfig } from '@app/config';
import { openApiOf, routesOf } from '@app/http';
import { createLogger } from '@app/observability';
import { IngestModule } from '../../ingest/src/ingest.module.js';
import { StandaloneModule } from './standalone.module.js';

/** Every operation of every app, as its controllers describe it. */
export async function interfaceDocument(): Promise<ReturnType<typeof openApiOf>> {
  return openApiOf(await previewServer());
}

export interface GatewayRoute {
  readonly method: string;
  readonly path: string;
  readonly app: 'ingest' | 'query';
}

/** Which app answers what. Query answers for the server: its health, and the description of the interface. */
export async function gatewayRoutes(): Promise<GatewayRoute[]> {
  const routes = routesOf(await previewServer()).map(({ method, path, module }): GatewayRoute => ({
    method,
    path,
    app: module === IngestModule ? 'ingest' : 'query',
  }));
  const description = ['/docs', '/openapi.json'].map((path): GatewayRoute => ({
    method: 'GET',
    path,
    app: 'query',
  }));
  return [...routes, ...description];
}

/** The standalone application without anything started: no connection, no instance, only what it is made of. */
export function previewServer(): Promise<INestApplication> {
  const module = StandaloneModule.register(readConfig({}), createLogger('docs', 'error'));
  return NestFactory.create(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}
