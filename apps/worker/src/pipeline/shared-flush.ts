import type { Span } from '@app/observability';

export interface FlushLimits {
  /** Minimum time between the starts of two flushes, unless the next one is full. */
  readonly intervalMs: () => number;
  /** The interval is twice the time of the last flush, up to this, if that is longer than `intervalMs`. */
  readonly maxIntervalMs: number;
  readonly maxBytes: number;
  /** A flush that is not full starts only when no other is in flight. */
  readonly maxInFlight: number;
}

interface Batch<Item> {
  readonly items: Item[];
  bytes: number;
  /** Of the jobs that wait for the write and are traced. */
  readonly spans: Span[];
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the items of many jobs into one write. Each caller waits for the write that contains its items. After an idle
 * period the first item is written at once; under load, writes become larger instead of more frequent.
 */
export class SharedFlush<Item> {
  private collecting: Batch<Item> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private inFlight = 0;
  private lastStart = -Infinity;
  private lastTookMs = 0;

  constructor(
    private readonly write: (items: readonly Item[], spans: readonly Span[]) => Promise<void>,
    private readonly limits: FlushLimits,
  ) {}

  /** Resolves when the items are written. */
  add(items: readonly Item[], bytes: number, spans: readonly Span[] = []): Promise<void> {
    const batch = (this.collecting ??= newBatch<Item>());
    for (const item of items) batch.items.push(item);
    for (const span of spans) batch.spans.push(span);
    batch.bytes += bytes;
    this.flushWhenDue();
    return batch.written;
  }

  private flushWhenDue(): void {
    if (this.collecting === undefined || this.inFlight >= this.limits.maxInFlight) return;
    const isFull = this.collecting.bytes >= this.limits.maxBytes;
    if (!isFull && this.inFlight > 0) return;
    const wait = isFull ? 0 : this.lastStart + this.interval() - performance.now();
    if (wait <= 0) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), wait);
  }

  /** A flush costs ClickHouse nearly the same for few rows as for many, so a slow one is followed by fewer and larger ones. */
  private interval(): number {
    const { intervalMs, maxIntervalMs } = this.limits;
    return Math.max(intervalMs(), Math.min(2 * this.lastTookMs, maxIntervalMs));
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.collecting;
    if (batch === undefined) return;
    this.collecting = undefined;
    this.inFlight++;
    const start = performance.now();
    this.lastStart = start;
    await this.write(batch.items, batch.spans).then(batch.resolve, batch.reject);
    this.lastTookMs = performance.now() - start;
    this.inFlight--;
    this.flushWhenDue();
  }
}

function newBatch<Item>(): Batch<Item> {
  const { promise: written, resolve, reject } = withResolvers();
  return { items: [], bytes: 0, spans: [], written, resolve, reject };
}

function withResolvers() {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  return { promise, resolve, reject };
}
