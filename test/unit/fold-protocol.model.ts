/**
 * A model of how facts become rows, small enough to try every interleaving. Workers run jobs on one call, and a job runs
 * the steps of a flush one by one. Between any two steps another worker may run, crash, or run the same job a second time.
 * Operators' commands (an erasure, a repair, a rebuild) run step by step, too, and may be killed and started again.
 */
export type FactName = keyof typeof FACTS;

interface ModelFact {
  readonly kind: 'start' | 'end' | 'complete' | 'rename' | 'delete';
  readonly receivedAt: number;
  /** The start time decides the place of the row, because it is part of the sorting key. */
  readonly startedAt?: number;
  /** The user, when it is not the one of the other facts. The key of such a fact may only add. */
  readonly other?: string;
}

/** Starts at the same and at other times, received in both orders, one or two facts of every other kind, and facts of a second user. */
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
  startOfOther: { kind: 'start', receivedAt: 2, startedAt: 30, other: 'eve' },
  firstOfOther: { kind: 'start', receivedAt: 0, startedAt: 10, other: 'eve' },
  endOfOther: { kind: 'end', receivedAt: 8, other: 'eve' },
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
const inOrder = (bits: readonly number[]) =>
  [...bits].sort((a, b) => ALL[a]!.receivedAt - ALL[b]!.receivedAt || a - b);
const newest = (bits: readonly number[]) => inOrder(bits).at(-1);

/** The facts that take no effect: the keys of their users only add, and another user started the call. */
const withoutEffect = memoized((set: Facts): Facts => {
  const first = inOrder(members(set).filter(hasStart)).at(0);
  if (first === undefined) return 0;
  const isRefused = (bit: number) =>
    ALL[bit]!.other !== undefined && ALL[bit]!.other !== ALL[first]!.other;
  return members(set)
    .filter(isRefused)
    .reduce((refused, bit) => refused | (1 << bit), 0);
});

/** The facts that a flush dead-letters: of its own, and those that lost their effect by its own. */
const deadLettered = (snapshot: Facts, job: Facts): Facts =>
  withoutEffect(snapshot) & (job | ~withoutEffect(snapshot & ~job));

interface Row {
  readonly place: number;
  readonly version: number;
  readonly isDeleted: boolean;
  readonly body: string;
  /** Everything above, to compare states. */
  readonly key: string;
}

const rowOf = (row: Omit<Row, 'key'>): Row => ({ ...row, key: Object.values(row).join('.') });

const fold = memoized((set: Facts): Row[] => {
  const known = members(set);
  const effective = members(set & ~withoutEffect(set));
  const winner = newest(effective.filter(hasStart));
  if (winner === undefined) return [];
  const isDeleted = effective.some((bit) => ALL[bit]!.kind === 'delete');
  const version = known.length + (isDeleted ? 1000 : 0);
  const body = [winner, newest(effective.filter(hasEnd)), newest(effective.filter(isRename))].join(
    '/',
  );
  const place = ALL[winner]!.startedAt!;
  const elsewhere = new Set(known.filter(hasStart).map((bit) => ALL[bit]!.startedAt!));
  elsewhere.delete(place);
  return [
    rowOf({ place, version, isDeleted, body }),
    ...[...elsewhere].map((other) => rowOf({ place: other, version, isDeleted: true, body: '' })),
  ];
});

/** What a reader sees of these rows: at each place the one with the highest version, if not deleted. */
function visible(written: readonly Row[]): string {
  const best = new Map<number, Row>();
  for (const row of written) {
    const known = best.get(row.place);
    if (known === undefined || row.version >= known.version) best.set(row.place, row);
  }
  const alive = [...best.values()].filter(({ isDeleted }) => !isDeleted);
  return alive
    .map(({ place, body }) => `${place}:${body}`)
    .sort()
    .join(' + ');
}

const visibleFold = memoized((set: Facts) => visible(fold(set)));

