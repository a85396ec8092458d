import { Inject, Injectable } from '@nestjs/common';
import type { QueryConfig } from '@app/config';
import { currentSpan, seconds } from '@app/observability';
import { FairQueue } from './fair-queue.js';
import type { ReadContext } from './read-context.js';
import { shapeOf, StatementCosts } from './statement-cost.js';
import { QUERY_CONFIG } from './tokens.js';

const WAIT = seconds(
  'heddle_query_wait_seconds',
  'Time that a read waited until its statements might run.',
);

/** The place of a request while it has statements in progress. */
interface Place {
  statements: number;
  readonly releases: (() => void)[];
}

/** A statement that runs. */
export interface RunningStatement {
  /** Planning it may take long. */
  readonly isExpensive: boolean;
  /** The time that ClickHouse needed for it, of which later estimates are made. */
  end(ms: number): void;
}

/** Lets a bounded number of statements run in ClickHouse. Lookups have places of their own, so that they never wait for others. */
@Injectable()
export class StatementQueue {
  private readonly lookups: FairQueue;
  private readonly others: FairQueue;
  private readonly costs = new StatementCosts();
  private readonly places = new WeakMap<ReadContext, Place>();

  constructor(@Inject(QUERY_CONFIG) { maxStatements, maxWaitMs }: QueryConfig) {
    this.lookups = new FairQueue({ capacity: maxStatements, maxWaitMs });
    this.others = new FairQueue({ capacity: Math.ceil(maxStatements / 2), maxWaitMs });
  }

  /** Whether statements that are no lookups wait for a place. */
  isContended(): boolean {
    return this.others.hasWaiting;
  }

  /**
   * Resolves once the statement may run. A request that already has a place uses it for further statements: if it waited
   * for a second one, requests could wait for each other. Its cost is estimated, and at least `minCost`.
   */
  async begin(query: string, context: ReadContext, minCost = 1): Promise<RunningStatement> {
    const shape = shapeOf(query, context.projectIds);
    const place = this.places.get(context) ?? { statements: 0, releases: [] };
    this.places.set(context, place);
    const estimate = this.costs.estimate(query, shape);
    const isLookup = estimate.isLookup && minCost === 1;
    const cost = Math.max(minCost, estimate.cost);
    if (place.statements === 0) {
      const { principal, projectIds, signal } = context;
      const subjects = [`key ${principal.keyId}`, ...projectIds.map((id) => `project ${id}`)];
      const tenants = [...new Set(projectIds.map((id) => id.split('/')[0]!))];
      const queue = isLookup ? this.lookups : this.others;
      const begun = performance.now();
      place.releases.push(await queue.acquire({ tenants, subjects, cost, signal }));
      const waitMs = performance.now() - begun;
      WAIT.observe(waitMs / 1000);
      currentSpan()?.add('heddle.statement_wait_ms', waitMs);
    }
    place.statements++;
    return {
      isExpensive: cost > 1,
      end: (ms) => {
        this.costs.remember(shape, ms);
        leave(place);
      },
    };
  }
}

function leave(place: Place): void {
  place.statements--;
  if (place.statements === 0) for (const release of place.releases.splice(0)) release();
}
