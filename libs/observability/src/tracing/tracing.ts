import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { version, type TracingConfig } from '@app/config';
import type { Logger } from '../logger.js';
import { Span, type SpanKind } from './span.js';
import { SpanExporter } from './span-exporter.js';
import { parseTraceparent, printTraceparent } from './trace-context.js';

/** A chunk has facts of many requests. Only this many of their traces show what happens to it. */
const PARENTS_MAX = 8;

/**
 * The tracing of a process. There is none until `startTracing`: then no function here allocates anything. A trace begins with a request
 * only; code that runs outside of a sampled trace has no spans.
 */
let tracing: Tracing | undefined;

interface Tracing {
  readonly current: AsyncLocalStorage<Span>;
  readonly exporter: SpanExporter;
  readonly sampleRatio: number;
  readonly onEnd: (span: Span) => void;
}

export function startTracing(config: TracingConfig, app: string, logger: Logger): void {
  if (config.url === '') return;
  const resource = {
    'service.name': `heddle-${app}`,
    'service.version': version(),
    'service.instance.id': `${hostname()}:${process.pid}`,
  };
  const { url, headers, sampleRatio } = config;
  const exporter = new SpanExporter({ url, headers, resource, logger });
  const onEnd = (span: Span) => exporter.add(span);
  tracing = { current: new AsyncLocalStorage(), exporter, sampleRatio, onEnd };
}

/** Exports the spans that wait, within three seconds. */
export async function stopTracing(): Promise<void> {
  const stopped = tracing;
  tracing = undefined;
  await stopped?.exporter.close();
}

export const isTracing = (): boolean => tracing !== undefined;

/**
 * The span of a request, if it is sampled. It continues the trace of the client. The client may decide against a trace, but not for
 * one: the draw is random and not by the trace id, which the client chooses.
 */
export function startRequestSpan(name: string, traceparent: unknown): Span | undefined {
  if (tracing === undefined) return undefined;
  const parent = parseTraceparent(traceparent);
  if (parent?.isSampled === false || Math.random() >= tracing.sampleRatio) return undefined;
  const origin = { traceId: parent?.traceId, parentId: parent?.spanId };
  return new Span(name, 'server', origin, tracing.onEnd);
}

export const currentSpan = (): Span | undefined => tracing?.current.getStore();

/** A child of the current span; undefined when there is none. The caller must end it. */
export function startSpan(name: string, kind: SpanKind = 'internal'): Span | undefined {
  return currentSpan()?.child(name, kind);
}

/** Spans that start in `work` are children of the span. */
export function runInSpan<R>(span: Span | undefined, work: () => R): R {
  return span === undefined || tracing === undefined ? work() : tracing.current.run(span, work);
}

/** Runs the work in the span and ends it. */
export async function traced<R>(span: Span | undefined, work: () => Promise<R>): Promise<R> {
  if (span === undefined) return work();
  try {
    return await runInSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

const NONE: readonly never[] = [];

/** The contexts of the spans, as a job carries them to the worker. */
export function traceparentsOf(spans: readonly Span[]): readonly string[] {
  return spans.length === 0 ? NONE : spans.slice(0, PARENTS_MAX).map(printTraceparent);
}

/** A span in each trace that a job carries. */
export function startJobSpans(name: string, traceparents: unknown): readonly Span[] {
  if (tracing === undefined || !Array.isArray(traceparents)) return NONE;
  const { onEnd } = tracing;
  return traceparents.slice(0, PARENTS_MAX).flatMap((text) => {
    const parent = parseTraceparent(text);
    if (parent === undefined) return [];
    const origin = { traceId: parent.traceId, parentId: parent.spanId };
    return [new Span(name, 'consumer', origin, onEnd)];
  });
}

/** Work that several spans share is a child of the first. Links connect it with the others, in both directions. */
export function startSharedSpan(name: string, spans: readonly Span[]): Span | undefined {
  const shared = spans[0]?.child(name, 'internal');
  if (shared === undefined) return undefined;
  for (const span of spans.slice(1)) {
    shared.link(span);
    span.link(shared);
  }
  return shared;
}
