import { jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Authenticator, type Principal, type Role } from '@app/auth';
import { readConfig } from '@app/config';
import { createServer, routesOf, type Route } from '@app/http';
import { createLogger } from '@app/observability';
import { IngestProcess } from '../../apps/ingest/src/ingest.process.js';
import { QueryProcess } from '../../apps/query/src/query.process.js';
import { TestServer } from '../support/test-server.js';
import { ROUTE_SAMPLES, WEAKER, type Sample } from '../support/route-samples.js';

const [project, mine] = ['acme/guarded', 'mine/mine'];

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/**
 * The apps run without Redis and ClickHouse. A caller without access must be refused before the app needs either: a
 * route that accepts such a caller responds with 503 instead of 403.
 */
describe.each([
  ['ingest', IngestProcess],
  ['query', QueryProcess],
])('every route of %s', (_name, process) => {
  let app: NestFastifyApplication;
  let server: TestServer;
  let caller: Principal;

  beforeAll(async () => {
    // BullMQ prints to the console that Redis is unavailable.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const nowhere = { REDIS_URL: 'redis://127.0.0.1:1', CLICKHOUSE_URL: 'http://127.0.0.1:1' };
    const config = readConfig({ ...nowhere, HEDDLE_API_KEY: 'a-key-that-no-test-sends' });
    const logger = createLogger('test', 'error', { write: () => undefined });
    app = await createServer(process.register(config, logger), config.server, logger);
    await app.listen(0, '127.0.0.1');
    server = new TestServer(await app.getUrl(), 'eve');
    const authenticator = app.get(Authenticator, { strict: false });
    authenticator.identify = async (request) => (request.principal = caller);
    authenticator.countBody = async () => undefined;
  });
  afterAll(async () => {
    await app.close();
    jest.restoreAllMocks();
  });

  async function statusOf(route: Route, sample: Sample, role: Role, scope: string) {
    caller = { user: 'eve', keyId: 'eve', role, scope };
    const filled = route.path.replace(':object_id', 'thing').replace(':digest', 'x'.repeat(43));
    const { status } = await server.send(sample.path ?? filled, sample.body, {
      method: route.method,
      ...(sample.headers && { headers: { ...sample.headers } }),
    });
    return status;
  }

  it('refuses a caller without access before it needs Redis or ClickHouse', async () => {
    const routes = routesOf(app).filter((route) => nameOf(route) in ROUTE_SAMPLES);
    expect(routes.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const route of routes) {
      const { needs, about, hiding = {}, elsewhere = 403 } = ROUTE_SAMPLES[nameOf(route)]!;
      const expect403 = async (what: string, sample: Sample, role: Role, scope: string) => {
        const status = await statusOf(route, sample, role, scope);
        if (status !== 403) wrong.push(`${nameOf(route)}, ${what}: ${status}`);
      };
      if (elsewhere === 403) {
        await expect403('other entity', about(project), 'admin', 'other-entity');
        await expect403('other project', about(project), 'admin', 'acme/other');
      }
      for (const role of WEAKER[needs]) await expect403(role, about(project), role, project);
      for (const [place, sample] of Object.entries(hiding)) {
        await expect403(`hidden in ${place}`, sample(mine, project), 'admin', mine);
      }
    }
    expect(wrong).toEqual([]);
  });
});
