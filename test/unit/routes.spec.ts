import { readFileSync } from 'node:fs';
import type { ExecutionContext, INestApplication, Type } from '@nestjs/common';
import { APP_GUARD, ModulesContainer, NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Authenticator } from '@app/auth';
import { readConfig } from '@app/config';
import { routesOf, type Route } from '@app/http';
import { createLogger } from '@app/observability';
import { IngestProcess } from '../../apps/ingest/src/ingest.process.js';
import { QueryProcess } from '../../apps/query/src/query.process.js';
import {
  gatewayRoutes,
  interfaceDocument,
  previewServer,
} from '../../apps/standalone/src/interface-document.js';
import { accessMatrix, accessReference, nameOf } from '../../apps/standalone/src/access-matrix.js';
import { ROUTE_SAMPLES } from '../support/route-samples.js';
import { KeyGuard } from '../../libs/auth/src/key.guard.js';

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const lineOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** OpenAPI writes a parameter as `{name}`, Nest writes it as `:name`. */
const inNest = (line: string) => line.replace(/\{(\w+)\}/g, ':$1');

/** Served by ingest. */
const WRITES = [
  'DELETE /annotation_queues/:queue_id',
  'DELETE /v2/:entity/:project/datasets/:object_id',
  'DELETE /v2/:entity/:project/evaluation_runs',
  'DELETE /v2/:entity/:project/evaluations/:object_id',
  'DELETE /v2/:entity/:project/models/:object_id',
  'DELETE /v2/:entity/:project/ops/:object_id',
  'DELETE /v2/:entity/:project/predictions',
  'DELETE /v2/:entity/:project/scorers/:object_id',
  'DELETE /v2/:entity/:project/scores',
  'POST /admin/dead-letters/check',
  'POST /admin/dead-letters/content',
  'POST /admin/dead-letters/drop',
  'POST /admin/dead-letters/find',
  'POST /admin/dead-letters/query',
  'POST /admin/dead-letters/read',
  'POST /admin/dead-letters/replay',
  'POST /admin/erasures',
  'POST /admin/erasures/query',
  'POST /admin/keys/create',
  'POST /admin/keys/list',
  'POST /admin/keys/revoke',
  'POST /admin/keys/rotate',
  'POST /agents/otel/v1/traces',
  'POST /alerts/create',
  'POST /alerts/delete',
  'POST /alerts/history',
  'POST /alerts/query',
  'POST /alerts/test',
  'POST /alerts/update',
  'POST /annotation_queues',
  'POST /annotation_queues/:queue_id/items',
  'POST /annotation_queues/:queue_id/items/:item_id/progress',
  'POST /call/end',
  'POST /call/start',
  'POST /call/update',
  'POST /call/upsert_batch',
  'POST /calls/delete',
  'POST /cost/create',
  'POST /cost/purge',
  'POST /dataset_sources/link',
  'POST /dataset_sources/link_delete',
  'POST /feedback/batch/create',
  'POST /feedback/create',
  'POST /feedback/purge',
  'POST /feedback/replace',
  'POST /file/create',
  'POST /files/create',
  'POST /obj/create',
  'POST /obj/delete',
  'POST /objs/:object_id/aliases/remove',
  'POST /objs/:object_id/versions/:digest/tags/remove',
  'POST /otel/v1/traces',
  'POST /project/ttl_settings/update',
  'POST /service/projects_info',
  'POST /table/create',
  'POST /table/create_from_digests',
  'POST /table/update',
  'POST /v2/:entity/:project/call/end',
  'POST /v2/:entity/:project/call/start',
  'POST /v2/:entity/:project/calls/complete',
  'POST /v2/:entity/:project/datasets',
  'POST /v2/:entity/:project/evaluation_runs',
  'POST /v2/:entity/:project/evaluation_runs/:evaluation_run_id/finish',
  'POST /v2/:entity/:project/evaluations',
  'POST /v2/:entity/:project/models',
  'POST /v2/:entity/:project/ops',
  'POST /v2/:entity/:project/predictions',
  'POST /v2/:entity/:project/predictions/:prediction_id/finish',
  'POST /v2/:entity/:project/scorers',
  'POST /v2/:entity/:project/scores',
  'PUT /annotation_queues/:queue_id',
  'PUT /objs/:object_id/aliases',
  'PUT /objs/:object_id/versions/:digest/tags',
  'PUT /v2/:entity/:project/runtimes/:runtime_name',
];

