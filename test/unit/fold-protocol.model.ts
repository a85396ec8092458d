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

/**
 * Which protocol the workers follow. In the two wrong ones a flush with a start never looks at what others did, or a
 * worker goes by what it remembers although somebody else has touched the call.
 */
export type Protocol = 'touch' | 'only ends look back' | 'trust your memory';

type Touch = 'first' | 'mine' | 'others';
type Step = 'log' | 'note' | 'touch' | 'response' | 'read' | 'write' | 'done';

/** What a worker remembers of the call. Others may still refer to it after it was forgotten. */
interface Entry {
  readonly facts: Facts;
  readonly isWhole: boolean;
}

interface Process {
  readonly worker: number;
  readonly job: Facts;
  readonly step: Step;
  /** The entry it noted its facts in, whether it was new, and what that held then. */
  readonly entry: number;
  readonly isNew: boolean;
  readonly noted: Facts;
  readonly touch: Touch;
  readonly snapshot: Facts;
}

interface Worker {
  /** One life of a process; the next one has another name. */
  readonly life: number;
  readonly entry: number;
  readonly crashesLeft: number;
  readonly lapsesLeft: number;
}

interface World {
  readonly log: Facts;
  /** The life that touched the call: none, one, or several. */
  readonly touchedBy: '' | 'several' | `${number}.${number}`;
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
  touch: 'first',
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
      return become({ step: 'touch', entry, isNew, noted }, { entries, workers });
    }
    case 'touch': {
      const me = `${process.worker}.${worker.life}` as const;
      const touch = { '': 'first', [me]: 'mine' }[world.touchedBy] ?? 'others';
      const touchedBy = touch === 'others' ? 'several' : me;
      return become({ step: 'response', touch: touch as Touch }, { touchedBy });
    }
    case 'response':
      return answered(world, process, protocol, become);
    case 'read':
      return become({ step: 'write', snapshot: world.log });
    case 'write':
      return become({ step: 'done' }, { written: [...world.written, process.snapshot] });
    case 'done':
      return world;
  }
}

type Become = (change: Partial<Process>, rest?: Partial<World>) => World;

function answered(world: World, process: Process, protocol: Protocol, become: Become): World {
  const { worker, job, entry, isNew, noted, touch } = process;
  const beginsCall = members(job).some(hasStart);
  if (protocol === 'only ends look back')
    return become(beginsCall ? { step: 'write', snapshot: job } : { step: 'read' });
  const keepsTrust = touch === 'mine' || (touch === 'others' && protocol === 'trust your memory');
  const isWhole = keepsTrust
    ? world.entries[entry]!.isWhole
    : touch === 'first' && beginsCall && isNew;
  const isOver = members(noted).some((bit) => !['start', 'rename'].includes(ALL[bit]!.kind));
  const entries = replaced(world.entries, entry, { isWhole });
  const workers =
    !isWhole || isOver ? replaced(world.workers, worker, { entry: NOTHING }) : world.workers;
  const next = isWhole
    ? ({ step: 'write', snapshot: noted } as const)
    : ({ step: 'read' } as const);
  return become(next, { entries, workers });
}

/** The worker's jobs begin anew, and it remembers nothing. */
function crash(world: World, at: number): World {
  const { life, crashesLeft } = world.workers[at]!;
  const anew = { life: life + 1, entry: NOTHING, crashesLeft: crashesLeft - 1 };
  const restart = (process: Process): Process =>
    process.worker === at && process.step !== 'done' ? { ...process, ...BEGIN } : process;
  return {
    ...world,
    workers: replaced(world.workers, at, anew),
    processes: world.processes.map(restart),
  };
}

/** Its memory was full. */
function lapse(world: World, at: number): World {
  const { lapsesLeft } = world.workers[at]!;
  const workers = replaced(world.workers, at, { entry: NOTHING, lapsesLeft: lapsesLeft - 1 });
  return { ...world, workers };
}

function replaced<T>(list: readonly T[], at: number, change: Partial<T>): T[] {
  return list.map((one, i) => (i === at ? { ...one, ...change } : one));
}

export interface Verdict {
  readonly states: number;
  /** Ends of the world in which a reader sees something else than the fold of all facts. */
  readonly wrongEnds: number;
  /** Moments at which what finished jobs had stored was not to be seen. */
  readonly unseen: number;
}

export interface Trouble {
  /** Which worker runs each of the jobs; they follow one another when there are more jobs. */
  readonly workers: readonly number[];
  /** Of the first worker. */
  readonly crashes: number;
  /** How often the first worker forgets what it knew. */
  readonly lapses: number;
  /** How many of the jobs are run by two at once, as after a stall. */
  readonly doubleRuns: number;
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
  const { workers: runners, crashes, lapses, doubleRuns } = trouble;
  const runs = [...jobs, ...jobs.slice(0, doubleRuns)];
  const processes = runs.map((job, i) => ({
    ...BEGIN,
    job: setOf(job),
    worker: runners[i % runners.length]!,
  }));
  const workers = [0, 1].map((at) => ({
    life: 0,
    entry: NOTHING,
    crashesLeft: at === 0 ? crashes : 0,
    lapsesLeft: at === 0 ? lapses : 0,
  }));
  return { log: 0, touchedBy: '', entries: [], written: [], workers, processes };
}

function successors(world: World, protocol: Protocol): World[] {
  const open = world.processes.filter(({ step }) => step !== 'done');
  if (open.length === 0) return [];
  const advanced = world.processes.flatMap(({ step }, at) =>
    step === 'done' ? [] : [advance(world, at, protocol)],
  );
  const troubled = world.workers.flatMap(({ crashesLeft, lapsesLeft, entry }, at) => [
    ...(crashesLeft > 0 ? [crash(world, at)] : []),
    ...(lapsesLeft > 0 && entry !== NOTHING ? [lapse(world, at)] : []),
  ]);
  return [...advanced, ...troubled];
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

function keyOf({ log, touchedBy, entries, written, workers, processes }: World): string {
  const parts = [
    [log, touchedBy, written.join()],
    entries.map(({ facts, isWhole }) => `${facts}${isWhole}`),
    workers.map((one) => [one.life, one.entry, one.crashesLeft, one.lapsesLeft].join('.')),
    processes.map((one) =>
      [one.step, one.entry, one.isNew, one.noted, one.touch, one.snapshot].join('.'),
    ),
  ];
  return parts.map((part) => part.join()).join('|');
}

function remembered<T>(work: (set: Facts) => T): (set: Facts) => T {
  const known = new Map<Facts, T>();
  return (set) => {
    const result = known.get(set) ?? work(set);
    known.set(set, result);
    return result;
  };
}
