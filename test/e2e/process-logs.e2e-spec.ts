import { cleanUp, startNode } from '../support/processes.js';

const OBSERVABILITY = './dist/libs/observability/src/index.js';

/** Runs a process whose start and first second are this code. */
async function logOf(code: string, env: Record<string, string> = {}) {
  const script = `import { createLogger, run } from '${OBSERVABILITY}';
    const logger = createLogger('probe', 'info');
    await run(async () => { ${code}; return { close: async () => {} }; }, () => logger);
    setTimeout(() => process.exit(0), 1000);`;
  const program = startNode(['--input-type=module', '-e', script], { env });
  const { code: exit } = await program.end();
  const lines = program.stderr.split('\n').filter(Boolean);
  return { exit, lines: lines.map((line) => JSON.parse(line) as Record<string, string>) };
}

afterAll(() => cleanUp());

describe('the log of a process', () => {
  it('has a line for a rejection and for an error that nothing handles', async () => {
    const rejected = await logOf(`setTimeout(() => Promise.reject(new Error('lost')), 10)`);
    expect(rejected).toMatchObject({ exit: 1, lines: [{ level: 'error', app: 'probe' }] });
    expect(rejected.lines[0]!['error']).toMatch(/^Error: lost\n +at /);

    const thrown = await logOf(`setTimeout(() => { throw new Error('gone') }, 10)`);
    expect(thrown).toMatchObject({ exit: 1, lines: [{ msg: expect.stringContaining('thrown') }] });
  });

  it('has a line for a warning of Node.js', async () => {
    const { exit, lines } = await logOf(`process.emitWarning('too many listeners')`);
    expect(exit).toBe(0);
    expect(lines).toMatchObject([{ level: 'warn', error: expect.stringContaining('too many') }]);
  });

  it('has a line when the process cannot start', async () => {
    const { exit, lines } = await logOf(`throw new Error('a defect')`);
    expect(exit).toBe(1);
    expect(lines).toMatchObject([
      { level: 'error', error: expect.stringMatching(/^Error: a defect\n/) },
    ]);
  });
});
