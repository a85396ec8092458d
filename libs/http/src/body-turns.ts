import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * One large body at a time, and whatever else there is to do in between: reading one takes many milliseconds, and a
 * small request should wait for one of them at the most, not for all that came before.
 */
export class BodyTurns {
  private last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.last = this.last.then(() => nextTurn());
    return this.last;
  }
}
