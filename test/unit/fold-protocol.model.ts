/**
 * A model of how facts become rows, small enough to try every interleaving. Workers run jobs on one call; each takes the
 * steps of a flush one by one; between any two steps another worker may run, crash, or run the same job a second time.
 */
export type FactName = keyof typeof FACTS;

interface ModelFact {
  readonly kind: 'start' | 'end' | 'complete' | 'rename' | 'delete';
  readonly receivedAt: number;
  /** Where its row would stand. */
  readonly startedAt?: number;
}

/** Starts with the same and with other placements, both orders of receipt, and one of everything else. */
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

/** A set of facts, one bit each: states are compared by the thousand. */
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

const fold = remembered((set: Facts): Row[] => {
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

/** What a reader sees after these folds were written: at each place the row that knows most, unless it is a tombstone. */
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

const visibleFold = remembered((set: Facts) => visible([set]));

/** Which protocol the workers follow. */
export type Protocol = 'touch' | 'only ends look back';

type Step = 'log' | 'touch' | 'read' | 'write' | 'done';

interface Process {
  readonly job: Facts;
  readonly step: Step;
  readonly snapshot: Facts;
  readonly crashesLeft: number;
}

interface World {
  readonly log: Facts;
  readonly touched: boolean;
  /** The snapshots whose folds were written, in order. */
  readonly written: readonly Facts[];
  readonly processes: readonly Process[];
}

function advance(world: World, at: number, protocol: Protocol): World {
  const process = world.processes[at]!;
  const become = (change: Partial<Process>, rest: Partial<World> = {}): World => ({
    ...world,
    ...rest,
    processes: world.processes.map((one, i) => (i === at ? { ...one, ...change } : one)),
  });
  switch (process.step) {
    case 'log':
      return become({ step: 'touch' }, { log: world.log | process.job });
    case 'touch': {
      const knowsStart = members(process.job).some(hasStart);
      const mayKeepOwn = knowsStart && (protocol !== 'touch' || !world.touched);
      const own = { step: 'write', snapshot: process.job } as const;
      return become(mayKeepOwn ? own : { step: 'read' }, { touched: true });
    }
    case 'read':
      return become({ step: 'write', snapshot: world.log });
    case 'write':
      return become({ step: 'done' }, { written: [...world.written, process.snapshot] });
    case 'done':
      return world;
  }
}

function crash(world: World, at: number): World {
  const restart = (process: Process): Process => ({
    ...process,
    step: 'log',
    snapshot: 0,
    crashesLeft: process.crashesLeft - 1,
  });
  return { ...world, processes: world.processes.map((one, i) => (i === at ? restart(one) : one)) };
}

export interface Verdict {
  readonly states: number;
  /** Ends of the world in which a reader sees something else than the fold of all facts. */
  readonly wrongEnds: number;
  /** Moments at which what finished jobs had stored was not to be seen. */
  readonly unseen: number;
}

export interface Trouble {
  readonly crashes: number;
  /** Every job is run by two workers at once, as after a stall. */
  readonly doubleRuns: boolean;
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
  const runs = trouble.doubleRuns ? [...jobs, ...jobs] : jobs;
  const processes = runs.map((job, i) => newProcess(job, i < jobs.length ? trouble.crashes : 0));
  const open: World[] = [{ log: 0, touched: false, written: [], processes }];
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

function newProcess(job: readonly FactName[], crashesLeft: number): Process {
  return { job: setOf(job), step: 'log', snapshot: 0, crashesLeft };
}

function successors(world: World, protocol: Protocol): World[] {
  return world.processes.flatMap((process, at) => {
    if (process.step === 'done') return [];
    const mayCrash = process.crashesLeft > 0 && process.step !== 'log';
    return [advance(world, at, protocol), ...(mayCrash ? [crash(world, at)] : [])];
  });
}

/** What is visible must be the fold of everything finished, and perhaps of some facts that are still under way. */
function showsWhatIsDone({ processes, log, written }: World): boolean {
  let done = 0;
  for (const { step, job } of processes) if (step === 'done') done |= job;
  if (done === 0) return true;
  const underWay = log & ~done;
  const seen = visible(written);
  for (let some = underWay; ; some = (some - 1) & underWay) {
    if (visibleFold(done | some) === seen) return true;
    if (some === 0) return false;
  }
}

function keyOf({ log, touched, written, processes }: World): string {
  const each = processes.map(
    ({ step, snapshot, crashesLeft }) => `${step}${snapshot},${crashesLeft}`,
  );
  return `${log}|${touched}|${written.join()}|${each.join(';')}`;
}

function remembered<T>(work: (set: Facts) => T): (set: Facts) => T {
  const known = new Map<Facts, T>();
  return (set) => {
    const result = known.get(set) ?? work(set);
    known.set(set, result);
    return result;
  };
}
