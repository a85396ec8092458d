import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AlertStore,
  newRule,
  WebhookAddresses,
  WebhookSender,
  type AlertKind,
  type AlertRule,
  type RuleRequest,
} from '@app/alerts';
import { CALLS, DEAD_LETTERS, PRICES, ROOT_USAGE, type CallRow, type Store } from '@app/clickhouse';
import { readConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { ALERT_RULES, ALERT_STATUSES, Redis } from '@app/redis';
import { micros, millis, type Millis } from '@app/wire';
import { CallFieldsReader } from '../../apps/query/src/calls/call-fields.reader.js';
import { PricesReader } from '../../apps/query/src/costs/prices.reader.js';
import { RetentionReader } from '../../apps/query/src/projects/retention.reader.js';
import { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { StatementQueue } from '../../apps/query/src/statement-queue.js';
import { CallsStatsReader } from '../../apps/query/src/usage/calls-stats.reader.js';
import { AlertDeliveries } from '../../apps/worker/src/alerts/alert-deliveries.js';
import { AlertValuesReader } from '../../apps/worker/src/alerts/alert-values.reader.js';
import { AlertsJob } from '../../apps/worker/src/alerts/alerts-job.js';
import { rootUsageOf } from '../../apps/worker/src/calls/calls.writer.js';
import { theRedis } from '../support/queue.js';
import { aCallRow, openStore } from '../support/store.js';
import { aProject } from '../support/test-server.js';

const NOON = millis(Date.UTC(2026, 2, 1, 12));
const LOOPBACK = ['127.0.0.0/8'];

let store: Store;
let redis: Redis;
let alerts: AlertStore;
const servers: Server[] = [];

beforeAll(() => {
  store = openStore();
  redis = new Redis(theRedis(6));
  alerts = new AlertStore(redis);
});
beforeEach(() => redis.del(ALERT_RULES, ALERT_STATUSES));
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  redis.disconnect();
  await store.close();
});

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver of webhooks, and what it has received. */
async function aReceiver(respond: (response: ServerResponse, count: number) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      respond(response, received.length);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?token=hidden`, received };
}

const accepting = () => aReceiver((response) => response.writeHead(200).end());

/** Runs the job as if it were this time. */
function run(at: Millis, allowedNetworks = LOOPBACK): Promise<void> {
  const job = new AlertsJob(
    alerts,
    new AlertValuesReader(store),
    new AlertDeliveries({ webhooks: { allowedNetworks } }),
    createLogger('test', 'error'),
  );
  return job.run(new AbortController().signal, () => at);
}

async function aRule(
  project: string,
  kind: AlertKind,
  request: Omit<RuleRequest, 'name'> = {},
): Promise<AlertRule> {
  const rule = newRule(kind, { name: kind, ...request }, 'ann', NOON);
  await alerts.add(project, rule);
  return rule;
}

const statusOf = async (project: string, { id }: AlertRule) =>
  (await alerts.read(project)).statuses[id];

async function calls(project_id: string, rows: readonly Partial<CallRow>[]): Promise<void> {
  const started_at = micros((NOON - 60_000) * 1000);
  const all = rows.map((row) =>
    aCallRow({ project_id, started_at, ended_at: micros(started_at + 2_000_000), ...row }),
  );
  await store.insert(CALLS, all);
  await store.insert(ROOT_USAGE, all.flatMap(rootUsageOf));
}

/** What `calls/stats` returns for an hour: of all calls under an empty text, and of each op. */
async function statistics(project_id: string, { start, end }: { start: number; end: number }) {
  const { query: bounds } = readConfig({});
  const config = { ...bounds, maxSeconds: 60, maxMemoryBytes: 2 ** 31 };
  const executor = new QueryExecutor(store, new StatementQueue(config), config);
  const prices = new PricesReader(executor);
  const retention = new RetentionReader(store);
  const fields = new CallFieldsReader(prices, retention);
  const reader = new CallsStatsReader(executor, prices, retention, fields);
  const context = {
    ...{ principal: { role: 'read' }, projectIds: [], signal: new AbortController().signal },
    explanations: undefined,
  } as unknown as ReadContext;
  const buckets = async (more: object) => {
    const request = {
      ...{ project_id, start: new Date(start).toISOString(), end: new Date(end).toISOString() },
      granularity: 3600,
      call_metrics: [{ metric: 'error_count' }, { metric: 'latency_ms', percentiles: [50, 95] }],
      ...more,
    };
    const text = await reader.stats(request, context);
    return JSON.parse(text).call_buckets as any[];
  };
  const all = [...(await buckets({})), ...(await buckets({ group_by: ['op'] }))];
  return new Map(
    all.map(({ op = '', count, sum_error_count, p50_latency_ms, p95_latency_ms }) => [
      op as string,
      {
        errorRate: Number(((sum_error_count * 100) / count).toFixed(6)),
        ...{ p50: p50_latency_ms, p95: p95_latency_ms, calls: count },
      },
    ]),
  );
}

describe('alert rules', () => {
  it('compare the figures of costs and statistics with their thresholds', async () => {
    const project = aProject();
    await store.insert(PRICES, [
      {
        ...{ level: 'project' as const, level_id: project, llm_id: 'm', effective_date: micros(0) },
        ...{ id: project, provider_id: 'x', prompt_cost: '0.1', completion_cost: '0.2' },
        ...{ cache_read_cost: '0', cache_write_cost: '0', prompt_unit: 'USD' },
        ...{ completion_unit: 'USD', created_by: 'ann', source: '', created_at: micros(1) },
        ...{ version: 1, is_deleted: 0 },
      },
    ]);
    const usage = {
      usage_model: ['m'],
      usage_requests: [1],
      usage_prompt: [3],
      usage_uncached: [3],
      usage_completion: [0],
      usage_cache_read: [0],
      usage_cache_write: [0],
      usage_total: [3],
    };
    await calls(project, [
      { status: 'error', op_id: 'f' },
      { status: 'success', op_id: 'g', ...usage },
    ]);
    await store.insert(DEAD_LETTERS, [
      {
        ...{ id: project, project_id: project, call_id: '', kind: 'start', reason: 'r' },
        ...{ user_id: 'ann', received_at: micros(NOON * 1000), chunk_id: '', chunk_index: 0 },
        ...{ item: Buffer.from('{}'), state: 'open' as const, changed_at: micros(1) },
      },
    ]);
    // 3 × 0.1 is 0.30000000000000004 as a float.
    const exact = await aRule(project, 'cost', { threshold: 0.3 });
    const below = await aRule(project, 'cost', { threshold: 0.29 });
    const errors = await aRule(project, 'error_rate', { threshold: 49.9 });
    const ofOp = await aRule(project, 'error_rate', { threshold: 0, op: 'g' });
    const slow = await aRule(project, 'latency', { threshold: 1999, percentile: 50 });
    const deadLettered = await aRule(project, 'dead_letters', { threshold: 0 });
    const silent = await aRule(project, 'no_data', { op: 'h' });
    const spoken = await aRule(project, 'no_data');

    await run(NOON);

    const { statuses } = await alerts.read(project);
    const shown = (rule: AlertRule) => [statuses[rule.id]!.state, statuses[rule.id]!.value];
    expect(shown(exact)).toEqual(['ok', '0.3']);
    expect(shown(below)).toEqual(['firing', '0.3']);
    expect(shown(errors)).toEqual(['firing', '50']);
    expect(shown(ofOp)).toEqual(['ok', '0']);
    expect(shown(slow)).toEqual(['firing', '2000']);
    expect(shown(deadLettered)).toEqual(['firing', '1']);
    expect(shown(silent)).toEqual(['firing', '0']);
    expect(shown(spoken)).toEqual(['ok', '2']);
  });

  it('evaluate error rates and latencies to the figures that calls/stats returns', async () => {
    const project = aProject();
    const at = (n: number) => micros((NOON - ((n * 37) % 3_600) * 1000 - 1) * 1000);
    const rows = Array.from({ length: 500 }, (_, n): Partial<CallRow> => ({
      started_at: at(n),
      // Some run still, and have no latency.
      ended_at: micros(n % 7 === 0 ? 0 : at(n) + ((n * 7919) % 9_973) * 1_001),
      status: n % 7 === 0 ? 'running' : n % 3 === 0 ? 'error' : 'success',
      op_id: n % 2 === 0 ? 'even' : 'odd',
      parent_id: n % 5 === 0 ? '' : 'p',
      is_deleted: n % 11 === 0 ? 1 : 0,
    }));
    const outside = [NOON, NOON - 3_600_001].map((ms) => ({
      ...{
        started_at: micros(ms * 1000),
        ended_at: micros(ms * 1000 + 1),
        status: 'error' as const,
      },
      op_id: 'odd',
    }));
    await calls(project, [...rows, ...outside]);

    const reader = new AlertValuesReader(store);
    const valueOf = async (kind: AlertKind, request: Omit<RuleRequest, 'name'>) => {
      const rule = newRule(
        kind,
        { name: kind, threshold: 0, windowMinutes: 60, ...request },
        'ann',
        NOON,
      );
      return Number((await reader.read(project, rule, NOON)).value);
    };
    const shown = await statistics(project, { start: NOON - 3_600_000, end: NOON });
    expect(shown.get('')!.calls).toBe(454);
    for (const [op, stats] of shown) {
      const ofOp = op === '' ? {} : { op };
      expect({
        op,
        errorRate: await valueOf('error_rate', ofOp),
        p50: await valueOf('latency', { ...ofOp, percentile: 50 }),
        p95: await valueOf('latency', { ...ofOp, percentile: 95 }),
        calls: await valueOf('no_data', { ...ofOp, threshold: undefined }),
      }).toEqual({ op, ...stats });
    }
  });

  it('have no data where a division by zero calls would be, and send nothing', async () => {
    const project = aProject();
    const receiver = await accepting();
    const webhookUrl = receiver.url;
    const errors = await aRule(project, 'error_rate', { threshold: 0, webhookUrl });
    const slow = await aRule(project, 'latency', { threshold: 0, webhookUrl });

    await run(NOON);

    for (const rule of [errors, slow]) {
      expect(await statusOf(project, rule)).toMatchObject({
        state: 'no_data',
        value: null,
        message: 'No call started in the window.',
      });
    }
    expect(receiver.received).toEqual([]);
  });

  it('are in error when their value cannot be read, and recover', async () => {
    const project = aProject();
    const rule = await aRule(project, 'no_data');
    const broken = { rows: () => Promise.reject(new Error('no store')) } as unknown as Store;
    const job = new AlertsJob(
      alerts,
      new AlertValuesReader(broken),
      new AlertDeliveries({ webhooks: { allowedNetworks: [] } }),
      createLogger('test', 'error', { write: () => undefined }),
    );
    await job.run(new AbortController().signal, () => NOON);
    expect(await statusOf(project, rule)).toMatchObject({ state: 'error', value: null });

    await run(millis(NOON + 60_000));
    expect(await statusOf(project, rule)).toMatchObject({ state: 'firing', value: '0' });
  });
});

describe('webhooks of alerts', () => {
  it('are signed, sent once when a rule fires, and once when it is resolved', async () => {
    const project = aProject();
    const receiver = await accepting();
    const rule = await aRule(project, 'no_data', { webhookUrl: receiver.url });
    await run(NOON);
    await run(millis(NOON + 60_000));
    await calls(project, [{ started_at: micros((NOON + 90_000) * 1000) }]);
    await run(millis(NOON + 120_000));

    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
      'alert.firing',
      'alert.resolved',
    ]);
    const [{ headers, body }] = receiver.received as [Received];
    const [id, timestamp] = ['webhook-id', 'webhook-timestamp'].map((name) =>
      String(headers[name]),
    );
    const key = Buffer.from(rule.webhook!.secret.replace('whsec_', ''), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${digest}`);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(JSON.parse(body).data).toMatchObject({ project_id: project, state: 'firing' });
    expect(body).not.toContain('hidden');
    const { events } = (await statusOf(project, rule))!;
    expect(events.map(({ delivery }) => delivery!.status)).toEqual(['delivered', 'delivered']);
  });

  it('are repeated with the same id while the receiver responds with 500', async () => {
    const project = aProject();
    const receiver = await aReceiver((response, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(),
    );
    const rule = await aRule(project, 'no_data', { webhookUrl: receiver.url });
    await run(NOON);
    const [failed] = (await statusOf(project, rule))!.events;
    expect(failed!.delivery).toMatchObject({
      status: 'pending',
      attempts: 1,
      error: 'The receiver responded with 500.',
    });
    await run(millis(NOON + 5000));
    expect(receiver.received).toHaveLength(1);
    await run(millis(NOON + 10_000));

    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([failed!.id, failed!.id]);
    expect((await statusOf(project, rule))!.events[0]!.delivery).toMatchObject({
      status: 'delivered',
      attempts: 2,
    });
  });

  it('do not follow a redirect to a private address', async () => {
    const project = aProject();
    const inside = await accepting();
    const receiver = await aReceiver((response) =>
      response.writeHead(307, { location: inside.url }).end(),
    );
    const rule = await aRule(project, 'no_data', { webhookUrl: receiver.url });
    await run(NOON);

    expect(inside.received).toEqual([]);
    expect((await statusOf(project, rule))!.events[0]!.delivery).toEqual({
      ...{ status: 'failed', attempts: 1, nextAt: null },
      error: 'The receiver responded with 307; redirects are not followed.',
    });
  });

  it('are not sent to a host whose address is private, unless it is allowed', async () => {
    const project = aProject();
    const receiver = await accepting();
    const webhookUrl = receiver.url.replace('127.0.0.1', 'localhost');
    const rule = await aRule(project, 'no_data', { webhookUrl });
    await run(NOON, []);

    expect(receiver.received).toEqual([]);
    const { delivery } = (await statusOf(project, rule))!.events[0]!;
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(delivery!.error).toMatch(/private or reserved address/);
  });

  it('end after a time limit when the receiver never responds, or never ends its response', async () => {
    const silent = await aReceiver(() => undefined);
    const endless = await aReceiver((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(100_000)), 5);
      response.on('close', () => clearInterval(timer));
    });
    const sender = new WebhookSender(new WebhookAddresses(LOOPBACK), 300);
    const message = { id: 'm', body: '{}' };
    const webhook = (url: string) => ({ url, secret: 'whsec_c2VjcmV0' });

    expect(await sender.send(webhook(silent.url), message)).toMatchObject({
      status: null,
      error: 'The receiver did not respond within 0.3 s.',
      isRetriable: true,
    });
    expect(await sender.send(webhook(endless.url), message)).toMatchObject({
      status: 200,
      error: null,
    });
  });

  it('of a rule that is deleted meanwhile leave nothing behind', async () => {
    const project = aProject();
    const receiver = await aReceiver((response) => {
      void alerts.forget(project).then(() => response.writeHead(200).end());
    });
    await aRule(project, 'no_data', { webhookUrl: receiver.url });
    await run(NOON);

    expect(receiver.received).toHaveLength(1);
    expect(await redis.hexists(ALERT_STATUSES, project)).toBe(0);
    expect(await alerts.projects()).not.toContain(project);
  });
});

describe('the store of alert rules', () => {
  it('bounds the rules of a project, also when they are created at once', async () => {
    const project = aProject();
    const attempts = await Promise.allSettled(
      Array.from({ length: 30 }, () => aRule(project, 'no_data')),
    );

    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect((await alerts.read(project)).rules).toHaveLength(20);
    expect(await alerts.projectsOf('ann')).toContain(project);
    await alerts.forgetUser(project, 'ann');
    expect(await redis.hget(ALERT_RULES, project)).not.toContain('ann');
  });
});
