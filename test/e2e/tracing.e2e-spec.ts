import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@app/embedded';
import { OtlpCollector, type CollectedSpan } from '../support/otlp-collector.js';
import {
  allArrived,
  cleanUp,
  eventually,
  startStandalone,
  temporaryDirectory,
  Traffic,
  type Program,
} from '../support/processes.js';
import { aSpan, endItem, startItem } from '../support/records.js';
import { aProject, TestServer } from '../support/test-server.js';

const KEY = 'a-key-of-the-environment';
const EXPORTED_WITHIN_MS = 10_000;

let collector: OtlpCollector;
let program: Program;
let server: TestServer;

beforeAll(async () => {
  collector = await new OtlpCollector().start();
  const PORT = String(await freePort());
  program = await startStandalone(temporaryDirectory(), {
    PORT,
    HEDDLE_API_KEY: KEY,
    TRACING_URL: collector.url,
    TRACING_HEADERS: 'authorization=Bearer%20of-the-collector',
  });
  server = new TestServer(`http://127.0.0.1:${PORT}`, KEY);
});

afterAll(async () => {
  await cleanUp();
  await collector.close();
});

const aTraceparent = (flags = '01') => {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } };
};

const inTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** Resolves when the trace has spans of all these names: the one of each name. */
async function spansOf(traceId: string, ...names: string[]): Promise<CollectedSpan[]> {
  const found = () => names.map((name) => inTrace(traceId).filter((span) => span.name === name));
  await eventually(
    () => found().every((spans) => spans.length > 0),
    EXPORTED_WITHIN_MS,
    () => `The trace has only ${JSON.stringify(inTrace(traceId).map(({ name }) => name))}`,
  );
  for (const spans of found()) expect(spans).toHaveLength(1);
  return found().map(([span]) => span!);
}

const batchOf = (project_id: string, id: string = randomUUID()) => ({
  // A call of today, because facts of old calls are chunks of their own.
  batch: [
    startItem({ project_id, id, started_at: new Date().toISOString() }),
    endItem({ project_id, id, output: id }),
  ],
});

