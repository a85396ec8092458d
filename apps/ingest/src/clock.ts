import { micros, type Micros } from '@app/wire';

/** The only clock of ingest. Every reading is later than the one before, so the facts of a process are ordered. */
export class Clock {
  private last = micros(0);

  now(): Micros {
    this.last = micros(Math.max(this.last + 1, Date.now() * 1000));
    return this.last;
  }
}
