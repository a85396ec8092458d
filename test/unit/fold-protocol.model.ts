/**
 * A model of how facts become rows, small enough to try every interleaving. Workers run jobs on one call, and a job runs
 * the steps of a flush one by one. Between any two steps another worker may run, crash, or run the same job a second time.
 */
export type FactName = keyof typeof FACTS;

interface ModelFact {
  readonly kind: 'start' | 'end' | 'complete' | 'rename' | 'delete';
  readonly receivedAt: number;
  /** The start time decides the place of the row, because it is part of the sorting key. */
  readonly startedAt?: number;
}

/** Starts at the same and at other times, received in both orders, and one or two facts of every other kind. */
export const FACTS = {
  start: { kind: 'start', receivedAt: 1, startedAt: 10 },
  startAgain: { kind: 'start', receivedAt: 5, startedAt: 10 },
  startMoved: { kind: 'start', receivedAt: 2, startedAt: 20 },
  end: { kind: 'end', receivedAt: 3 },
  endAgain: { kind: 'end', receivedAt: 4 },
  whole: { kind: 'complete', receivedAt: 1, startedAt: 10 },
  wholeMoved: { kind: 'complete', receivedAt: 2, startedAt: 20 },
  rename: { kind: 'rename', receivedAt: 6 },
  renameAgain: { kind: 'rename', receivedAt: 7 },
  delete: { kind: 'delete', receivedAt: 0 },
} as const satisfies Record<string, ModelFact>;

/** A set of facts as a bit mask: thousands of states are compared. */
type Facts = number;

const NAMES = Object.keys(FACTS) as FactName[];
const ALL: readonly ModelFact[] = Object.values(FACTS);
const setOf = (names: readonly FactName[]): Facts =>
  names.reduce((set, name) => set | (1 << NAMES.indexOf(name)), 0);
const members = (set: Facts): number[] =>
  NAMES.map((_, bit) => bit).filter((bit) => (set >> bit) & 1);

const hasStart = (bit: number) => ['start', 'complete'].includes(ALL[bit]!.kind);
const hasEnd = (bit: number) => ['end', 'complete'].includes(ALL[bit]!.kind);
const isRename = (bit: number) => ALL[bit]!.kind === 'rename';
const newest = (bits: readonly number[]) =>
  [...bits].sort((a, b) => ALL[a]!.receivedAt - ALL[b]!.receivedAt || a - b).at(-1);

interface Row {
  readonly place: number;
  readonly version: number;
  readonly isDeleted: boolean;
  readonly body: string;
}

const fold = memoized((set: Facts): Row[] => {
  const known = members(set);
  const winner = newest(known.filter(hasStart));
  if (winner === undefined) return [];
  const isDeleted = known.some((bit) => ALL[bit]!.kind === 'delete');
  const version = known.length + (isDeleted ? 1000 : 0);
  const body = [winner, newest(known.filter(hasEnd)), newest(known.filter(isRename))].join('/');
  const place = ALL[winner]!.startedAt!;
  const elsewhere = new Set(known.filter(hasStart).map((bit) => ALL[bit]!.startedAt!));
  elsewhere.delete(place);
  return [
    { place, version, isDeleted, body },
    ...[...elsewhere].map((other) => ({ place: other, version, isDeleted: true, body: '' })),
  ];
});

/** What a reader sees after these folds were written: at each place the row with the highest version, if not deleted. */
function visible(written: readonly Facts[]): string {
  const best = new Map<number, Row>();
  for (const row of written.flatMap(fold)) {
    const known = best.get(row.place);
    if (known === undefined || row.version >= known.version) best.set(row.place, row);
  }
  const alive = [...best.values()].filter(({ isDeleted }) => !isDeleted);
  return alive
    .map(({ place, body }) => `${place}:${body}`)
    .sort()
    .join(' + ');
}

const visibleFold = memoized((set: Facts) => visible([set]));

/**
 * The protocol that the workers follow. The others are wrong: with `only ends read the log` a flush with a start never
 * reads the log, with `always use the cache` a worker uses its cached facts although another worker has claimed the call,
 * and with `trust every first claim` a worker does not read the log although claims on the call may have expired.
 */
export type Protocol =
  'claim' | 'only ends read the log' | 'always use the cache' | 'trust every first claim';

type Claim = 'first' | 'mine' | 'others';
type Step = 'log' | 'note' | 'claim' | 'decide' | 'read' | 'write' | 'done';

/** The facts of the call that a worker caches. A job may still refer to an entry that was evicted. */
interface Entry {
  readonly facts: Facts;
  readonly isWhole: boolean;
}

