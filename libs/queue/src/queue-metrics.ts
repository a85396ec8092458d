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
        queue_pending_chunks: 'Chunks received and not yet stored.',
        queue_oldest_seconds: 'Age of the oldest of them.',
        queue_received_facts: 'Facts received since the beginning.',
        queue_settled_facts: 'Facts stored since the beginning.',
        queue_pending_facts: 'Facts received and not yet stored.',
        queue_calls_awaiting_start: 'Calls that have facts but no start yet.',
        ledger_unbalanced_facts:
          'Facts settled without a receipt, or receipted without being received.',
        ledger_missing_facts: 'Facts with a receipt that are neither in the log nor dead letters.',
        ledger_stale_calls: 'Calls whose row lacks facts, none of which is a dead letter.',
        ledger_calls_with_other_usage: 'Root calls whose usage differs from the table of usage.',
        ledger_checked_seconds: 'When the ledger was last compared with the store, in Unix time.',
      },
      () => this.collect(),
    );
  }

  private async collect() {
    const [progress, total, awaitingStart, check] = await Promise.all([
      this.progress.read(),
      this.ledger.total(),
      this.redis.zcard(KEYS.awaitingStart),
      this.ledger.lastCheck(),
    ]);
    return {
      queue_pending_chunks: progress.pendingChunks,
      queue_oldest_seconds: progress.oldestMs / 1000,
      queue_received_facts: total.received,
      queue_settled_facts: total.settled,
      queue_pending_facts: total.pending,
      queue_calls_awaiting_start: awaitingStart,
      ledger_unbalanced_facts: check?.unbalancedFacts ?? 0,
      ledger_missing_facts: check?.missingFacts ?? 0,
      ledger_stale_calls: check?.staleCalls ?? 0,
      ledger_calls_with_other_usage: check?.callsWithOtherUsage ?? 0,
      ledger_checked_seconds: (check?.checkedAt ?? 0) / 1000,
    };
  }
}
