/** Longer than a small flush takes on a busy machine. */
const MAX_WAIT_MS = 500;

/** Lets flushes of the bulk lane yield to flushes of the fast lane, up to a limit, so that the bulk lane makes progress. */
export class FlushPriority {
  private running = 0;
  private waiting = new Set<() => void>();

  constructor(private readonly maxWaitMs = MAX_WAIT_MS) {}

  /** Flushes of the bulk lane yield until the work is done. */
  async runFirst<R>(work: () => Promise<R>): Promise<R> {
    this.running++;
    try {
      return await work();
    } finally {
      if (--this.running === 0) for (const resume of this.waiting) resume();
    }
  }

  /** Resolves when no flush of the fast lane is running, or after the longest wait. */
  async yieldToFast(): Promise<void> {
    if (this.running === 0) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, this.maxWaitMs);
      this.waiting.add(resume);
    });
  }
}
