import { Injectable } from '@nestjs/common';
import type { RecordFact } from '@app/events';
import { RecordPublisher } from '@app/queue';

/** Bounds the memory that a large write needs, here and in Redis. */
const PARTS_IN_FLIGHT = 8;

/** Facts that are published in one transaction. */
export type Part = readonly RecordFact[];

/** Publishes writes that are too large for one transaction. */
@Injectable()
export class PartsPublisher {
  constructor(private readonly records: RecordPublisher) {}

  /** Resolves when all facts can be read. A failure may leave some parts published; publishing all of them again is safe. */
  async publish(parts: Iterable<Part> | AsyncIterable<Part>): Promise<void> {
    const inFlight = new Set<Promise<unknown>>();
    for await (const part of parts) {
      const published = this.records.publish(part).finally(() => inFlight.delete(published));
      // The promise is awaited below. Until then a rejection must not count as unhandled.
      published.catch(() => undefined);
      inFlight.add(published);
      if (inFlight.size >= PARTS_IN_FLIGHT) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
  }
}
