import { jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Authenticator, ROLES, type Principal, type Role } from '@app/auth';
import { readConfig } from '@app/config';
import { createServer, routesOf } from '@app/http';
import { createLogger } from '@app/observability';
import { IngestProcess } from '../../apps/ingest/src/ingest.process.js';
import { QueryProcess } from '../../apps/query/src/query.process.js';
import { TestServer } from '../support/test-server.js';
import {
  accessMatrix,
  accessOf,
  nameOf,
  type AccessRow,
} from '../../apps/standalone/src/access-matrix.js';
import { ROUTE_SAMPLES, type Sample } from '../support/route-samples.js';

const [project, mine] = ['acme/guarded', 'mine/mine'];

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

  async function statusOf({ route }: AccessRow, sample: Sample, role: Role, scope: string) {
    caller = { user: 'eve', keyId: 'eve', role, scope };
    const [method, path] = route.split(' ') as [string, string];
    const filled = path.replace(':object_id', 'thing').replace(':digest', 'x'.repeat(43));
    const { status } = await server.send(sample.path ?? filled, sample.body, {
      method,
      ...(sample.headers && { headers: { ...sample.headers } }),
    });
    return status;
  }

  it('refuses a caller without access before it needs Redis or ClickHouse', async () => {
    const served = new Set(routesOf(app).map(({ method, path }) => `${method} ${path}`));
    const rows = (await accessMatrix()).filter(({ route, needs }) => needs && served.has(route));
    expect(rows.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const row of rows) {
      const { about, hiding = {} } = ROUTE_SAMPLES[nameOf(row)]!;
      const expect403 = async (what: string, sample: Sample, role: Role, scope: string) => {
        const status = await statusOf(row, sample, role, scope);
        if (status !== 403) wrong.push(`${nameOf(row)}, ${what}: ${status}`);
      };
      if (!row.isOwnScope) {
        await expect403('other entity', about(project), 'admin', 'other-entity');
        await expect403('other project', about(project), 'admin', 'acme/other');
      }
      for (const role of ROLES) {
        if (accessOf(row, { role, state: 'valid' }) === 403)
          await expect403(role, about(project), role, project);
      }
      for (const [place, sample] of Object.entries(hiding)) {
        await expect403(`hidden in ${place}`, sample(mine, project), 'admin', mine);
      }
    }
    expect(wrong).toEqual([]);
  });
});
