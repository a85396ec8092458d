/** Long enough for some flushes, which settle many facts at once. */
const WINDOW_MS = 2000;
/** A single flush that ended just now says little about how fast workers are. */
const WINDOW_LEAST_MS = 500;
/** After a longer pause, earlier samples say nothing about now. */
const OUTDATED_MS = 2000;
/** Workers that have caught up to this may be faster than they seem to be. */
const CAUGHT_UP_MS = 100;
/** Facts that may come in each sample while workers have caught up. */
const LEAST_FACTS = 1000;
/** Each process of ingest sees the same queue, and does not know of the others. */
const SHARE = 1 / 2;
/** What is stored between two samples, and what comes in with this share of the budget, would otherwise be missing in the queue. */
const AHEAD_MS = 400;

/** What is known of the queue of calls at one time. */
export interface QueueSample {
  readonly at: number;
  /** Facts that workers have stored, ever. */
  readonly settled: number;
  readonly pending: number;
  /** The age of the facts that workers store now. */
  readonly lagMs: number;
}

/**
 * How many facts clients may send next, so that workers always have some to store and none waits longer than the target. A fact that
 * arrives now waits for those before it, divided by how many workers store in a millisecond. Their age would show it too late: until the
 * first of them is old, all clients have sent theirs.
 */
export class IntakeBudget {
  private samples: QueueSample[] = [];
  private factsPerMs = 0;
  private left = Infinity;
  private taken = 0;

  constructor(private readonly targetMs: number) {}

  /** How long a fact that arrives now will wait; 0 while nothing is known. */
  get expectedMs(): number {
    const pending = this.samples.at(-1)?.pending ?? 0;
    return this.factsPerMs === 0 ? 0 : pending / this.factsPerMs;
  }

  /** Whether a client may send this number of facts next. They are expected then. */
  take(facts: number): boolean {
    if (this.left <= 0) return false;
    this.expect(facts);
    return true;
  }

  /** These facts will come in any case. */
  expect(facts: number): void {
    this.left -= facts;
    this.taken += facts;
  }

  add(sample: QueueSample): void {
    this.measure(sample);
    // What clients may send since the last sample is mostly not in the queue yet.
    const underway = this.taken;
    this.taken = 0;
    if (this.factsPerMs === 0) this.left = sample.lagMs > this.targetMs ? 0 : Infinity;
    else {
      const budget = this.factsPerMs * (this.targetMs + AHEAD_MS) - sample.pending - underway;
      const least = sample.lagMs <= CAUGHT_UP_MS ? Math.max(LEAST_FACTS, 2 * underway) : 0;
      this.left = Math.max(budget * SHARE, least);
    }
  }

  /** Workers store nothing, or it is not known: that clients wait would not help. */
  open(): void {
    this.samples = [];
    this.factsPerMs = 0;
    this.left = Infinity;
    this.taken = 0;
  }

  private measure(sample: QueueSample): void {
    const last = this.samples.at(-1);
    if (last !== undefined && sample.at - last.at > OUTDATED_MS) this.open();
    this.samples.push(sample);
    // The first one is as old as the window, or older.
    while (this.samples.length > 2 && sample.at - this.samples[1]!.at >= WINDOW_MS)
      this.samples.shift();
    const first = this.samples[0]!;
    const rate = (sample.settled - first.settled) / Math.max(WINDOW_LEAST_MS, sample.at - first.at);
    if (rate > 0) this.factsPerMs = rate;
  }
}