/** Served by query. */
const READS = [
  'GET /admin/health',
  'POST /admin/audit/query',
  'POST /admin/audit/verify',
  'POST /admin/ledger',
  'POST /admin/retention/preview',
  'POST /project/ttl_settings/read',
  'GET /session',
  'DELETE /session',
  'GET /aliases',
  'GET /annotation_queues/:queue_id',
  'GET /tags',
  'POST /agents/agent-versions/query',
  'POST /agents/conversations/chat',
  'POST /agents/conversations/spans',
  'POST /agents/query',
  'POST /agents/search',
  'POST /agents/spans/custom-attrs/schema',
  'POST /agents/spans/query',
  'POST /agents/spans/stats',
  'POST /agents/traces/chat',
  'POST /annotation_queues/:queue_id/items/query',
  'POST /annotation_queues/query',
  'POST /annotation_queues/stats',
  'POST /call/read',
  'POST /call/payload',
  'POST /calls/export',
  'POST /calls/facets',
  'POST /calls/histogram',
  'POST /calls/preview',
  'POST /calls/query',
  'POST /calls/query_stats',
  'POST /calls/stream_query',
  'POST /calls/stats',
  'POST /calls/tail',
  'POST /calls/usage',
  'POST /cost/query',
  'POST /cost/repricing',
  'POST /cost/what_if',
  'POST /costs/report',
  'POST /dataset_sources/query',
  'POST /dataset_sources/source_datasets_query',
  'POST /feedback/aggregate',
  'POST /feedback/payload_schema',
  'POST /feedback/query',
  'POST /feedback/stats',
  'POST /file/content',
  'POST /file/query_stats',
  'POST /files/content',
  'POST /files/query_stats',
  'POST /files/stats',
  'POST /graphql',
  'POST /obj/read',
  'POST /objs/query',
  'POST /project/stats',
  'POST /projects/query',
  'POST /refs/read_batch',
  'POST /table/query',
  'POST /table/query_stats',
  'POST /table/query_stats_batch',
  'POST /table/query_stream',
  'POST /threads/stream_query',
  'POST /trace/tree',
  'POST /trace/usage',
  'GET /v2/:entity/:project/ops',
  'GET /v2/:entity/:project/ops/:object_id/versions/:digest',
  'GET /v2/:entity/:project/datasets',
  'GET /v2/:entity/:project/datasets/:object_id/versions/:digest',
  'GET /v2/:entity/:project/scorers',
  'GET /v2/:entity/:project/scorers/:object_id/versions/:digest',
  'GET /v2/:entity/:project/evaluations',
  'GET /v2/:entity/:project/evaluations/:object_id/versions/:digest',
  'GET /v2/:entity/:project/models',
  'GET /v2/:entity/:project/models/:object_id/versions/:digest',
  'GET /v2/:entity/:project/evaluation_runs',
  'GET /v2/:entity/:project/evaluation_runs/:evaluation_run_id',
  'GET /v2/:entity/:project/predictions',
  'GET /v2/:entity/:project/predictions/:prediction_id',
  'GET /v2/:entity/:project/scores',
  'GET /v2/:entity/:project/scores/:score_id',
  'POST /v2/:entity/:project/eval_results/query',
];

/** The files of the page, served by query without a key. */
const PAGES = [
  'GET /',
  'GET /:entity/:project',
  'GET /:entity/:project/r/call/:id',
  'GET /:entity/:project/weave',
  'GET /:entity/:project/weave/*',
  'GET /assets/:name',
];

const OPERATIONS = [...WRITES, ...READS].sort();

/** The routes that need no key. */
const PUBLIC = [
  'GET /health',
  'GET /healthz',
  'GET /metrics',
  'GET /readyz',
  'GET /server_info',
  'GET /version',
];

/** Logins need no session, because they start one. */
const LOGINS = [
  'POST /session',
  'GET /session/methods',
  'GET /session/openid',
  'GET /session/openid/callback',
];