interface Process {
  readonly worker: number;
  readonly job: Facts;
  readonly step: Step;
  /** The cache entry to which the job added its facts, whether it was new, and the facts it contained then. */
  readonly entry: number;
  readonly isNew: boolean;
  readonly noted: Facts;
  readonly claim: Claim;
  readonly snapshot: Facts;
}

interface Worker {
  /** The number of times that the worker has been restarted. */
  readonly restarts: number;
  readonly entry: number;
  readonly crashesLeft: number;
  readonly evictionsLeft: number;
}

interface World {
  readonly log: Facts;
  /** The claimant of the call, a worker and its restarts: none, one, or several. */
  readonly claimedBy: '' | 'several' | `${number}.${number}`;
  /** How often the claims may still expire. The call is old once they have. */
  readonly expiriesLeft: number;
  readonly isOld: boolean;
  readonly entries: readonly Entry[];
  /** The snapshots whose folds were written, in order. */
  readonly written: readonly Facts[];
  readonly workers: readonly Worker[];
  readonly processes: readonly Process[];
}

const NOTHING = -1;
const BEGIN = {
  step: 'log',
  entry: NOTHING,
  isNew: false,
  noted: 0,
  claim: 'first',
  snapshot: 0,
} as const;

function advance(world: World, at: number, protocol: Protocol): World {
  const process = world.processes[at]!;
  const worker = world.workers[process.worker]!;
  const become = (change: Partial<Process>, rest: Partial<World> = {}): World => ({
    ...world,
    ...rest,
    processes: replaced(world.processes, at, change),
  });
  switch (process.step) {
    case 'log':
      return become({ step: 'note' }, { log: world.log | process.job });
    case 'note': {
      const isNew = worker.entry === NOTHING;
      const entry = isNew ? world.entries.length : worker.entry;
      const noted = (isNew ? 0 : world.entries[entry]!.facts) | process.job;
      const entries = isNew
        ? [...world.entries, { facts: noted, isWhole: false }]
        : replaced(world.entries, entry, { facts: noted });
      const workers = replaced(world.workers, process.worker, { entry });
      return become({ step: 'claim', entry, isNew, noted }, { entries, workers });
    }
    case 'claim': {
      const me = `${process.worker}.${worker.restarts}` as const;
      const known = { '': 'first', [me]: 'mine' }[world.claimedBy] ?? 'others';
      const claimedBy = known === 'others' ? 'several' : me;
      const isUndecided =
        world.isOld && known === 'first' && protocol !== 'trust every first claim';
      const claim = (isUndecided ? 'others' : known) as Claim;
      return become({ step: 'decide', claim }, { claimedBy });
    }
    case 'decide':
      return decided(world, process, protocol, become);
    case 'read':
      return become({ step: 'write', snapshot: world.log });
    case 'write':
      return become({ step: 'done' }, { written: [...world.written, process.snapshot] });
    case 'done':
      return world;
  }
}

type Become = (change: Partial<Process>, rest?: Partial<World>) => World;

function decided(world: World, process: Process, protocol: Protocol, become: Become): World {
  const { worker, job, entry, isNew, noted, claim } = process;
  const beginsCall = members(job).some(hasStart);
  if (protocol === 'only ends read the log')
    return become(beginsCall ? { step: 'write', snapshot: job } : { step: 'read' });
  const isCacheValid =
    claim === 'mine' || (claim === 'others' && protocol === 'always use the cache');
  const isWhole = isCacheValid
    ? world.entries[entry]!.isWhole
    : claim === 'first' && beginsCall && isNew;
  const isOver = members(noted).some((bit) => !['start', 'rename'].includes(ALL[bit]!.kind));
  const entries = replaced(world.entries, entry, { isWhole });
  const workers =
    !isWhole || isOver ? replaced(world.workers, worker, { entry: NOTHING }) : world.workers;
  const next = isWhole
    ? ({ step: 'write', snapshot: noted } as const)
    : ({ step: 'read' } as const);
  return become(next, { entries, workers });
}

/** The worker's jobs start again, and its cache is empty. */
function crash(world: World, at: number): World {
  const { restarts, crashesLeft } = world.workers[at]!;
  const restarted = { restarts: restarts + 1, entry: NOTHING, crashesLeft: crashesLeft - 1 };
  const restart = (process: Process): Process =>
    process.worker === at && process.step !== 'done' ? { ...process, ...BEGIN } : process;
  return {
    ...world,
    workers: replaced(world.workers, at, restarted),
    processes: world.processes.map(restart),
  };
}

/** The worker's cache was full. */
function evict(world: World, at: number): World {
  const { evictionsLeft } = world.workers[at]!;
  const workers = replaced(world.workers, at, { entry: NOTHING, evictionsLeft: evictionsLeft - 1 });
  return { ...world, workers };
}

