import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.js';
import { counter } from '../metrics.js';
import { otlpBody } from './otlp-json.js';
import type { Span } from './span.js';

/** Spans that wait for the collector, at most some 10 MB. Further ones are dropped. */
const QUEUE_MAX = 4096;
const BATCH_MAX = 512;
const INTERVAL_MS = 2000;
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 1000;
/** How long a shutdown waits for the collector. */
const CLOSE_TIMEOUT_MS = 3000;

const EXPORTED = counter('heddle_tracing_spans_exported_total', 'Spans that a collector accepted.');
const DROPPED = counter(
  'heddle_tracing_spans_dropped_total',
  'Spans that were not exported, because too many waited or the collector failed or refused them.',
  ['reason'],
);

export interface ExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

type Outcome = 'exported' | 'refused' | 'failed';

/** Sends ended spans to a collector, in batches and in the background. Nothing waits for it but a shutdown. */
export class SpanExporter {
  private readonly queue: Span[] = [];
  private readonly closing = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private isFailing = false;

  constructor(private readonly options: ExporterOptions) {}

  add(span: Span): void {
    if (this.queue.length >= QUEUE_MAX || this.closing.signal.aborted) {
      DROPPED.inc({ reason: 'queue_full' });
      return;
    }
    this.queue.push(span);
    this.schedule();
  }

  /** Sends what waits, for a bounded time, and drops the rest. */
  async close(): Promise<void> {
    const timeout = setTimeout(() => this.closing.abort(), CLOSE_TIMEOUT_MS);
    while (this.sending !== undefined || (this.queue.length > 0 && !this.closing.signal.aborted)) {
      this.send();
      await this.sending;
    }
    clearTimeout(timeout);
    this.closing.abort();
    clearTimeout(this.timer);
    DROPPED.inc({ reason: 'shutdown' }, this.queue.splice(0).length);
  }

  private schedule(): void {
    if (this.queue.length >= BATCH_MAX) this.send();
    else if (this.queue.length > 0) {
      this.timer ??= setTimeout(() => this.send(), INTERVAL_MS).unref();
    }
  }

  /** One request at a time. */
  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.sendBatch().finally(() => {
      this.sending = undefined;
      if (!this.closing.signal.aborted) this.schedule();
    });
  }

  private async sendBatch(): Promise<void> {
    const batch = this.queue.splice(0, BATCH_MAX);
    if (batch.length === 0) return;
    const body = JSON.stringify(otlpBody(this.options.resource, batch));
    let outcome = await this.post(body);
    if (outcome === 'failed' && (await this.pause())) outcome = await this.post(body);
    if (outcome === 'exported') EXPORTED.inc(batch.length);
    else DROPPED.inc({ reason: outcome }, batch.length);
  }

  /** Resolves to false when the process stops meanwhile. */
  private pause(): Promise<boolean> {
    const { signal } = this.closing;
    return sleep(RETRY_AFTER_MS, true, { signal, ref: false }).catch(() => false);
  }

  private async post(body: string): Promise<Outcome> {
    const { url, headers } = this.options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // The headers may have a secret, which is for this collector only.
        redirect: 'error',
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return this.report('exported');
      const { status } = response;
      const outcome = status >= 500 || status === 429 ? 'failed' : 'refused';
      return this.report(outcome, `status ${status}`);
    } catch (error) {
      return this.report('failed', reasonOf(error));
    }
  }

  /** Logs a change only: a collector may be unavailable for days. */
  private report(outcome: Outcome, reason?: string): Outcome {
    const { logger, url } = this.options;
    const isFailing = outcome !== 'exported';
    if (isFailing && !this.isFailing)
      logger.warn('The collector does not accept spans; see docs/operations/tracing.md.', {
        collector: new URL(url).origin,
        reason,
      });
    else if (!isFailing && this.isFailing) logger.info('The collector accepts spans again.');
    this.isFailing = isFailing;
    return outcome;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
