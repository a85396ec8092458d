import { Inject, Injectable } from '@nestjs/common';
import { decodeRecords, type AnyRecordFact, type Ordered } from '@app/events';
import type { Logger } from '@app/observability';
import { RecordsQueue } from '@app/queue';
import { SharedFlush } from '../pipeline/shared-flush.js';
import type { Chunks } from '../pipeline/chunk.processor.js';
import { LOGGER } from '../tokens.js';
import { untilStored } from '../pipeline/until-stored.js';
import { RecordsFlush } from './records.flush.js';

/** Somebody waits for the answer, so flushes are frequent; writers that come at once still share them. */
const FLUSH = { intervalMs: () => 10, maxBytes: 16 * 1024 * 1024, maxInFlight: 2 };

/** Chunks of records: payload → facts → shared flush, and the settling afterwards. */
@Injectable()
export class RecordChunks implements Chunks {
  private readonly stopping = new AbortController();
  private readonly flush: SharedFlush<Ordered<AnyRecordFact>>;

  constructor(
    records: RecordsFlush,
    private readonly queue: RecordsQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.flush = new SharedFlush(
      (facts) => untilStored(() => records.write(facts), logger, this.stopping.signal),
      FLUSH,
    );
  }

  async store(chunkId: string): Promise<void> {
    const payload = await this.queue.payload(chunkId);
    if (payload === null) return this.reportLost(chunkId);
    await this.flush.add(decodeRecords(chunkId, payload), payload.length);
  }

  async settle(chunkId: string): Promise<void> {
    try {
      await this.queue.settle(chunkId);
    } catch (error) {
      this.logger.warn('A chunk is stored but not settled yet.', {
        chunkId,
        error: String(error),
      });
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  /** A job without its payload means that Redis lost data, unless another run of it has been here: somebody must know. */
  private async reportLost(chunkId: string): Promise<void> {
    if (await this.queue.isSettled(chunkId)) return;
    this.logger.error('The payload of a chunk is lost; see docs/operations/lost-payload.md.', {
      chunkId,
    });
    await this.queue.reject(chunkId, 'Its payload was lost in Redis.');
  }
}
