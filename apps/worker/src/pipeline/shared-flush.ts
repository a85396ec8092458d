export interface FlushLimits {
  /** Least time between the beginnings of two flushes, unless the next one is full. */
  readonly intervalMs: () => number;
  readonly maxBytes: number;
  /** Others than full ones wait until none is in flight. */
  readonly maxInFlight: number;
}

interface Batch<Item> {
  readonly items: Item[];
  bytes: number;
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the items of many jobs into one write; each caller waits for the write that carries its own. After a pause
 * the first item is written at once; while busy, writes grow instead of becoming more.
 */
export class SharedFlush<Item> {
  private gathering: Batch<Item> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private inFlight = 0;
  private lastBegin = -Infinity;

  constructor(
    private readonly write: (items: readonly Item[]) => Promise<void>,
    private readonly limits: FlushLimits,
  ) {}

  /** Resolves when the items are written. */
  add(items: readonly Item[], bytes: number): Promise<void> {
    const batch = (this.gathering ??= newBatch<Item>());
    for (const item of items) batch.items.push(item);
    batch.bytes += bytes;
    this.flushWhenDue();
    return batch.written;
  }

  private flushWhenDue(): void {
    if (this.gathering === undefined || this.inFlight >= this.limits.maxInFlight) return;
    const isFull = this.gathering.bytes >= this.limits.maxBytes;
    if (!isFull && this.inFlight > 0) return;
    const wait = isFull ? 0 : this.lastBegin + this.limits.intervalMs() - performance.now();
    if (wait <= 0) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), wait);
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.gathering;
    if (batch === undefined) return;
    this.gathering = undefined;
    this.inFlight++;
    this.lastBegin = performance.now();
    await this.write(batch.items).then(batch.resolve, batch.reject);
    this.inFlight--;
    this.flushWhenDue();
  }
}

function newBatch<Item>(): Batch<Item> {
  const { promise: written, resolve, reject } = withResolvers();
  return { items: [], bytes: 0, written, resolve, reject };
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
