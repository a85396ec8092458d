import { Injectable } from '@nestjs/common';
import type { RecordFact } from '@app/events';
import { RecordPublisher } from '@app/queue';

/** While these are on their way, no more are made: a large write holds little memory, here and in Redis. */
const PARTS_IN_FLIGHT = 8;

/** Facts that go in one transaction. */
export type Part = readonly RecordFact[];

/** Writes that are too large for one transaction. */
@Injectable()
export class RecordParts {
  constructor(private readonly records: RecordPublisher) {}

  /** Resolves when all of them can be read. Each part is durable by itself; all may be sent again. */
  async keep(parts: Iterable<Part> | AsyncIterable<Part>): Promise<void> {
    const inFlight = new Set<Promise<unknown>>();
    for await (const part of parts) {
      const kept = this.records.publish(part).finally(() => inFlight.delete(kept));
      // A failure is thrown where it is awaited; until then nobody listens.
      kept.catch(() => undefined);
      inFlight.add(kept);
      if (inFlight.size >= PARTS_IN_FLIGHT) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
  }
}
