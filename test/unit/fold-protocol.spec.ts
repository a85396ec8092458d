import { explore, FACTS, type FactName, type Protocol } from './fold-protocol.model.js';

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
];

const run = (jobs: FactName[][], protocol: Protocol) =>
  explore(jobs, protocol, { crashes: 1, doubleRuns: jobs.length < 3 });

describe('the fold protocol, in every interleaving', () => {
  it.each(scenarios.map((jobs) => ({ jobs, name: jobs.map((job) => job.join('+')).join(' | ') })))(
    'ends in the fold of all facts and never hides a finished one: $name',
    ({ jobs }) => {
      expect(run(jobs, 'touch')).toMatchObject({ wrongEnds: 0, unseen: 0 });
    },
  );

  it('does so for any two or three jobs of one or two facts', () => {
    const names = Object.keys(FACTS) as FactName[];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
    const aJob = () => [...new Set([names[random(names.length)]!, names[random(names.length)]!])];
    let states = 0;
    for (let i = 0; i < 100; i++) {
      const jobs = Array.from({ length: 2 + random(2) }, aJob);
      const trouble = { crashes: jobs.length < 3 ? 1 : 0, doubleRuns: jobs.length < 3 };
      const verdict = explore(jobs, 'touch', trouble);
      expect({ jobs, ...verdict }).toMatchObject({ wrongEnds: 0, unseen: 0 });
      states += verdict.states;
    }
    expect(states).toBeGreaterThan(10_000);
  });

  it('can tell a protocol that loses facts', () => {
    const verdicts = scenarios.map((jobs) => run(jobs, 'only ends look back'));
    expect(verdicts.some(({ wrongEnds }) => wrongEnds > 0)).toBe(true);
    expect(verdicts.some(({ unseen }) => unseen > 0)).toBe(true);
  });
});
