/** The only clock of ingest. Every reading is later than the one before, so the facts of a process are ordered. */
export class Clock {
  private last = 0;

  /** Microseconds since 1970. */
  now(): number {
    this.last = Math.max(this.last + 1, Date.now() * 1000);
    return this.last;
  }
}
