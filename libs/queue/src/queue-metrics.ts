import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { lookedUp } from '@app/observability';
import { Held } from './held-calls.js';
import { Ledger } from './ledger.js';
import { QueueProgress } from './queue-progress.js';

/** What the queue looks like from any process. */
@Injectable()
export class QueueMetrics implements OnApplicationBootstrap {
  constructor(
    private readonly progress: QueueProgress,
    private readonly ledger: Ledger,
    private readonly held: Held,
  ) {}

  onApplicationBootstrap(): void {
    lookedUp(
      {
        queue_pending_chunks: 'Chunks received and not yet stored.',
        queue_oldest_seconds: 'Age of the oldest of them.',
        queue_received_facts: 'Facts received since the beginning.',
        queue_settled_facts: 'Facts stored since the beginning.',
        queue_pending_facts: 'Facts received and not yet stored.',
        queue_held_calls: 'Calls that have facts but no start yet.',
      },
      () => this.look(),
    );
  }

  private async look() {
    const [progress, balances, held] = await Promise.all([
      this.progress.read(),
      this.ledger.balances(),
      this.held.count(),
    ]);
    const sum = (of: 'received' | 'settled' | 'pending') =>
      [...balances.values()].reduce((total, balance) => total + balance[of], 0);
    return {
      queue_pending_chunks: progress.pendingChunks,
      queue_oldest_seconds: progress.oldestMs / 1000,
      queue_received_facts: sum('received'),
      queue_settled_facts: sum('settled'),
      queue_pending_facts: sum('pending'),
      queue_held_calls: held,
    };
  }
}
