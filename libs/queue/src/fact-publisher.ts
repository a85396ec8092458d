import type { Queue } from 'bullmq';
import { queueError, type ProjectRates, type Redis } from '@app/redis';
import { factSize, type NewFact } from '@app/events';
import { addChunk, chunksOf } from './chunks.js';
import { counter, seconds } from '@app/observability';
import type { ProjectBacklog } from './project-backlog.js';
import { ProjectLanes } from './project-lanes.js';
import { KEYS, LANES, type Lane } from './queue-keys.js';
import type { QueueMemory } from './queue-memory.js';
import { beginTransaction } from './queue-transaction.js';

/** Stops gathering when one transaction has this much to carry. */
const COMMIT_MAX_BYTES = 8 * 1024 * 1024;
/** While these are on their way to Redis, later requests gather for the next: group commit. */
const COMMITS_IN_FLIGHT = 2;

interface Waiting {
  readonly facts: readonly NewFact[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const FACTS = counter('ingest_facts_total', 'Facts made durable.', ['lane']);
const COMMIT = seconds('ingest_commit_seconds', 'Time until Redis had a transaction on disk.');

export type LaneQueues = Readonly<Record<Lane, Queue>>;

/** What one project may have waiting, and how often and how much it may send. */
export interface ProjectLimits {
  readonly backlog: ProjectBacklog;
  readonly rates: ProjectRates;
}

/** Puts facts into the queue; concurrent requests share a transaction, and with it the fsync. */
export class FactPublisher {
  private readonly waiting: Waiting[] = [];
  private readonly lanes = new ProjectLanes();
  private inFlight = 0;

  constructor(
    private readonly redis: Redis,
    private readonly queues: LaneQueues,
    private readonly memory: QueueMemory,
    private readonly limits: ProjectLimits,
  ) {}

  /** Resolves when Redis has the facts on disk. Rejects with QueueUnavailableError, QueueFullError or RateLimitedError, and then has kept none. */
  async publish(facts: readonly NewFact[]): Promise<void> {
    if (facts.length === 0) return;
    this.memory.refuseWhenFull();
    const loads = projectLoads(facts);
    const written: (() => void)[] = [];
    try {
      for (const [project, { bytes }] of loads) {
        written.push(await this.limits.backlog.letIn(project, bytes));
      }
      for (const [project, { bytes, count }] of loads) {
        await this.limits.rates.take(project, { bytes, facts: count });
      }
      await this.commitWithOthers(facts, loads);
    } finally {
      for (const done of written) done();
    }
  }

  private commitWithOthers(facts: readonly NewFact[], loads: Loads): Promise<void> {
    const bytes = [...loads.values()].reduce((sum, load) => sum + load.bytes, 0);
    return new Promise<void>((resolve, reject) => {
      this.waiting.push({ facts, bytes, resolve, reject });
      this.commitWaiting();
    });
  }

  private commitWaiting(): void {
    if (this.waiting.length === 0 || this.inFlight >= COMMITS_IN_FLIGHT) return;
    const requests = this.takeWaiting();
    this.inFlight++;
    this.commit(requests.flatMap(({ facts }) => facts))
      .then(
        () => requests.forEach(({ resolve }) => resolve()),
        (error: unknown) => requests.forEach(({ reject }) => reject(queueError(error))),
      )
      .finally(() => {
        this.inFlight--;
        this.commitWaiting();
      });
  }

  private takeWaiting(): Waiting[] {
    let bytes = 0;
    const fits = this.waiting.findIndex((request) => (bytes += request.bytes) > COMMIT_MAX_BYTES);
    return this.waiting.splice(0, fits === -1 ? this.waiting.length : Math.max(fits, 1));
  }

  /** Payloads, jobs, pending marks and counts of all chunks: all of it or none. */
  private async commit(facts: readonly NewFact[]): Promise<void> {
    const now = Date.now();
    const loads = projectLoads(facts);
    const transaction = await beginTransaction(this.queues.fast, this.redis);
    for (const [project, { bytes }] of loads) {
      transaction.commands.hincrby(KEYS.projectBytes, project, bytes);
    }
    const lanes = this.byLane(facts, loads, now);
    for (const lane of LANES) {
      for (const chunk of chunksOf(lanes[lane]))
        addChunk(transaction, this.queues[lane], chunk, now);
    }
    const stop = COMMIT.startTimer();
    const replies = await transaction.commit();
    stop();
    for (const lane of LANES) FACTS.inc({ lane }, lanes[lane].length);
    [...loads.keys()].forEach((project, i) => this.lanes.learn(project, Number(replies[i]), now));
  }

  private byLane(facts: readonly NewFact[], loads: Loads, now: number): Record<Lane, NewFact[]> {
    const lanes: Record<Lane, NewFact[]> = { fast: [], bulk: [] };
    for (const fact of facts) {
      const { bytes } = loads.get(fact.projectId)!;
      const lane = fact.isOld ? 'bulk' : this.lanes.laneOf(fact.projectId, bytes, now);
      lanes[lane].push(fact);
    }
    return lanes;
  }
}

type Loads = Map<string, { bytes: number; count: number }>;

function projectLoads(facts: readonly NewFact[]): Loads {
  const loads: Loads = new Map();
  for (const fact of facts) {
    const load = loads.get(fact.projectId) ?? { bytes: 0, count: 0 };
    loads.set(fact.projectId, load);
    load.bytes += factSize(fact);
    load.count++;
  }
  return loads;
}
