const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
const STABLE_AFTER_MS = 60_000;

/** How long to wait before the next start: doubles with every death, begins anew after a stable minute. */
export class BackOff {
  private deaths = 0;

  delayAfter(livedMs: number): number {
    if (livedMs >= STABLE_AFTER_MS) this.deaths = 0;
    return Math.min(FIRST_DELAY_MS * 2 ** this.deaths++, LONGEST_DELAY_MS);
  }
}
