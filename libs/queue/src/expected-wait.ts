/** Long enough for some flushes, which settle many chunks at once. */
const WINDOW_MS = 1000;
/** After a longer pause, earlier samples say nothing about now. */
const OUTDATED_MS = 2000;
/** Workers that have just begun have settled nothing yet. */
const SLOWEST = 1 / 4;
const FASTEST = 2;

interface Sample {
  readonly at: number;
  /** When the facts were received that workers store now. */
  readonly reached: number;
}

/**
 * How long a fact that is received now will wait for a worker. Facts that are old now were received at the rate of some time ago: while
 * they arrive twice as fast as they are stored, those of now will wait twice as long.
 */
export class ExpectedWait {
  private samples: Sample[] = [];

  /** `lagMs` is the age of the facts that workers store at the time `at`. */
  add(at: number, lagMs: number): number {
    const last = this.samples.at(-1);
    if (last !== undefined && at - last.at > OUTDATED_MS) this.samples = [];
    this.samples.push({ at, reached: at - lagMs });
    // The first one is as old as the window, or older.
    while (this.samples.length > 2 && at - this.samples[1]!.at >= WINDOW_MS) this.samples.shift();
    return lagMs / this.speed();
  }

  /** Seconds of received facts that workers store in a second. */
  private speed(): number {
    const [first, last] = [this.samples[0]!, this.samples.at(-1)!];
    if (last.at === first.at) return 1;
    const speed = (last.reached - first.reached) / (last.at - first.at);
    return Math.min(FASTEST, Math.max(SLOWEST, speed));
  }
}
