/** What to do for a consumer that is slower than the source. */
export interface ReadAheadOptions<Item> {
  /** Items up to this size are read ahead; the last one may exceed it. */
  readonly maxBytes: number;
  readonly sizeOf: (item: Item) => number;
  /** How long the source may wait for the consumer in total, when the consumer has taken this number of bytes. */
  readonly patienceMs: (takenBytes: number) => number;
  /** Whether the source is to be closed after an item, however fast the consumer is. */
  readonly isOver?: () => boolean;
}

/**
 * Reads a source ahead of its consumer. A source that has waited too long for the consumer is closed, so that a slow client
 * does not occupy ClickHouse. Returns whether all items were read.
 */
export async function* readAhead<Item>(
  source: AsyncGenerator<Item, void>,
  options: ReadAheadOptions<Item>,
): AsyncGenerator<Item, boolean> {
  const buffer = new ReadAheadBuffer(source, options);
  const reading = buffer.fill();
  try {
    for (;;) {
      const item = await buffer.take();
      if (item === undefined) return buffer.isComplete;
      yield item;
    }
  } finally {
    buffer.stop();
    await reading;
  }
}

class ReadAheadBuffer<Item> {
  isComplete = false;
  private readonly items: Item[] = [];
  private bytes = 0;
  private takenBytes = 0;
  private waitedMs = 0;
  private isClosed = false;
  private failure: { readonly error: unknown } | undefined;
  private wakeConsumer = () => {};
  private wakeSource = () => {};

  constructor(
    private readonly source: AsyncGenerator<Item, void>,
    private readonly options: ReadAheadOptions<Item>,
  ) {}

  /** The next item; undefined at the end. Rejects with the error of the source after the items before it. */
  async take(): Promise<Item | undefined> {
    while (this.items.length === 0 && !this.isClosed)
      await new Promise<void>((wake) => (this.wakeConsumer = wake));
    const item = this.items.shift();
    if (item === undefined && this.failure) throw this.failure.error;
    const size = item === undefined ? 0 : this.options.sizeOf(item);
    this.bytes -= size;
    this.takenBytes += size;
    this.wakeSource();
    return item;
  }

  /** Resolves when the source is closed, whatever the reason. */
  async fill(): Promise<void> {
    try {
      while (!this.isClosed && (await this.hasSpace())) {
        await this.readOne();
        if (this.options.isOver?.()) break;
      }
    } catch (error) {
      this.failure = { error };
    }
    // The source has its own error or none.
    await this.source.return().catch(() => undefined);
    this.stop();
  }

  stop(): void {
    this.isClosed = true;
    this.wakeConsumer();
    this.wakeSource();
  }

  private async readOne(): Promise<void> {
    const next = await this.source.next();
    if (next.done) {
      this.isComplete = true;
      this.isClosed = true;
      return;
    }
    this.items.push(next.value);
    this.bytes += this.options.sizeOf(next.value);
    this.wakeConsumer();
  }

  /** Waits until the consumer has made space; false when that takes too long. */
  private async hasSpace(): Promise<boolean> {
    while (this.bytes >= this.options.maxBytes && !this.isClosed) {
      const left = this.options.patienceMs(this.takenBytes) - this.waitedMs;
      if (left <= 0) return false;
      const begun = performance.now();
      await this.spaceWithin(left);
      this.waitedMs += performance.now() - begun;
    }
    return !this.isClosed;
  }

  private spaceWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeSource = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
