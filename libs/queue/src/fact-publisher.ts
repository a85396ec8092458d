import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { factSize, type NewFact } from '@app/events';
import { addChunk, chunksOf } from './chunks.js';
import { counter, seconds } from '@app/observability';
import type { ProjectRates } from './project-rates.js';
import type { ProjectLimits } from './project-limits.js';
import { KEYS, LANES, rateKey, type Lane } from './queue-keys.js';
import type { QueueMemory } from './queue-memory.js';
import { queueProblem } from './queue-problems.js';
import { beginTransaction } from './queue-transaction.js';

/** Stops gathering when one transaction has this much to carry. */
const COMMIT_MAX_BYTES = 8 * 1024 * 1024;
/** While these are on their way to Redis, later requests gather for the next: group commit. */
const COMMITS_IN_FLIGHT = 2;
const RATE_KEPT_SECONDS = 5;

interface Waiting {
  readonly facts: readonly NewFact[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const FACTS = counter('ingest_facts_total', 'Facts made durable.', ['lane']);
const COMMIT = seconds('ingest_commit_seconds', 'Time until Redis had a transaction on disk.');

export type LaneQueues = Readonly<Record<Lane, Queue>>;

/** Puts facts into the queue; concurrent requests share a transaction, and with it the fsync. */
export class FactPublisher {
  private readonly waiting: Waiting[] = [];
  private inFlight = 0;

  constructor(
    private readonly redis: Redis,
    private readonly queues: LaneQueues,
    private readonly memory: QueueMemory,
    private readonly limits: ProjectLimits,
    private readonly rates: ProjectRates,
  ) {}

  /** Resolves when Redis has the facts on disk. Rejects with QueueAway, QueueFull or TooMany, and then has kept none. */
  async publish(facts: readonly NewFact[]): Promise<void> {
    if (facts.length === 0) return;
    this.memory.refuseWhenFull();
    this.limits.refuseExcess(new Set(facts.map(({ projectId }) => projectId)), Date.now());
    const loads = projectLoads(facts);
    for (const [project, load] of loads) await this.rates.take(project, load.bytes);
    const bytes = [...loads.values()].reduce((sum, load) => sum + load.bytes, 0);
    await new Promise<void>((resolve, reject) => {
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
        (error: unknown) => requests.forEach(({ reject }) => reject(queueProblem(error))),
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
    const second = Math.floor(now / 1000);
    const loads = projectLoads(facts);
    const transaction = await beginTransaction(this.queues.fast, this.redis);
    for (const [project, { bytes, count }] of loads) {
      transaction.commands.hincrby(KEYS.projectBytes, project, bytes);
      transaction.commands.incrby(rateKey(project, second), count);
      transaction.commands.expire(rateKey(project, second), RATE_KEPT_SECONDS);
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
    [...loads.keys()].forEach((project, i) =>
      this.limits.learn(project, Number(replies[3 * i]), Number(replies[3 * i + 1]), now),
    );
  }

  private byLane(facts: readonly NewFact[], loads: Loads, now: number): Record<Lane, NewFact[]> {
    const lanes: Record<Lane, NewFact[]> = { fast: [], bulk: [] };
    for (const fact of facts) {
      const { bytes } = loads.get(fact.projectId)!;
      const lane = fact.isOld ? 'bulk' : this.limits.laneOf(fact.projectId, bytes, now);
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
