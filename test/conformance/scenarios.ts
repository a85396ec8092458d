import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RecordingProxy } from '../support/recording-proxy.js';

export const here = fileURLToPath(new URL('./', import.meta.url));

/** An SDK with the environment that the README documents. */
export interface Sdk {
  readonly name: string;
  /** Empty on a machine without the interpreter. */
  readonly program: string;
  readonly environment: (url: string, key: string) => Readonly<Record<string, string>>;
}

export const PYTHON: Sdk = {
  name: 'Python',
  program: process.env['TEST_PYTHON']!,
  environment: (url, key) => ({
    WANDB_BASE_URL: url,
    WANDB_API_KEY: key,
    WEAVE_USE_SERVER_CACHE: 'false',
  }),
};

export const TYPESCRIPT: Sdk = {
  name: 'TypeScript',
  program: process.execPath,
  environment: (url, key) => ({
    WF_TRACE_SERVER_URL: url,
    WANDB_API_KEY: key,
    ...otherTypeScript(process.env['TEST_TYPESCRIPT'] ?? ''),
  }),
};

/** Programs import the client of that directory. Without one they import the pinned client. */
const otherTypeScript = (directory: string): Record<string, string> =>
  directory === ''
    ? {}
    : {
        TEST_TYPESCRIPT: directory,
        NODE_OPTIONS: `--import=${join(here, 'typescript/other-version.mjs')}`,
      };

interface Outcome {
  readonly scenario: string;
  readonly ok: boolean;
  readonly error: string;
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a script in its own process, with an empty home directory and only the SDK's variables. */
export async function runScript(
  { program, environment }: Sdk,
  args: readonly string[],
  url: string,
  key = process.env['TEST_KEY']!,
): Promise<Ended> {
  const home = mkdtempSync(join(tmpdir(), 'heddle-home-'));
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const child = spawn(program, args, {
    cwd: here,
    env: { PATH, LANG, HOME: home, ...environment(url, key) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, output }));
    });
  } finally {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  }
}

/** The scenarios of these files as tests. The files run at the same time, because an SDK mostly waits for its timers. */
export function describeScenarios(sdk: Sdk, files: readonly string[], withinMs = 600_000): void {
  const describeHere = sdk.program === '' ? describe.skip : describe;

  const why = sdk.program === '' ? ` (skipped: ${sdk.name} is not installed here)` : '';
  describeHere(`The ${sdk.name} SDK${why}`, () => {
    let proxy: RecordingProxy;
    const ended = new Map<string, Ended>();

    beforeAll(async () => {
      proxy = await RecordingProxy.to(process.env['TEST_URL']!);
      await Promise.all(
        files.map(async (file) => {
          ended.set(file, await runScript(sdk, [join(here, file)], proxy.url));
        }),
      );
    }, withinMs);

    afterAll(() => proxy.close());

    describe.each(files)('%s', (file) => {
      it.each(sentencesOf(file))('%s', (sentence) => {
        const { output } = ended.get(file)!;
        const outcome = outcomesIn(output).find(({ scenario }) => scenario === sentence);
        if (outcome === undefined)
          throw new Error(`The scenario did not run:\n${output.slice(-3000)}`);
        if (!outcome.ok) throw new Error(outcome.error);
      });
    });

    it('never got a 404 or a 5xx', () => {
      expect(proxy.exchanges.length).toBeGreaterThan(0);
      expect(proxy.failures()).toEqual([]);
    });
  });
}

function sentencesOf(file: string): string[] {
  const text = readFileSync(join(here, file), 'utf8');
  return [...text.matchAll(/^@?scenario\(\s*(['"])(.+?)\1/gm)].map(([, , sentence]) => sentence!);
}

function outcomesIn(output: string): Outcome[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"scenario"'))
    .map((line) => JSON.parse(line) as Outcome);
}