/**
 * The protocol that the workers follow. The others are wrong: with `only ends read the log` a flush with a start never
 * reads the log, with `always use the cache` a worker uses its cached facts although another worker has claimed the call,
 * and with `trust every first claim` a worker does not read the log although claims on the call may have expired. With
 * `erase without a delete` an erasure writes no delete fact, with `erase without waiting` it does not wait until the
 * delete is stored, and with `rebuild from the log alone` the rebuilt table has no rows that hide erased calls.
 */
export type Protocol =
  | 'claim'
  | 'only ends read the log'
  | 'always use the cache'
  | 'trust every first claim'
  | 'erase without a delete'
  | 'erase without waiting'
  | 'rebuild from the log alone';

type Claim = 'first' | 'mine' | 'others';
type Step = 'unsent' | 'log' | 'note' | 'claim' | 'decide' | 'read' | 'write' | 'done';

/** The facts of the call that a worker caches. A job may still refer to an entry that was evicted. */
interface Entry {
  readonly facts: Facts;
  readonly isWhole: boolean;
}

interface Process {
  readonly worker: number;
  readonly job: Facts;
  /** Two runs of one job have the same chunk. The chunk is settled when one of them is done. */
  readonly chunk: number;
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

type Command = 'erase' | 'repair' | 'rebuild';

/** A command of an operator. */
interface Operator {
  readonly command: Command;
  readonly step:
    'begin' | 'stored' | 'facts' | 'rows' | 'verify' | 'exchange' | 'catch up' | 'write' | 'done';
  readonly snapshot: Facts;
  readonly killsLeft: number;
  /** Of an erasure: whether it found the call, and whether every fact had been sent before it began. */
  readonly hasErased: boolean;
  readonly isLast: boolean;
}

interface World {
  readonly log: Facts;
  /** The claimant of the call, a worker and its restarts: none, one, or several. */
  readonly claimedBy: '' | 'several' | `${number}.${number}`;
  /** How often the claims may still expire. The call is old once they have. */
  readonly expiriesLeft: number;
  readonly isOld: boolean;
  readonly entries: readonly Entry[];
  /** The rows in the table of calls. */
  readonly written: readonly Row[];
  readonly deadLetters: Facts;
  readonly workers: readonly Worker[];
  readonly processes: readonly Process[];
  readonly operators: readonly Operator[];
  /** Whether an erasure or a rebuild runs; another one must not begin. */
  readonly isLocked: boolean;
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
    case 'unsent':
      // A second run begins only while the chunk is not settled.
      return become({ step: isSettled(world, process.chunk) ? 'done' : 'log' });
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
    case 'write': {
      const written = [...world.written, ...fold(process.snapshot)];
      const deadLetters = world.deadLetters | deadLettered(process.snapshot, process.job);
      return become({ step: 'done' }, { written, deadLetters });
    }
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
  const restart = (process: Process): Process => {
    if (process.worker !== at || ['done', 'unsent'].includes(process.step)) return process;
    return { ...process, ...BEGIN, step: isSettled(world, process.chunk) ? 'done' : 'log' };
  };
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

const isSettled = ({ processes }: World, chunk: number) =>
  processes.some((process) => process.chunk === chunk && process.step === 'done');

const isPending = (world: World) =>
  world.processes.some(
    ({ step, chunk }) => !['unsent', 'done'].includes(step) && !isSettled(world, chunk),
  );

const DELETE = setOf(['delete']);

type Operate = (change: Partial<Operator>, rest?: Partial<World>) => World[];

/** The next step of a command, or nothing while it has to wait. */
function operated(world: World, at: number, protocol: Protocol): World[] {
  const operator = world.operators[at]!;
  const become: Operate = (change, rest = {}) => [
    { ...world, ...rest, operators: replaced(world.operators, at, change) },
  ];
  switch (operator.command) {
    case 'erase':
      return erased(world, operator, protocol, become);
    case 'repair':
    case 'rebuild':
      return refolded(world, operator, protocol, become);
  }
}

/** Waits for pending facts, deletes the call, removes facts and rows, and verifies. What is left is erased again. */
function erased(world: World, { step }: Operator, protocol: Protocol, become: Operate): World[] {
  switch (step) {
    case 'begin': {
      if (world.isLocked || isPending(world)) return [];
      if (world.log === 0) return become({ step: 'done' });
      const isLast = world.processes.every((process) => process.step !== 'unsent');
      const writesDelete = protocol !== 'erase without a delete';
      const processes = [...world.processes, ...(writesDelete ? [deletion(world)] : [])];
      return become({ step: 'stored', isLast }, { isLocked: true, processes });
    }
    case 'stored':
      if (isPending(world) && protocol !== 'erase without waiting') return [];
      return become({ step: 'facts' });
    case 'facts':
      return become({ step: 'rows' }, { log: world.log & DELETE });
    case 'rows':
      return become({ step: 'verify' }, { written: world.written.filter((row) => row.isDeleted) });
    case 'verify': {
      const isLeft = (world.log & ~DELETE) !== 0 || world.written.some((row) => !row.isDeleted);
      const end = { step: 'done', hasErased: true } as const;
      return become(isLeft ? { step: 'begin' } : end, { isLocked: false });
    }
    case 'exchange':
    case 'catch up':
    case 'write':
    case 'done':
      return [];
  }
}

/** Another worker than the one of the first job stores the delete. */
function deletion({ processes }: World): Process {
  return { ...BEGIN, step: 'log', job: DELETE, worker: 1, chunk: processes.length };
}

/** A repair folds the log into the table; a rebuild fills a new table, exchanges it, and then does the same. */
function refolded(world: World, operator: Operator, protocol: Protocol, become: Operate): World[] {
  const { command, step, snapshot } = operator;
  switch (step) {
    case 'begin':
      if (command === 'repair') return become({ step: 'write', snapshot: world.log });
      if (world.isLocked) return [];
      return become({ step: 'exchange', snapshot: world.log }, { isLocked: true });
    case 'exchange': {
      const isDeleted = (snapshot & DELETE) !== 0;
      const hidden =
        isDeleted && protocol !== 'rebuild from the log alone'
          ? world.written.filter((row) => row.isDeleted)
          : [];
      return become({ step: 'catch up' }, { written: [...hidden, ...fold(snapshot)] });
    }
    case 'catch up':
      return become({ step: 'write', snapshot: world.log });
    case 'write': {
      const written = [...world.written, ...fold(snapshot)];
      return become({ step: 'done' }, { written, ...(command === 'rebuild' && UNLOCKED) });
    }
    case 'stored':
    case 'facts':
    case 'rows':
    case 'verify':
    case 'done':
      return [];
  }
}

const UNLOCKED = { isLocked: false };

/** The command dies and is started again. A worker finishes a rebuild that died after the exchange. */
function kill(world: World, at: number): World {
  const { command, step, killsLeft } = world.operators[at]!;
  const isExchanged = command === 'rebuild' && ['catch up', 'write'].includes(step);
  const restarted = { step: isExchanged ? 'catch up' : 'begin', killsLeft: killsLeft - 1 } as const;
  const isLocked = command === 'repair' || isExchanged ? world.isLocked : false;
  return { ...world, isLocked, operators: replaced(world.operators, at, restarted) };
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
  /** States in which a reader sees the call after its erasure. */
  readonly revived: number;
  /** Final states with facts in the log, although all of them had been sent before the erasure. */
  readonly leftInLog: number;
  /** Final states in which a fact without effect is not a dead letter. */
  readonly notDeadLettered: number;
  /** The steps to the first of these states. */
  readonly example: readonly string[];
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
  /** Commands of operators. With any, clients send the facts one after the other while the commands run. */
  readonly commands?: readonly Command[];
  /** How often each command is killed and started again. */
  readonly kills?: number;
}

/** A state, and the steps that led to it. */
interface Reached {
  readonly world: World;
  readonly step: string;
  readonly from: Reached | undefined;
}

/** Tries every interleaving of the jobs' steps. */
export function explore(
  jobs: readonly (readonly FactName[])[],
  protocol: Protocol,
  trouble: Trouble,
): Verdict {
  const seen = new Set<string>();
  const counts = {
    states: 0,
    wrongEnds: 0,
    unseen: 0,
    revived: 0,
    leftInLog: 0,
    notDeadLettered: 0,
  };
  let example: readonly string[] = [];
  const open: Reached[] = [
    { world: beginning(jobs, trouble), step: 'nothing is sent', from: undefined },
  ];
  for (let reached = open.pop(); reached !== undefined; reached = open.pop()) {
    const { world } = reached;
    const key = keyOf(world);
    if (seen.has(key)) continue;
    seen.add(key);
    counts.states++;
    const next = successors(world, protocol);
    const problems = problemsOf(world, next.length === 0);
    for (const problem of problems) counts[problem]++;
    if (problems.length > 0 && example.length === 0) example = stepsTo(reached);
    for (const [step, after] of next) open.push({ world: after, step, from: reached });
  }
  return { ...counts, example };
}

type Problem = 'wrongEnds' | 'unseen' | 'revived' | 'leftInLog' | 'notDeadLettered';

function problemsOf(world: World, isFinal: boolean): Problem[] {
  const { log, written, operators, processes } = world;
  const erasure = operators.find(({ hasErased }) => hasErased);
  const sent = processes.reduce((set, { job }) => set | job, 0);
  const problems = {
    unseen: !showsWhatIsDone(world),
    wrongEnds: isFinal && visible(written) !== visibleFold(sent),
    revived: erasure !== undefined && visible(written) !== '',
    leftInLog: isFinal && erasure?.isLast === true && (log & ~DELETE) !== 0,
    notDeadLettered:
      isFinal && operators.length === 0 && (withoutEffect(sent) & ~world.deadLetters) !== 0,
  };
  return (Object.keys(problems) as Problem[]).filter((name) => problems[name]);
}

function stepsTo(reached: Reached): string[] {
  const steps: string[] = [];
  for (let at: Reached | undefined = reached; at !== undefined; at = at.from) steps.push(at.step);
  return steps.reverse();
}

function beginning(jobs: readonly (readonly FactName[])[], trouble: Trouble): World {
  const { workers: runners, crashes, evictions, doubleRuns, expiries = 0 } = trouble;
  const { commands = [], kills = 0 } = trouble;
  const runs = [...jobs, ...jobs.slice(0, doubleRuns)];
  const step = commands.length === 0 ? 'log' : 'unsent';
  const processes = runs.map((job, i): Process => {
    const [chunk, worker] = [i % jobs.length, runners[i % runners.length]!];
    return { ...BEGIN, step, job: setOf(job), chunk, worker };
  });
  const operators = commands.map((command): Operator => {
    const erasure = { hasErased: false, isLast: false };
    return { command, step: 'begin', snapshot: 0, killsLeft: kills, ...erasure };
  });
  const workers = [0, 1].map((at) => ({
    restarts: 0,
    entry: NOTHING,
    crashesLeft: at === 0 ? crashes : 0,
    evictionsLeft: at === 0 ? evictions : 0,
  }));
  const expiry = { expiriesLeft: expiries, isOld: false };
  const empty = { log: 0, claimedBy: '', entries: [], written: [], deadLetters: 0 } as const;
  return { ...empty, ...expiry, isLocked: false, workers, processes, operators };
}

function successors(world: World, protocol: Protocol): [string, World][] {
  const isOpen = ({ step }: Process | Operator) => step !== 'done';
  if (![...world.processes, ...world.operators].some(isOpen)) return [];
  const advanced = world.processes.flatMap((process, at): [string, World][] =>
    mayRun(world, process, at) ? [[nameOf(process), advance(world, at, protocol)]] : [],
  );
  const commanded = world.operators.flatMap(({ command, step, killsLeft }, at) => [
    ...operated(world, at, protocol).map((next): [string, World] => [`${command}: ${step}`, next]),
    ...(killsLeft > 0 && !['begin', 'done'].includes(step)
      ? [[`${command} is killed`, kill(world, at)] as [string, World]]
      : []),
  ]);
  const troubled = world.workers.flatMap(({ crashesLeft, evictionsLeft, entry }, at) => [
    ...(crashesLeft > 0 ? [[`worker ${at} crashes`, crash(world, at)] as [string, World]] : []),
    ...(evictionsLeft > 0 && entry !== NOTHING
      ? [[`worker ${at} evicts the call`, evict(world, at)] as [string, World]]
      : []),
  ]);
  const expired: [string, World][] =
    world.expiriesLeft > 0 && world.claimedBy !== '' ? [['claims expire', expire(world)]] : [];
  return [...advanced, ...commanded, ...troubled, ...expired];
}

/** A job runs a second time only after it was sent. */
function mayRun({ processes }: World, { step, chunk }: Process, at: number): boolean {
  if (step === 'done') return false;
  const isFirstRun = processes.findIndex((process) => process.chunk === chunk) === at;
  return (
    isFirstRun ||
    step !== 'unsent' ||
    processes.some((one) => one.chunk === chunk && one.step !== 'unsent')
  );
}

const jobName = memoized((job: Facts) =>
  members(job)
    .map((bit) => NAMES[bit])
    .join('+'),
);
const nameOf = ({ worker, job, step }: Process) => `worker ${worker}, ${jobName(job)}: ${step}`;

/**
 * A reader must see the fold of all finished jobs' facts, perhaps with some facts of jobs in progress. Between the exchange
 * of a rebuild and its end a reader may miss facts that were stored meanwhile.
 */
function showsWhatIsDone({ processes, log, written, operators }: World): boolean {
  const isCatchingUp = ({ command, step }: Operator) =>
    command === 'rebuild' && ['catch up', 'write'].includes(step);
  if (operators.some(isCatchingUp)) return true;
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

/** What decides how the world goes on: worlds with the same key have the same futures, so one of them is enough. */
function keyOf(world: World): string {
  const { log, claimedBy, expiriesLeft, isLocked, isOld, deadLetters } = world;
  const used = new Map<number, number>();
  /** Entries have numbers in the order in which they are named here. One that nothing names is not read again. */
  const entry = (at: number): number => {
    if (at === NOTHING) return NOTHING;
    if (!used.has(at)) used.set(at, used.size);
    return used.get(at)!;
  };
  const workers = world.workers.map((one) =>
    [one.restarts, entry(one.entry), one.crashesLeft, one.evictionsLeft].join('.'),
  );
  const processes = world.processes.map((one) =>
    [one.job, one.step, ...neededBy(one, entry)].join('.'),
  );
  const parts = [
    [log, claimedBy, expiriesLeft, isLocked, isOld, deadLetters],
    decisive(world.written),
    world.operators.map((one) => Object.values(one).join('.')),
    [...used.keys()].map((at) => `${world.entries[at]!.facts}${world.entries[at]!.isWhole}`),
    workers,
    processes,
  ];
  return parts.map((part) => part.join()).join('|');
}

/** What the step of a job, and those after it, still read. */
function neededBy(
  { step, isNew, noted, claim, snapshot, ...process }: Process,
  entry: (at: number) => number,
): readonly unknown[] {
  switch (step) {
    case 'claim':
      return [entry(process.entry), isNew, noted];
    case 'decide':
      return [entry(process.entry), isNew, noted, claim];
    case 'write':
      return [snapshot];
    case 'unsent':
    case 'log':
    case 'note':
    case 'read':
    case 'done':
      return [];
  }
}

/** The rows that decide what is seen and erased: at each place the winner, and the winners of those that are deleted and that are not. */
function decisive(written: readonly Row[]): string[] {
  const best = new Map<string, Row>();
  for (const row of written) {
    for (const name of [`${row.place}`, `${row.place} ${row.isDeleted}`]) {
      const known = best.get(name);
      if (known === undefined || row.version >= known.version) best.set(name, row);
    }
  }
  return [...best].map(([name, { key }]) => `${name} ${key}`).sort();
}

function memoized<T>(work: (set: Facts) => T): (set: Facts) => T {
  const known = new Map<Facts, T>();
  return (set) => {
    const result = known.get(set) ?? work(set);
    known.set(set, result);
    return result;
  };
}
