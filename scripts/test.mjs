#!/usr/bin/env node
// Runs the checks and the test suites. A failure does not stop the others. The last line is the total:
// `N passed, N failed`. `--check` runs what needs no server; names of steps run only those steps.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const CHECKS = {
  lint: ['eslint/bin/eslint.js', '.'],
  types: ['typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'],
  'types-page': ['typescript/bin/tsc', '-p', 'apps/web/tsconfig.json', '--noEmit'],
  'types-browser': ['typescript/bin/tsc', '-p', 'test/browser/tsconfig.json', '--noEmit'],
  imports: [
    'dependency-cruiser/bin/dependency-cruise.mjs',
    'apps',
    'libs',
    '--config',
    '.dependency-cruiser.cjs',
  ],
  format: ['prettier/bin/prettier.cjs', '--check', '.'],
  unused: ['knip/bin/knip.js'],
};
/**
 * Two suites of one line run at the same time, the longest first: they have servers of their own, and each uses one core. Unit and
 * end-to-end tests use both cores themselves.
 */
const SERVER_STAGES = [['int', 'browser', 'cluster', 'conformance'], ['e2e']];
const SUITES = ['unit', ...SERVER_STAGES.flat()];
/** These take minutes and run only by name. */
const LONG_SUITES = ['e2e-long', 'browser-long', 'cluster-long', 'conformance-long'];
const AT_ONCE = 2;
/** Suites with servers often wait. Checks never do: beside such suites they run one by one, in the time that is left. */
const LOW = constants.priority.PRIORITY_BELOW_NORMAL;
/** Jest leaves one core free. Unit tests share no server; end-to-end tests often wait, and four at a time fit two cores. */
const WORKERS = { unit: '100%', e2e: '4' };

const requested = process.argv.slice(2);
const known = [...Object.keys(CHECKS), ...SUITES, ...LONG_SUITES];
const unknown = requested.filter((name) => name !== '--check' && !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no test step called ${unknown.join(', ')}. Steps: ${known.join(', ')}.`);
  process.exit(1);
}
const chosen = requested.includes('--check') ? [...Object.keys(CHECKS), 'unit'] : requested;
const isChosen = (name) => chosen.length === 0 || chosen.includes(name);

const children = new Set();
for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(code);
  });
}

const scratch = mkdtempSync(join(tmpdir(), 'heddle-test-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const checksDue = Object.keys(CHECKS).filter(isChosen);
const isBesideServers = SERVER_STAGES.flat().some(isChosen);
const outcomes = [];
if (!isBesideServers)
  outcomes.push(...(await runAtOnce(AT_ONCE, checksDue, (name) => runCheck(name))));
outcomes.push(...(await runStage(['unit'])));
const checking = isBesideServers ? runAtOnce(1, checksDue, (name) => runCheck(name, LOW)) : [];
for (const stage of SERVER_STAGES) outcomes.push(...(await runStage(stage)));
for (const name of LONG_SUITES.filter((one) => chosen.includes(one))) {
  outcomes.push(await runSuite(name));
}
outcomes.push(...(await checking));

const total = outcomes.reduce(plus, { passed: 0, failed: 0, skipped: 0 });
console.log(`\n${sentence(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;

function runStage(names) {
  const due = names.filter(isChosen);
  return runAtOnce(AT_ONCE, due, (name) => runSuite(name, name !== due[0]));
}

async function runAtOnce(runners, names, act) {
  const waiting = [...names];
  const results = [];
  const runner = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) results.push(await act(name));
  };
  await Promise.all(Array.from({ length: runners }, runner));
  return results;
}

/** A check counts as one test. Its output is shown when it fails. */
async function runCheck(name, priority) {
  const [script, ...args] = CHECKS[name];
  const command = [join('node_modules', script), ...args];
  const { ok, output, took } = await run(command, 'pipe', { priority });
  console.log(`\n${name}: ${ok ? 'passed' : 'failed'} in ${took} s`);
  if (!ok) process.stdout.write(output);
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

/**
 * The reporter counts tests. A run that fails without a failed test counts as one. The output of a suite that runs beside
 * another is shown when it has ended, so that the two do not mix.
 */
async function runSuite(name, isBeside = false) {
  const file = join(scratch, name);
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const workers = name in WORKERS ? [`--maxWorkers=${WORKERS[name]}`] : [];
  // A failed test may leave a connection open, and Jest would wait for it without end.
  const options = ['--forceExit', ...workers, '--selectProjects', name];
  const jest = [...flags, 'node_modules/jest/bin/jest.js', ...options];
  if (!isBeside) console.log(`\n${name}`);
  const io = isBeside ? 'pipe' : 'inherit';
  const { ok, took, output } = await run(jest, io, { env: { TEST_COUNTS_FILE: file } });
  if (isBeside) process.stdout.write(`\n${name}\n${output.toString()}`);
  const counts = readCounts(file);
  if (!ok && counts.failed === 0) counts.failed = 1;
  console.log(`${name}: ${sentence(counts)} in ${took} s`);
  return counts;
}

function readCounts(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines
    .map((line) => line.split(' ').map(Number))
    .map(([passed, failed, skipped]) => ({ passed, failed, skipped }))
    .reduce(plus, { passed: 0, failed: 0, skipped: 0 });
}

function plus(a, b) {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function run(args, output, { env = {}, priority } = {}) {
  const started = Date.now();
  const colour = process.stdout.isTTY && output === 'pipe' ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...colour, ...env },
    stdio: ['ignore', output, output],
  });
  children.add(child);
  if (priority !== undefined) setPriority(child.pid, priority);
  const chunks = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  child.stderr?.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      children.delete(child);
      const took = ((Date.now() - started) / 1000).toFixed(1);
      resolve({ ok: code === 0, output: Buffer.concat(chunks), took });
    });
  });
}
