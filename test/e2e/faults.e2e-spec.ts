import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const at = (path: string) => new URL(path, import.meta.url);
const { Acknowledged, compare } = await import(at('../support/acknowledged.mjs').href);

const MINUTES = 60_000;

describe('a server under faults', () => {
  it(
    'loses nothing it acknowledged, shows nothing twice and changes no content',
    async () => {
      const { code, output } = await chaos('--short');
      expect(code === 0 ? 'all checks passed' : verdictFirst(output)).toBe('all checks passed');
    },
    30 * MINUTES,
  );
});

describe('the comparison of acknowledged and stored calls', () => {
  const known = () => {
    const record = new Acknowledged();
    for (const number of [0, 1, 2]) {
      record.sent('start', number, hash(number));
      record.sent('end', number, hash(10 + number));
    }
    for (const number of [0, 1]) {
      record.acknowledged('start', number);
      record.acknowledged('end', number);
    }
    return record;
  };
  const good = [
    [0, hash(0), hash(10)],
    [1, hash(1), hash(11)],
  ];
  const nothing = { lost: [], lostEnds: [], double: [], unknown: [], different: [] };

  it('finds nothing when everything acknowledged is stored once', () => {
    expect(compare(known(), good)).toEqual(nothing);
  });

  it('accepts facts that were sent without a response, stored or not', () => {
    expect(compare(known(), [...good, [2, hash(2), '']])).toEqual(nothing);
    expect(compare(known(), [...good, [2, hash(2), hash(12)]])).toEqual(nothing);
  });

  it.each([
    ['a lost call', [good[0]], { lost: [1] }],
    ['a lost end', [good[0], [1, hash(1), '']], { lostEnds: [1] }],
    ['a call that is stored twice', [...good, good[1]], { double: [1] }],
    ['a call that was never sent', [...good, [7, hash(7), '']], { unknown: [7] }],
    ['another input', [good[0], [1, hash(9), hash(11)]], { different: [1] }],
    ['another output', [good[0], [1, hash(1), hash(9)]], { different: [1] }],
  ])('finds %s', (_, rows, finding) => {
    expect(compare(known(), rows)).toEqual({ ...nothing, ...finding });
  });
});

function hash(number: number): string {
  return number.toString(16).padStart(16, '0');
}

/** A long report may be cut by what shows it. */
function verdictFirst(output: string): string {
  const verdict = output.split('\n').filter((line) => /^(FAILED|unexpected)/.test(line));
  return [...verdict, '', output].join('\n');
}

function chaos(...args: string[]): Promise<{ code: number | null; output: string }> {
  const script = fileURLToPath(at('../chaos/chaos.mjs'));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
