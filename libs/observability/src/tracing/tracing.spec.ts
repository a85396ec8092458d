import { setTimeout as sleep } from 'node:timers/promises';
import type { TracingConfig } from '@app/config';
import { OtlpCollector } from '../../../../test/support/otlp-collector.js';
import { createLogger } from '../logger.js';
import { metrics } from '../metrics.js';
import {
  currentSpan,
  isTracing,
  runInSpan,
  startJobSpans,
  startRequestSpan,
  startSharedSpan,
  startSpan,
  startTracing,
  stopTracing,
  traced,
  traceparentsOf,
} from './tracing.js';

let collector: OtlpCollector;
let lines: string[];
beforeEach(async () => {
  lines = [];
  collector = await new OtlpCollector().start();
});
afterEach(async () => {
  await stopTracing();
  await collector.close();
});

const logger = () => createLogger('test', 'info', { write: (line) => void lines.push(line) });
const start = (config: Partial<TracingConfig> = {}) =>
  startTracing({ url: collector.url, sampleRatio: 1, headers: {}, ...config }, 'test', logger());

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';

async function dropped(reason: string): Promise<number> {
  const { values } = await metrics.getSingleMetric('heddle_tracing_spans_dropped_total')!.get();
  return values.find(({ labels }) => labels['reason'] === reason)?.value ?? 0;
}

describe('tracing', () => {
  it('does nothing unless it is started with a URL', async () => {
    startTracing({ url: '', sampleRatio: 1, headers: {} }, 'test', logger());

    expect(isTracing()).toBe(false);
    expect(startRequestSpan('GET /x', undefined)).toBeUndefined();
    expect(startSpan('x')).toBeUndefined();
    expect(startJobSpans('x', [`00-${traceId}-${parent}-01`])).toEqual([]);
    expect(await traced(undefined, async () => currentSpan() ?? 'none')).toBe('none');
  });

  it('exports children of a request, over a job, with the trace of the client', async () => {
    start({ headers: { 'x-team': 'a b' } });
    const request = startRequestSpan('POST /x', `00-${traceId}-${parent}-01`)!;
    const carried = runInSpan(request, () => {
      const publish = startSpan('publish', 'producer')!.set('facts', 2).set('share', 0.5);
      publish.end();
      return traceparentsOf([publish]);
    });
    request.end();
    request.end();
    const jobs = startJobSpans('job', carried);
    const flush = startSharedSpan('flush', jobs)!;
    await expect(
      traced(flush, () => {
        startSpan('INSERT', 'client')!.end();
        return Promise.reject(new Error('refused'));
      }),
    ).rejects.toThrow('refused');
    for (const job of jobs) job.end();
    await stopTracing();

    const only = (name: string) => {
      const named = collector.named(name);
      expect(named).toHaveLength(1);
      return named[0]!;
    };
    const chain = ['POST /x', 'publish', 'job', 'flush', 'INSERT'].map(only);
    expect(chain.map(({ traceId: id }) => id)).toEqual(chain.map(() => traceId));
    expect(chain.map(({ parentSpanId }) => parentSpanId)).toEqual([
      parent,
      ...chain.slice(0, -1).map(({ spanId }) => spanId),
    ]);
    expect(chain.map(({ kind }) => kind)).toEqual([2, 4, 5, 1, 3]);
    expect(only('publish').attributes).toEqual([
      { key: 'facts', value: { intValue: '2' } },
      { key: 'share', value: { doubleValue: 0.5 } },
    ]);
    expect(only('flush').status).toEqual({ code: 2, message: 'refused' });
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of chain)
      expect(BigInt(to)).toBeGreaterThanOrEqual(BigInt(from));
    expect(chain[0]!.service).toBe('heddle-test');
    expect(collector.lastHeaders).toMatchObject({ 'x-team': 'a b' });
    expect(collector.lastHeaders).not.toHaveProperty('traceparent');
  });

  it('links the work that several traces share', async () => {
    start();
    const jobs = [traceId, traceId.replace('0', '1')].flatMap((id) =>
      startJobSpans('job', [`00-${id}-${parent}-01`, 'malformed', 7]),
    );
    startSharedSpan('flush', jobs)!.end();
    for (const job of jobs) job.end();
    await stopTracing();

    const [flush] = collector.named('flush');
    const [first, second] = collector.named('job');
    expect(flush).toMatchObject({ traceId: first!.traceId, parentSpanId: first!.spanId });
    expect(flush!.links).toEqual([{ traceId: second!.traceId, spanId: second!.spanId }]);
    expect(second!.links).toEqual([{ traceId: flush!.traceId, spanId: flush!.spanId }]);
  });

  it('samples its share of the requests, whatever the client requests', () => {
    const sampled = (traceparent?: string) =>
      Array.from({ length: 2000 }, () => startRequestSpan('x', traceparent)).filter(Boolean).length;
    start({ sampleRatio: 0 });
    expect(sampled(`00-${traceId}-${parent}-01`)).toBe(0);
    start({ sampleRatio: 0.5 });
    expect(sampled()).toBeGreaterThan(800);
    expect(sampled(`00-${traceId}-${parent}-01`)).toBeLessThan(1200);
    start({ sampleRatio: 1 });
    expect(sampled(`00-${traceId}-${parent}-00`)).toBe(0);
    expect(sampled('malformed')).toBe(2000);
  });

  it('drops spans above a limit while a collector hangs, and a shutdown does not wait for it', async () => {
    start();
    collector.mode = 'hang';
    const before = await dropped('queue_full');
    for (let i = 0; i < 10_000; i++) startRequestSpan('x', undefined)!.end();
    // One batch is in flight.
    expect((await dropped('queue_full')) - before).toBe(10_000 - 4096 - 512);

    const begun = performance.now();
    await stopTracing();
    expect(performance.now() - begun).toBeLessThan(6000);
    expect(collector.requests).toBe(1);
  });

  it('tries a failed batch twice, reports the failure once, and exports later spans', async () => {
    start();
    collector.mode = 'fail';
    const before = await dropped('failed');
    for (let i = 0; i < 512; i++) startRequestSpan('x', undefined)!.end();
    while ((await dropped('failed')) === before) await sleep(20);
    expect((await dropped('failed')) - before).toBe(512);
    expect(collector.requests).toBe(2);

    collector.mode = 'accept';
    startRequestSpan('later', undefined)!.end();
    await stopTracing();
    expect(collector.spans.map(({ name }) => name)).toEqual(['later']);
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'info']);
    expect(lines[0]).toContain('status 500');
  });
});
