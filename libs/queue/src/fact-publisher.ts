import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { messageOf } from '@app/errors';
import type { NewFact } from '@app/events';
import { counter, seconds, startSpan, traced, type Span } from '@app/observability';
import { DiskSpace, ProjectRates, QueueUnavailableError } from '@app/redis';
import { nowMillis, type Millis } from '@app/wire';
import { CallsQueue } from './calls-queue.js';
import { chunksOf, projectLoads, sumOf, type Loads } from './chunks.js';
import { IntakePace } from './intake-pace.js';
import { NewProjects } from './new-projects.js';
import { ProjectBacklog } from './project-backlog.js';
import { QueueMemory } from './queue-memory.js';
import { CALLS_STREAM, LANES, type Lane } from './streams.js';

/** Maximum bytes of one transaction, unless a single fact is larger. Redis executes nothing else meanwhile. */
const COMMIT_MAX_BYTES = 8 * 1024 * 1024;
/** A request with more bytes is written in several transactions, so that other requests come between. */
const PART_MAX_BYTES = 4 * 1024 * 1024;
/** While this many transactions are in flight, later requests wait and share the next one (group commit). */
const COMMITS_IN_FLIGHT = 2;

/** A request, or a part of a large one. */
interface WaitingRequest {
  readonly facts: readonly NewFact[];
  readonly loads: Loads;
  /** Of the whole request, which decide the lane. */
  readonly requestLoads: Loads;
  readonly bytes: number;
  readonly span: Span | undefined;
  readonly resolve: (usedBulkLane: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const FACTS = counter('heddle_ingest_facts_total', 'Facts made durable.', ['lane']);
const COMMIT = seconds(
  'heddle_ingest_commit_seconds',
  'Time until Redis had a transaction on disk.',
);

const { sizeOf } = CALLS_STREAM;

/** Publishes facts to the queue. Concurrent requests share a transaction, and with it the fsync. */
@Injectable()
export class FactPublisher {
  private readonly waiting: WaitingRequest[] = [];
  private readonly lanes = new ProjectLanes();
  private inFlight = 0;

  constructor(
    private readonly queue: CallsQueue,
    private readonly memory: QueueMemory,
    private readonly backlog: ProjectBacklog,
    private readonly rates: ProjectRates,
    private readonly disks: DiskSpace,
    private readonly newProjects: NewProjects,
    private readonly pace: IntakePace,
  ) {}

  /**
   * Resolves when Redis has the facts on disk. Rejects with DiskFullError, QueueFullError or RateLimitedError when Redis has accepted
   * none of them, and with QueueUnavailableError when it has accepted a part or that is unknown. It is safe to send them again.
   */
  async publish(facts: readonly NewFact[]): Promise<void> {
    if (facts.length === 0) return;
    const span = startSpan('publish calls', 'producer')?.set('heddle.facts', facts.length);
    return traced(span, () => this.publishIn(span, facts));
  }

  private async publishIn(span: Span | undefined, facts: readonly NewFact[]): Promise<void> {
    this.disks.refuseWhenLow();
    this.memory.refuseWhenFull();
    const loads = projectLoads(facts, sizeOf);
    const { userId } = facts[0]!;
    await this.newProjects.admit(userId, loads.keys());
    await otherRequests(facts);
    for (const [project, items] of rejectedItems(facts))
      await this.rates.consumeRejected(project, userId, items);
    if (await this.admitAndCommit(facts, loads, span)) await this.pace.keep(facts.length);
  }

  private async admitAndCommit(
    facts: readonly NewFact[],
    loads: Loads,
    span: Span | undefined,
  ): Promise<boolean> {
    const release = await this.admit(loads);
    try {
      return await this.commitWithOthers(facts, loads, span);
    } finally {
      release();
    }
  }

  /** All limits are read at the same time. Resolves to a function to call when the facts are in Redis or were not written. */
  private async admit(loads: Loads): Promise<() => void> {
    const [admitted, consumed] = await Promise.allSettled([
      this.backlog.admit(loads),
      this.rates.consumeAll(loads),
    ]);
    if (admitted.status === 'rejected') throw admitted.reason;
    if (consumed.status === 'fulfilled') return admitted.value;
    admitted.value();
    throw consumed.reason;
  }

  /** Resolves to true when projects of the request have so much pending that they use the bulk lane. */
  private async commitWithOthers(
    facts: readonly NewFact[],
    requestLoads: Loads,
    span: Span | undefined,
  ): Promise<boolean> {
    const request = { requestLoads, span };
    const bytes = bytesOf(requestLoads);
    if (bytes <= PART_MAX_BYTES)
      return this.commitPart({ ...request, facts, loads: requestLoads, bytes });
    let usedBulkLane = false;
    let written = 0;
    for (const part of chunksOf(facts, sizeOf, PART_MAX_BYTES, Infinity)) {
      const loads = projectLoads(part, sizeOf);
      const committed = this.commitPart({ ...request, facts: part, loads, bytes: bytesOf(loads) });
      const wroteBulk = await committed.catch((cause: unknown) => {
        throw written === 0 ? cause : writtenInPart(written, facts.length, cause);
      });
      usedBulkLane ||= wroteBulk;
      written += part.length;
    }
    return usedBulkLane;
  }

  private commitPart(part: Omit<WaitingRequest, 'resolve' | 'reject'>): Promise<boolean> {
    return new Promise<boolean>((resolve, reject) => {
      this.waiting.push({ ...part, resolve, reject });
      this.commitWaiting();
    });
  }

  private commitWaiting(): void {
    if (this.waiting.length === 0 || this.inFlight >= COMMITS_IN_FLIGHT) return;
    const requests = this.nextRequests();
    this.inFlight++;
    this.commit(requests)
      .then(
        (bulk) =>
          requests.forEach(({ facts, resolve }) =>
            resolve(facts.some(({ projectId }) => bulk.has(projectId))),
          ),
        (error: unknown) => requests.forEach(({ reject }) => reject(error)),
      )
      .finally(() => {
        this.inFlight--;
        this.commitWaiting();
      });
  }

  private nextRequests(): WaitingRequest[] {
    let bytes = 0;
    const tooLarge = this.waiting.findIndex(
      (request) => (bytes += request.bytes) > COMMIT_MAX_BYTES,
    );
    return this.waiting.splice(0, tooLarge === -1 ? this.waiting.length : Math.max(tooLarge, 1));
  }

  /** Writes payloads, jobs, pending entries and counts of all chunks in one transaction. Resolves to the projects in the bulk lane. */
  private async commit(requests: readonly WaitingRequest[]): Promise<ReadonlySet<string>> {
    const facts = requests.flatMap((request) => request.facts);
    const traces = new FactTraces(requests);
    const now = nowMillis();
    const loads = sumOf(requests.map((request) => request.loads));
    await otherRequests(facts);
    const requestLoads = sumOf(requests.map((request) => request.requestLoads));
    const lanes = this.byLane(facts, requestLoads, now);
    const transaction = await this.queue.begin();
    this.queue.countBytes(transaction, loads);
    await otherRequests(facts);
    let chunks = 0;
    for (const lane of LANES) {
      for (const chunk of chunksOf(lanes[lane], sizeOf)) {
        // Encoding a chunk takes milliseconds. Other requests continue before the next one.
        if (chunks++ > 0) await nextTurn();
        this.queue.add(transaction, this.queue.lanes[lane], chunk, now, traces.spansOf(chunk));
      }
    }
    await transaction.prepare();
    const stopTimer = COMMIT.startTimer();
    const replies = await transaction.commit();
    stopTimer();
    for (const lane of LANES) FACTS.inc({ lane }, lanes[lane].length);
    [...loads.keys()].forEach((project, i) => this.lanes.update(project, Number(replies[i]), now));
    return new Set(lanes.bulk.map(({ projectId }) => projectId));
  }

  private byLane(facts: readonly NewFact[], loads: Loads, now: Millis): Record<Lane, NewFact[]> {
    const lanes: Record<Lane, NewFact[]> = { fast: [], bulk: [] };
    for (const fact of facts) {
      const { bytes } = loads.get(fact.projectId)!;
      const lane = fact.isOld ? 'bulk' : this.lanes.laneOf(fact.projectId, bytes, now);
      lanes[lane].push(fact);
    }
    return lanes;
  }
}

const bytesOf = (loads: Loads): number =>
  [...loads.values()].reduce((sum, load) => sum + load.bytes, 0);

/** Other errors would say that Redis has accepted nothing. */
const writtenInPart = (written: number, count: number, cause: unknown): QueueUnavailableError =>
  new QueueUnavailableError(
    `Only ${written} of ${count} items were accepted, then: ${messageOf(cause)}. It is safe to send all of them again.`,
    { cause },
  );

/** A step over this many facts takes ten milliseconds or more. */
const MANY_FACTS = 2000;

/** Between two steps over many facts, the event loop serves other requests. */
async function otherRequests(facts: readonly NewFact[]): Promise<void> {
  if (facts.length > MANY_FACTS) await nextTurn();
}

/** Knows which facts of a transaction belong to traced requests. */
class FactTraces {
  private readonly spans: Map<NewFact, Span> | undefined;

  constructor(requests: readonly WaitingRequest[]) {
    if (!requests.some(({ span }) => span !== undefined)) return;
    this.spans = new Map(
      requests.flatMap(({ span, facts }) =>
        span === undefined ? [] : facts.map((fact) => [fact, span] as const),
      ),
    );
  }

  spansOf(facts: readonly NewFact[]): readonly Span[] | undefined {
    const { spans } = this;
    return spans && [...new Set(facts.flatMap((fact) => spans.get(fact) ?? []))];
  }
}

/** The number of invalid items by project; '' has those that name no project. */
function rejectedItems(facts: readonly NewFact[]): Map<string, number> {
  const items = new Map<string, number>();
  for (const { kind, projectId } of facts)
    if (kind === 'rejected') items.set(projectId, (items.get(projectId) ?? 0) + 1);
  return items;
}

/** A project with more pending bytes uses the bulk lane … */
const FAST_LANE_BYTES = 4 * 1024 * 1024;
/** … until it has less than this: its facts in both lanes would fill two flushes by half instead of one. */
const BULK_LANE_BYTES = 1024 * 1024;
/** After this time without a write, a known load is outdated. */
const MAX_AGE_MS = 2000;
/** A project that is not known uses the fast lane. */
const LOADS_MAX = 10_000;

interface Load {
  readonly pendingBytes: number;
  readonly lane: Lane;
  readonly updatedAt: Millis;
}

const NO_LOAD = { pendingBytes: 0, lane: 'fast' } as const;

/** Chooses the lane of a project by its pending bytes, which this process gets from the replies to its own writes. */
export class ProjectLanes {
  private readonly loads = new Map<string, Load>();

  update(projectId: string, pendingBytes: number, now: Millis): void {
    const isBulk = this.currentLoad(projectId, now)?.lane === 'bulk';
    const lane = pendingBytes > (isBulk ? BULK_LANE_BYTES : FAST_LANE_BYTES) ? 'bulk' : 'fast';
    this.loads.delete(projectId);
    this.loads.set(projectId, { pendingBytes, lane, updatedAt: now });
    // The first of a Map is the one that was updated least recently.
    if (this.loads.size > LOADS_MAX) this.loads.delete(this.loads.keys().next().value!);
  }

  /** The lane for a write of `moreBytes`, which count like bytes that are pending already. */
  laneOf(projectId: string, moreBytes: number, now: Millis): Lane {
    const { pendingBytes, lane } = this.currentLoad(projectId, now) ?? NO_LOAD;
    return pendingBytes + moreBytes > FAST_LANE_BYTES ? 'bulk' : lane;
  }

  private currentLoad(projectId: string, now: Millis): Load | undefined {
    const load = this.loads.get(projectId);
    if (load === undefined || now - load.updatedAt <= MAX_AGE_MS) return load;
    this.loads.delete(projectId);
    return undefined;
  }
}
