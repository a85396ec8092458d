import type { INestApplication, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/internal';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { readConfig } from '@app/config';
import { openApiOf, routesOf } from '@app/http';
import { createLogger } from '@app/observability';
import { IngestModule } from '../../ingest/src/ingest.module.js';
import { StandaloneModule } from './standalone.module.js';

/** Every operation of every app, as its controllers describe it, in an order that no module decides. */
export async function interfaceDocument(): Promise<OpenAPIObject> {
  const { paths, components, ...rest } = openApiOf(await previewServer());
  const schemas = sorted(components?.schemas ?? {});
  return { ...rest, paths: sorted(paths), components: { ...components, schemas } };
}

const sorted = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

export interface GatewayRoute {
  readonly method: string;
  readonly path: string;
  readonly app: 'ingest' | 'query';
}

/** Which app serves a route. Query serves the health of the server and the description of the interface. */
export async function gatewayRoutes(): Promise<GatewayRoute[]> {
  const ingest = Reflect.getMetadata(MODULE_METADATA.IMPORTS, IngestModule) as readonly Type[];
  const routes = routesOf(await previewServer()).map(({ method, path, module }): GatewayRoute => ({
    method,
    path,
    app: ingest.includes(module) ? 'ingest' : 'query',
  }));
  const description = ['/docs', '/openapi.json'].map((path): GatewayRoute => ({
    method: 'GET',
    path,
    app: 'query',
  }));
  return [...routes, ...description];
}

/** The standalone application with its routes, but without instances and connections. */
export function previewServer(): Promise<INestApplication> {
  const module = StandaloneModule.register(readConfig({}), createLogger('docs', 'error'));
  return NestFactory.create(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}
