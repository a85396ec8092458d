import { ProblemError } from '@app/http';
import { gauge } from '@app/observability';

const RUNNING = gauge(
  'heddle_query_statements_running',
  'Statements that ClickHouse executes for reads.',
);
const WAITING = gauge(
  'heddle_query_statements_waiting',
  'Statements of reads that wait for a place.',
);

/** More waiting statements are refused at once. */
const WAITING_MAX = 1000;
const RETRY_SECONDS = 2;

export interface FairQueueOptions {
  /** The sum of the costs of the statements that run at the same time. */
  readonly capacity: number;
  readonly maxWaitMs: number;
}

/** A statement that is to be executed. */
export interface QueuedStatement {
  /** The entities of its projects. */
  readonly tenants: readonly string[];
  /** Its key and its projects. */
  readonly subjects: readonly string[];
  /** At least 1. */
  readonly cost: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A tenant, a key or a project that has statements in the queue. */
interface Subject {
  readonly name: string;
  running: number;
  waiting: number;
  /** The cost of all its statements so far. A new subject begins with that of the statement which started last. */
  used: number;
}

interface Waiting {
  readonly tenants: readonly Subject[];
  readonly subjects: readonly Subject[];
  readonly cost: number;
  readonly start: () => void;
}

/** What tenants leave to each other. It is less than keys do: many servers have one tenant. */
const TENANT_SHARE = 3 / 4;

/**
 * Decides which statements run, by their costs. A key or a project uses at most half of the capacity, and a tenant with many of
 * both three quarters, so that another one finds a place at once. Of those that wait, the tenant that has used least goes first,
 * and of a tenant the key or project.
 */
export class FairQueue {
  private readonly subjects = new Map<string, Subject>();
  private readonly waiting = new Set<Waiting>();
  private readonly maxOfSubject: number;
  private readonly maxOfTenant: number;
  private running = 0;
  private usedByTenants = 0;
  private used = 0;

  constructor(private readonly options: FairQueueOptions) {
    this.maxOfSubject = Math.max(1, Math.floor(options.capacity / 2));
    this.maxOfTenant = Math.max(this.maxOfSubject, Math.floor(options.capacity * TENANT_SHARE));
  }

  get hasWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /**
   * Resolves to the release of a place once the statement may run. Rejects with `reads_busy` when it has waited too long,
   * and at once when the client disconnects.
   */
  async acquire({ signal, ...statement }: QueuedStatement): Promise<() => void> {
    if (signal.aborted) throw clientLeft();
    if (this.waiting.size >= WAITING_MAX) throw tooBusy();
    const cost = Math.min(statement.cost, this.maxOfSubject);
    const tenants = statement.tenants.map((name) =>
      this.subject(`tenant ${name}`, this.usedByTenants),
    );
    const subjects = statement.subjects.map((name) => this.subject(name, this.used));
    await this.turn({ tenants, subjects, cost }, signal);
    return () => this.release([...tenants, ...subjects], cost);
  }

  private turn(statement: Omit<Waiting, 'start'>, signal: AbortSignal): Promise<void> {
    const subjects = [...statement.tenants, ...statement.subjects];
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.waiting.delete(one);
        for (const subject of subjects) subject.waiting--;
        WAITING.dec();
      };
      const giveUp = (reason: Error) => {
        leave();
        this.forgetIdle(subjects);
        reject(reason);
      };
      const start = () => {
        leave();
        resolve();
      };
      const onAbort = () => giveUp(clientLeft());
      const timer = setTimeout(() => giveUp(tooBusy()), this.options.maxWaitMs);
      const one: Waiting = { ...statement, start };
      signal.addEventListener('abort', onAbort, { once: true });
      for (const subject of subjects) subject.waiting++;
      this.waiting.add(one);
      WAITING.inc();
      this.startNext();
    });
  }

  private startNext(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.usedByTenants = usedBy(next.tenants);
      this.used = usedBy(next.subjects);
      const subjects = [...next.tenants, ...next.subjects];
      this.count(subjects, next.cost, 1);
      for (const subject of subjects) subject.used += next.cost;
      next.start();
    }
  }

  private next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const one of this.waiting)
      if (this.mayRun(one) && (best === undefined || hasUsedLess(one, best))) best = one;
    return best;
  }

  private mayRun({ tenants, subjects, cost }: Waiting): boolean {
    if (this.running + cost > this.options.capacity) return false;
    return (
      subjects.every(({ running }) => running + cost <= this.maxOfSubject) &&
      tenants.every(({ running }) => running + cost <= this.maxOfTenant)
    );
  }

  private release(subjects: readonly Subject[], cost: number): void {
    this.count(subjects, cost, -1);
    this.forgetIdle(subjects);
    this.startNext();
  }

  private count(subjects: readonly Subject[], cost: number, sign: 1 | -1): void {
    this.running += sign * cost;
    for (const subject of subjects) subject.running += sign * cost;
    RUNNING.inc(sign);
  }

  private subject(name: string, used: number): Subject {
    const known = this.subjects.get(name);
    if (known) return known;
    const subject = { name, running: 0, waiting: 0, used };
    this.subjects.set(name, subject);
    return subject;
  }

  private forgetIdle(subjects: readonly Subject[]): void {
    for (const { name, running, waiting } of subjects)
      if (running === 0 && waiting === 0) this.subjects.delete(name);
  }
}

const usedBy = (subjects: readonly Subject[]) => Math.max(0, ...subjects.map(({ used }) => used));

function hasUsedLess(one: Waiting, other: Waiting): boolean {
  const difference = usedBy(one.tenants) - usedBy(other.tenants);
  return difference === 0 ? usedBy(one.subjects) < usedBy(other.subjects) : difference < 0;
}

/** No client receives it, and it is not logged as an error. */
const clientLeft = () =>
  new ProblemError('reads_busy', 'The read was aborted, because its client disconnected.');

const tooBusy = () => new ProblemError('reads_busy', undefined, {}, RETRY_SECONDS);