describe('the routes of the server', () => {
  it('are exactly these', async () => {
    const routes = routesOf(await previewServer()).map(lineOf);

    expect(routes.sort()).toEqual([...OPERATIONS, ...PUBLIC, ...PAGES, ...LOGINS].sort());
  });

  it('have a sample for the access tests, with every place of a request that can name a project', async () => {
    const rows = (await accessMatrix()).filter(({ needs }) => needs !== undefined);

    expect(Object.keys(ROUTE_SAMPLES).sort()).toEqual(rows.map(nameOf));
  });

  it('declare what they need, unless they are public', async () => {
    const open = (await accessMatrix()).filter(({ needs }) => needs === undefined).map(nameOf);

    expect(open).toEqual([...PUBLIC, ...PAGES, ...LOGINS].sort());
  });

  it('are listed with what each role may do in an up-to-date docs/reference/access.md', async () => {
    expect(text('docs/reference/access.md')).toBe(accessReference(await accessMatrix()));
  });

  it('are the operations that the OpenAPI document describes', async () => {
    const { paths } = await interfaceDocument();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );

    expect(described.map(inNest).sort()).toEqual([...OPERATIONS, ...LOGINS].sort());
  });

  it('are described in an up-to-date docs/reference/openapi.json', async () => {
    expect(text('docs/reference/openapi.json')).toBe(
      `${JSON.stringify(await interfaceDocument(), null, 2)}\n`,
    );
  });
});

describe('the guard', () => {
  const config = readConfig({});
  const logger = createLogger('test', 'error');
  const preview = (module: Parameters<typeof NestFactory.create>[0]) =>
    NestFactory.create(module, new FastifyAdapter(), { preview: true, logger: false });

  const isGuarded = (app: INestApplication) =>
    [...app.get(ModulesContainer).values()]
      .flatMap(({ providers }) => [...providers.keys()])
      .some((token) => String(token).startsWith(APP_GUARD));

  /** Whether the guard accepts a request to this route without a key. */
  const acceptsWithoutKey = ({ controller, handler }: Route) => {
    const guard = new KeyGuard({} as Authenticator, new Reflector());
    const context = {
      getClass: (): Type => controller,
      getHandler: () => handler,
      switchToHttp: () => ({ getRequest: () => ({ headers: {} }) }),
    };
    return guard.canActivate(context as unknown as ExecutionContext).catch(() => false);
  };

  it.each([
    ['standalone', previewServer, [...PUBLIC, ...PAGES, ...LOGINS]],
    ['ingest', () => preview(IngestProcess.register(config, logger)), PUBLIC],
    [
      'query',
      () => preview(QueryProcess.register(config, logger)),
      [...PUBLIC, ...PAGES, ...LOGINS],
    ],
  ])(
    'guards every route of %s and accepts requests without a key only for the page, its login, health and version',
    async (_, open, accepted) => {
      const app = await open();
      const routes = routesOf(app);
      const isAccepted = await Promise.all(routes.map(acceptsWithoutKey));

      expect(isGuarded(app)).toBe(true);
      expect(
        routes
          .filter((_route, i) => isAccepted[i])
          .map(lineOf)
          .sort(),
      ).toEqual([...accepted].sort());
    },
  );
});

describe('the gateway', () => {
  it('has a route for every route of the server', async () => {
    const routes = await gatewayRoutes();
    const described = ['GET /docs', 'GET /openapi.json'];

    expect(routes.map(lineOf).sort()).toEqual(
      [...OPERATIONS, ...PUBLIC, ...PAGES, ...LOGINS, ...described].sort(),
    );
  });

  it('sends writes to ingest, and reads, health and the OpenAPI document to query', async () => {
    const routes = await gatewayRoutes();
    const toIngest = routes.filter(({ app }) => app === 'ingest');

    expect(toIngest.map(lineOf).sort()).toEqual(WRITES);
  });

  it.each([
    ['compose', 'deploy/gateway/nginx.conf'],
    ['helm', 'deploy/helm/heddle/files/nginx.conf'],
  ])('is configured for these routes with %s', async (platform, file) => {
    // The script is JavaScript without types.
    const script = new URL('../../scripts/gateway.mjs', import.meta.url).href;
    const { renderGateway } = (await import(script)) as {
      renderGateway: (routes: readonly object[], platform: string) => string;
    };

    expect(text(file)).toBe(renderGateway(await gatewayRoutes(), platform));
  });

  it('has the same routes in the cluster tests, which run without nginx', async () => {
    // The script is JavaScript without types.
    const script = new URL('../support/cluster-gateway.mjs', import.meta.url).href;
    const { routesOf: appsOf } = (await import(script)) as {
      routesOf: (conf: string) => (method: string, url: string) => string;
    };
    const appOf = appsOf(text('deploy/gateway/nginx.conf'));
    const routes = await gatewayRoutes();
    const sample = (path: string) => path.replace(/[:*]\w+/g, 'a.b-1');

    expect(
      routes.map((route) => ({
        ...route,
        app: appOf(route.method, sample(route.path)),
        prefixed: appOf(route.method, `/traces${sample(route.path)}?x=1`),
      })),
    ).toEqual(routes.map((route) => ({ ...route, prefixed: route.app })));
  });
});
