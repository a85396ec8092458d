/** Longer than a small flush takes on a busy machine. */
const LONGEST_WAIT_MS = 500;

/**
 * The lane of floods gives way to the fast one: while a flush of the fast lane is under way, it begins nothing new. Not
 * for ever: a flood has to be stored, too.
 */
export class FlushPriority {
  private going = 0;
  private waiting = new Set<() => void>();

  constructor(private readonly longestWaitMs = LONGEST_WAIT_MS) {}

  /** Others give way until the work is done. */
  async runFirst<R>(work: () => Promise<R>): Promise<R> {
    this.going++;
    try {
      return await work();
    } finally {
      if (--this.going === 0) for (const goOn of this.waiting) goOn();
    }
  }

  /** Resolves when nobody has the right of way, or after a while. */
  async yieldToFast(): Promise<void> {
    if (this.going === 0) return;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        clearTimeout(timer);
        this.waiting.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, this.longestWaitMs);
      this.waiting.add(goOn);
    });
  }
}