/** Redis has forgotten the claims. */
function expire(world: World): World {
  return { ...world, claimedBy: '', isOld: true, expiriesLeft: world.expiriesLeft - 1 };
}

function replaced<T>(list: readonly T[], at: number, change: Partial<T>): T[] {
  return list.map((one, i) => (i === at ? { ...one, ...change } : one));
}

export interface Verdict {
  readonly states: number;
  /** Final states in which a reader does not see the fold of all facts. */
  readonly wrongEnds: number;
  /** States in which a reader does not see the facts of all finished jobs. */
  readonly unseen: number;
}

export interface Trouble {
  /** The worker of each job; the list repeats when there are more jobs. */
  readonly workers: readonly number[];
  /** The number of crashes of the first worker. */
  readonly crashes: number;
  /** The number of times that the first worker evicts its cache entry. */
  readonly evictions: number;
  /** The number of jobs that two workers run at once, as after a stall. */
  readonly doubleRuns: number;
  /** The number of times that Redis forgets the claims on the call. */
  readonly expiries?: number;
}

/** Tries every interleaving of the jobs' steps. */
export function explore(
  jobs: readonly (readonly FactName[])[],
  protocol: Protocol,
  trouble: Trouble,
): Verdict {
  const seen = new Set<string>();
  const verdict = { states: 0, wrongEnds: 0, unseen: 0 };
  const expected = visibleFold(setOf(jobs.flat()));
  const open: World[] = [beginning(jobs, trouble)];
  for (let world = open.pop(); world !== undefined; world = open.pop()) {
    const key = keyOf(world);
    if (seen.has(key)) continue;
    seen.add(key);
    verdict.states++;
    if (!showsWhatIsDone(world)) verdict.unseen++;
    const next = successors(world, protocol);
    if (next.length === 0 && visible(world.written) !== expected) verdict.wrongEnds++;
    open.push(...next);
  }
  return verdict;
}

function beginning(jobs: readonly (readonly FactName[])[], trouble: Trouble): World {
  const { workers: runners, crashes, evictions, doubleRuns, expiries = 0 } = trouble;
  const runs = [...jobs, ...jobs.slice(0, doubleRuns)];
  const processes = runs.map((job, i) => ({
    ...BEGIN,
    job: setOf(job),
    worker: runners[i % runners.length]!,
  }));
  const workers = [0, 1].map((at) => ({
    restarts: 0,
    entry: NOTHING,
    crashesLeft: at === 0 ? crashes : 0,
    evictionsLeft: at === 0 ? evictions : 0,
  }));
  const expiry = { expiriesLeft: expiries, isOld: false };
  return { log: 0, claimedBy: '', ...expiry, entries: [], written: [], workers, processes };
}

function successors(world: World, protocol: Protocol): World[] {
  const open = world.processes.filter(({ step }) => step !== 'done');
  if (open.length === 0) return [];
  const advanced = world.processes.flatMap(({ step }, at) =>
    step === 'done' ? [] : [advance(world, at, protocol)],
  );
  const troubled = world.workers.flatMap(({ crashesLeft, evictionsLeft, entry }, at) => [
    ...(crashesLeft > 0 ? [crash(world, at)] : []),
    ...(evictionsLeft > 0 && entry !== NOTHING ? [evict(world, at)] : []),
  ]);
  const expired = world.expiriesLeft > 0 && world.claimedBy !== '' ? [expire(world)] : [];
  return [...advanced, ...troubled, ...expired];
}

/** A reader must see the fold of all finished jobs' facts, perhaps with some facts of jobs in progress. */
function showsWhatIsDone({ processes, log, written }: World): boolean {
  let done = 0;
  for (const { step, job } of processes) if (step === 'done') done |= job;
  if (done === 0) return true;
  const inProgress = log & ~done;
  const seen = visible(written);
  for (let some = inProgress; ; some = (some - 1) & inProgress) {
    if (visibleFold(done | some) === seen) return true;
    if (some === 0) return false;
  }
}

function keyOf(world: World): string {
  const { log, claimedBy, entries, written, workers, processes, expiriesLeft } = world;
  const parts = [
    [log, claimedBy, expiriesLeft, written.join()],
    entries.map(({ facts, isWhole }) => `${facts}${isWhole}`),
    workers.map((one) => [one.restarts, one.entry, one.crashesLeft, one.evictionsLeft].join('.')),
    processes.map((one) =>
      [one.step, one.entry, one.isNew, one.noted, one.claim, one.snapshot].join('.'),
    ),
  ];
  return parts.map((part) => part.join()).join('|');
}

function memoized<T>(work: (set: Facts) => T): (set: Facts) => T {
  const known = new Map<Facts, T>();
  return (set) => {
    const result = known.get(set) ?? work(set);
    known.set(set, result);
    return result;
  };
}
