import { explore, FACTS, type FactName, type Trouble } from './fold-protocol.model.js';

const scenarios: FactName[][][] = [
  [['start'], ['end']],
  [['start'], ['startAgain']],
  [['start'], ['startMoved']],
  [['start', 'end'], ['startAgain']],
  [
    ['start', 'end'],
    ['startMoved', 'endAgain'],
  ],
  [['whole'], ['startAgain']],
  [['whole'], ['wholeMoved']],
  [['start'], ['end'], ['startAgain']],
  [['start', 'startAgain'], ['end']],
  [['start', 'end'], ['rename'], ['renameAgain']],
  [['start'], ['end'], ['delete']],
  [['start'], ['startMoved'], ['end']],
  [['whole'], ['startMoved'], ['delete']],
  [
    ['start', 'end'],
    ['startOfOther', 'endOfOther'],
  ],
  [['start'], ['firstOfOther'], ['endOfOther']],
  [['startOfOther'], ['start'], ['endOfOther']],
];

const FAULTLESS = { wrongEnds: 0, unseen: 0, notDeadLettered: 0 };

/** The worker of each job: two workers in turn, or the first one two times out of three. */
const WORKERS = [
  [0, 1],
  [0, 0, 1],
];
const isInTurn = ({ workers }: Trouble) => workers === WORKERS[0];
const TROUBLES = {
  'a crash and an eviction': { crashes: 1, evictions: 1, doubleRuns: 0 },
  'a job that runs twice': { crashes: 0, evictions: 1, doubleRuns: 1 },
  'a crash': { crashes: 1, evictions: 0, doubleRuns: 0 },
  'claims that expire twice': { crashes: 0, evictions: 0, doubleRuns: 0, expiries: 2 },
};

describe('the fold protocol, in every interleaving', () => {
  const cases = scenarios.flatMap((jobs) =>
    WORKERS.flatMap((workers) => {
      const { 'a crash': one, ...several } = TROUBLES;
      const { 'claims that expire twice': expiry } = TROUBLES;
      const troubles =
        jobs.length < 3 ? several : { 'a crash': one, 'claims that expire twice': expiry };
      return Object.entries(troubles).map(([met, trouble]) => {
        const name = `${jobs.map((job) => job.join('+')).join(' | ')} by ${workers.join()}, ${met}`;
        return { jobs, trouble: { workers, ...trouble }, name };
      });
    }),
  );

  it.each(cases)(
    'ends in the fold of all facts, never hides a finished one, and dead-letters what takes no effect: $name',
    ({ jobs, trouble }) => {
      const verdict = explore(jobs, 'claim', trouble);
      expect(verdict).toMatchObject(FAULTLESS);
    },
  );

  it('ends in the fold of all facts for any two or three jobs of one or two facts', () => {
    const names = Object.keys(FACTS) as FactName[];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
    const aJob = () => [...new Set([names[random(names.length)]!, names[random(names.length)]!])];
    let states = 0;
    for (let i = 0; i < 100; i++) {
      const jobs = Array.from({ length: 2 + random(2) }, aJob);
      const trouble = { crashes: jobs.length < 3 ? 1 : 0, evictions: 1, doubleRuns: 0 };
      const workers = WORKERS[random(WORKERS.length)]!;
      const verdict = explore(jobs, 'claim', { workers, ...trouble });
      expect({ jobs, workers, ...verdict }).toMatchObject(FAULTLESS);
      states += verdict.states;
    }
    expect(states).toBeGreaterThan(10_000);
  });

  it.each([
    ['only ends read the log', 2],
    ['trust every first claim', 2],
    // The fault shows only when another worker runs between two jobs of one worker.
    ['always use the cache', 3],
  ] as const)('detects a protocol that loses facts: %s', (protocol, length) => {
    const some = cases.filter(({ jobs, trouble }) => jobs.length === length && isInTurn(trouble));
    const shows = (fault: 'wrongEnds' | 'unseen') =>
      some.some(({ jobs, trouble }) => explore(jobs, protocol, trouble)[fault] > 0);
    expect([shows('wrongEnds'), shows('unseen')]).toEqual([true, true]);
  });
});

/** The same facts sent again count as another job. */
const ERASED: FactName[][][] = [
  [['start'], ['end']],
  [['start', 'end'], ['start']],
  [['end'], ['start']],
  [['start'], ['startMoved']],
  [['whole'], ['rename']],
];
const ALONE = { crashes: 0, evictions: 0, doubleRuns: 0, commands: ['erase'] } as const;
/** What happens beside an erasure, and how many jobs there are at most: more would be too many states. */
const BESIDE: Record<string, { trouble: Partial<Trouble>; jobs: number }> = {
  'a crash': { trouble: { crashes: 1 }, jobs: 2 },
  'claims that expire': { trouble: { expiries: 1 }, jobs: 2 },
  'an eviction': { trouble: { evictions: 1 }, jobs: 2 },
  'an erasure that is killed': { trouble: { kills: 1 }, jobs: 2 },
  'a repair': { trouble: { commands: ['erase', 'repair'] }, jobs: 2 },
  'a rebuild': { trouble: { commands: ['erase', 'rebuild'] }, jobs: 2 },
  'a job that runs twice': { trouble: { doubleRuns: 1 }, jobs: 1 },
  'a job that runs twice, and a rebuild': {
    trouble: { doubleRuns: 1, commands: ['erase', 'rebuild'] },
    jobs: 1,
  },
  'a repair and a rebuild, each killed once': {
    trouble: { kills: 1, commands: ['erase', 'repair', 'rebuild'] },
    jobs: 1,
  },
};

describe('an erasure beside the workers, in every interleaving', () => {
  const cases = ERASED.flatMap((all) =>
    Object.entries(BESIDE).map(([met, { trouble, jobs: most }]) => {
      const jobs = all.slice(0, most);
      const name = `${jobs.map((job) => job.join('+')).join(' | ')}, ${met}`;
      return { jobs, trouble: { workers: WORKERS[0]!, ...ALONE, ...trouble }, name };
    }),
  );

  it.each(cases)(
    'revives nothing that was erased, and loses nothing that was not: $name',
    ({ jobs, trouble }) => {
      const verdict = explore(jobs, 'claim', trouble);
      expect(verdict).toMatchObject({ revived: 0, wrongEnds: 0 });
      // Beside a repair a reader may see two starts of one call, until the flush of the second one ends.
      const isMoved = jobs.flat().includes('startMoved') && trouble.commands.length > 1;
      if (!isMoved) expect(verdict).toMatchObject({ unseen: 0 });
      // The second run of a job may append its facts to the log after the erasure. They stay hidden.
      if (trouble.doubleRuns === 0) expect(verdict).toMatchObject({ leftInLog: 0 });
    },
  );

  it.each([
    'erase without a delete',
    'erase without waiting',
    'rebuild from the log alone',
  ] as const)('detects a protocol that revives erased calls: %s', (protocol) => {
    const revives = ({ jobs, trouble }: (typeof cases)[number]) =>
      explore(jobs, protocol, trouble).revived > 0;
    expect(cases.some(revives)).toBe(true);
  });
});