/** Sums a counter of all processes of the server that the parent reports. */
async function counted(name: string): Promise<number> {
  const { text } = await server.send('/metrics', undefined, { method: 'GET', key: null });
  const values = [...text.matchAll(new RegExp(`^${name}(?:{.*})? (\\d+)`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

describe('tracing of the server itself', () => {
  it('follows a write from the request over the job to the insert', async () => {
    const project_id = aProject();
    const { traceId, spanId, headers } = aTraceparent();

    const response = await server.send('/call/upsert_batch', batchOf(project_id), { headers });
    expect(response.status).toBe(200);

    const chain = await spansOf(
      traceId,
      'POST /call/upsert_batch',
      'publish calls',
      'store chunk',
      'flush',
      'INSERT calls',
    );
    expect(chain.map(({ parentSpanId }) => parentSpanId)).toEqual([
      spanId,
      ...chain.slice(0, -1).map((span) => span.spanId),
    ]);
    expect(chain.map(({ service }) => service)).toEqual([
      'heddle-standalone',
      'heddle-standalone',
      'heddle-worker',
      'heddle-worker',
      'heddle-worker',
    ]);
    expect(chain[0]!.attributes).toContainEqual({
      key: 'heddle.request_id',
      value: { stringValue: response.headers.get('x-request-id') },
    });
    expect(chain[0]!.attributes).toContainEqual({
      key: 'http.response.status_code',
      value: { intValue: '200' },
    });
    const [log, flush] = await spansOf(traceId, 'INSERT call_events', 'flush');
    expect(log!.parentSpanId).toBe(flush!.spanId);
    expect(JSON.stringify(inTrace(traceId))).not.toContain(project_id);
    expect(collector.lastHeaders).toMatchObject({ authorization: 'Bearer of-the-collector' });
  });

  it('follows a write for which the client waits, and the statements of a read', async () => {
    const project_id = aProject();
    const write = aTraceparent();
    const obj = { project_id, object_id: 'traced', val: { a: 1 } };
    await server.send('/obj/create', { obj }, { headers: write.headers });
    const [request, publish, job, flush, insert] = await spansOf(
      write.traceId,
      'POST /obj/create',
      'publish records',
      'store chunk',
      'flush',
      'INSERT record_events',
    );
    expect(publish!.parentSpanId).toBe(request!.spanId);
    expect(job!.parentSpanId).toBe(publish!.spanId);
    expect(flush!.parentSpanId).toBe(job!.spanId);
    expect(insert!.parentSpanId).toBe(flush!.spanId);

    for (const path of ['/calls/stream_query', '/calls/query_stats', '/objs/query']) {
      const read = aTraceparent();
      const body = {
        project_id,
        query: { $expr: { $eq: [{ $literal: 'p' }, { $literal: 'q' }] } },
      };
      const { status } = await server.send(path, path === '/objs/query' ? { project_id } : body, {
        headers: read.headers,
      });
      expect(status).toBe(200);
      const [served] = await spansOf(read.traceId, `POST ${path}`);
      const statements = inTrace(read.traceId).filter(({ kind }) => kind === 3);
      expect(statements.length).toBeGreaterThan(0);
      for (const statement of statements) {
        expect(statement.parentSpanId).toBe(served!.spanId);
        expect(JSON.stringify(statement)).not.toContain(project_id);
      }
    }
  });

  it('traces no request that the client has decided against, and no probe', async () => {
    const unsampled = aTraceparent('00');
    await server.send('/call/upsert_batch', batchOf(aProject()), { headers: unsampled.headers });
    await server.send('/readyz', undefined, { method: 'GET', key: null });
    const later = aTraceparent();
    await server.send('/call/upsert_batch', batchOf(aProject()), { headers: later.headers });
    await spansOf(later.traceId, 'INSERT calls', 'POST /call/upsert_batch');

    expect(inTrace(unsampled.traceId)).toEqual([]);
    expect(collector.named('GET /readyz')).toEqual([]);
  });

  it('exports to itself without tracing its own spans', async () => {
    const project_id = aProject();
    const types = { 'content-type': 'application/json', project_id };
    let forwarded = 0;
    collector.forward = async (body) => {
      const { status } = await server.send('/otel/v1/traces', body, { headers: types });
      expect(status).toBe(200);
      forwarded += body.split('"spanId"').length - 1;
    };
    const { traceId, headers } = aTraceparent();
    await server.send('/call/upsert_batch', batchOf(aProject()), { headers });
    await spansOf(traceId, 'INSERT calls', 'POST /call/upsert_batch');
    const own = { resourceSpans: [{ scopeSpans: [{ spans: [aSpan()] }] }] };
    await server.send('/otel/v1/traces', own, { headers: types });

    // Two intervals of the exporter without a request: the spans of the spans would have come.
    let known = -1;
    await eventually(async () => {
      const before = known;
      known = collector.spans.length;
      if (before === known) return true;
      await pause(4500);
      return false;
    }, 60_000);
    collector.forward = undefined;
    expect(collector.named('POST /otel/v1/traces')).toEqual([]);
    const { count } = await server.post('/calls/query_stats', { project_id });
    expect(count).toBeGreaterThan(5);
    expect(count).toBe(forwarded + 1);
  });

  it('neither delays nor fails writes while the collector fails or hangs, and stops in time', async () => {
    for (const mode of ['fail', 'hang'] as const) {
      collector.mode = mode;
      const project_id = aProject();
      const before = await counted('heddle_tracing_spans_dropped_total');
      const traffic = new Traffic(server, project_id, 4);
      await traffic.acknowledgedMore(1000);
      if (mode === 'fail')
        await eventually(
          async () => (await counted('heddle_tracing_spans_dropped_total')) > before,
          60_000,
        );
      await traffic.stop();
      expect([...traffic.statuses.keys()]).toEqual([200]);
      await allArrived(server, project_id, traffic.acknowledged.slice(0, 1000), 20_000);
    }
    const begun = performance.now();
    expect(await program.stop('SIGTERM', 20_000)).toEqual({ code: 0, signal: null });
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(program.stderr).toContain('The collector does not accept spans');
    expect(program.stderr).not.toContain('of-the-collector');
  });
});
