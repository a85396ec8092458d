import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { collectedGauges } from '@app/observability';
import { Redis } from '@app/redis';
import { Ledger } from './ledger.js';
import { KEYS } from './streams.js';
import { QueueProgress } from './queue-progress.js';

/** Gauges of the queue and the ledger, the same in every process. */
@Injectable()
export class QueueMetrics implements OnApplicationBootstrap {
  constructor(
    private readonly progress: QueueProgress,
    private readonly ledger: Ledger,
    private readonly redis: Redis,
  ) {}

  onApplicationBootstrap(): void {
    collectedGauges(
      {
        heddle_queue_pending_chunks: 'Chunks received and not yet stored.',
        heddle_queue_oldest_seconds: 'Age of the oldest chunk that is not stored yet.',
        heddle_queue_pending_record_chunks:
          'Chunks of records, for which clients wait, received and not yet stored.',
        heddle_queue_oldest_record_seconds:
          'Age of the oldest chunk of records that is not stored yet.',
        heddle_queue_received_facts: 'Facts received since the beginning.',
        heddle_queue_settled_facts: 'Facts stored since the beginning.',
        heddle_queue_pending_facts: 'Facts received and not yet stored.',
        heddle_queue_calls_awaiting_start: 'Calls that have facts but no start yet.',
        heddle_ledger_unbalanced_facts:
          'Facts settled without a receipt, or receipted without being received.',
        heddle_ledger_missing_facts:
          'Facts with a receipt that are neither in the log nor dead letters.',
        heddle_ledger_stale_calls: 'Calls whose row lacks facts, none of which is a dead letter.',
        heddle_ledger_calls_with_other_usage:
          'Root calls whose usage differs from the table of usage.',
        heddle_ledger_checked_seconds:
          'When the ledger was last compared with the store, in Unix time.',
      },
      () => this.collect(),
    );
  }

  private async collect() {
    const [progress, records, total, awaitingStart, check] = await Promise.all([
      this.progress.read(),
      this.progress.read('records'),
      this.ledger.total(),
      this.redis.zcard(KEYS.awaitingStart),
      this.ledger.lastCheck(),
    ]);
    return {
      heddle_queue_pending_chunks: progress.pendingChunks,
      heddle_queue_oldest_seconds: progress.oldestMs / 1000,
      heddle_queue_pending_record_chunks: records.pendingChunks,
      heddle_queue_oldest_record_seconds: records.oldestMs / 1000,
      heddle_queue_received_facts: total.received,
      heddle_queue_settled_facts: total.settled,
      heddle_queue_pending_facts: total.pending,
      heddle_queue_calls_awaiting_start: awaitingStart,
      heddle_ledger_unbalanced_facts: check?.unbalancedFacts ?? 0,
      heddle_ledger_missing_facts: check?.missingFacts ?? 0,
      heddle_ledger_stale_calls: check?.staleCalls ?? 0,
      heddle_ledger_calls_with_other_usage: check?.callsWithOtherUsage ?? 0,
      heddle_ledger_checked_seconds: (check?.checkedAt ?? 0) / 1000,
    };
  }
}
