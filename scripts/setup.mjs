#!/usr/bin/env node
// Prepares a fresh clone: a Redis server, the packages and the compiled apps. It prints nothing when there
// is nothing to do. It imports only Node's own modules, and its syntax is plain enough for an older Node
// to parse, so that an older Node can print which version is needed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (path) => join(root, path);

const PACKAGES_STAMP = 'node_modules/.heddle-packages';
const BUILD_STAMP = 'dist/.heddle-build';
const PAGE_STAMP = 'dist/.heddle-page';
const BUILD_INFO = '.cache/build.tsbuildinfo';
const LOCK = '.cache/setup.lock';
const BUILD_INPUTS = [
  'apps',
  'libs',
  'nest-cli.json',
  'package-lock.json',
  'tsconfig.build.json',
  'tsconfig.json',
];
/** The page has its own build: a change of it does not compile the apps, nor the other way round. */
const PAGE = 'apps/web';
const PAGE_INPUTS = [PAGE, 'libs/query-language/src/text', 'package-lock.json', 'scripts/page.mjs'];
/** Programs that only tests need. Where one cannot be installed, its tests say so. */
const TEST_PROGRAMS = [
  { names: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  { names: ['nginx'], package: 'nginx' },
];
const REDIS_SERVERS = ['redis-server', 'valkey-server'];
const REDIS_MISSING =
  'Heddle needs a Redis server and found none. Install one (`apt-get install redis-server`, ' +
  '`brew install redis`, or any package that brings redis-server or valkey-server), or set ' +
  'REDIS_URL to a server that is running, for example redis://127.0.0.1:6379.';

/** The reason why setup failed: a sentence, and the whole output of the failed command. */
class SetupError extends Error {
  constructor(sentence, output = '') {
    super(sentence);
    this.output = output;
  }
}

const redis = { isDue: redisIsDue, run: installRedis };
const packages = { isDue: packagesAreDue, run: installPackages };
const build = { isDue: buildIsDue, run: buildApps };
const page = { isDue: pageIsDue, run: buildPage };
const testPrograms = TEST_PROGRAMS.map((program) => ({
  isDue: () => !isOnPath(program.names),
  run: () => installTestProgram(program),
}));

/**
 * `--packages` stops after the packages, which is enough for checks that do not need the compiled apps. `--test-programs`
 * adds the programs that only tests need.
 */
const has = (flag) => process.argv.includes(flag);
const steps = has('--packages')
  ? [packages]
  : [redis, packages, build, page, ...(has('--test-programs') ? testPrograms : [])];

let child;
let stopWith;
for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
  process.on(signal, () => stop(signal, code));
}

try {
  checkNode(process.versions.node);
  if (steps.some((step) => step.isDue())) await withLock(runDueSteps);
} catch (problem) {
  if (!(problem instanceof SetupError)) throw problem;
  if (problem.output) process.stderr.write(problem.output);
  console.error(`\n${problem.message}`);
  process.exitCode = stopWith || 1;
}

async function runDueSteps() {
  for (const step of steps) {
    if (step.isDue()) await step.run();
  }
}

function checkNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return;
  throw new SetupError(
    `Heddle needs Node 20.19 or a later 20, or 22.12 or anything newer; this is Node ${version}. ` +
      'Install one from https://nodejs.org or with your version manager, then try again.',
  );
}

// Redis

function redisIsDue() {
  return !process.env.REDIS_URL && !isOnPath(REDIS_SERVERS);
}

/** Installs the program without starting the system's service: Heddle starts its own Redis server. */
async function installRedis() {
  const sudo = rootPrefix();
  const aptGet = aptGetCommand(sudo);
  if (!aptGet) throw new SetupError(REDIS_MISSING);
  const title = 'Installing redis-server';
  // One unreachable package source fails the whole update, although Redis may still be installable.
  const update = await run(title, [...aptGet, 'update']).catch((problem) => problem);
  const install = [...aptGet, 'install', '-y', '--no-install-recommends', 'redis-server'];
  await run(title, install).catch((problem) => {
    throw new SetupError(REDIS_MISSING, `${(update && update.output) || ''}${problem.output}`);
  });
  if (existsSync('/run/systemd/system')) {
    await run(title, [...sudo, 'systemctl', 'disable', '--now', 'redis-server']);
  }
  if (redisIsDue()) throw new SetupError(REDIS_MISSING);
}

/** Undefined where packages cannot be installed. */
function aptGetCommand(sudo) {
  if (!sudo || !isOnPath(['apt-get'])) return undefined;
  // In runlevel 1 Debian starts no service. The variable applies to this command only.
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'];
  return [...sudo, ...quiet, 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=120'];
}

function rootPrefix() {
  if (process.getuid && process.getuid() === 0) return [];
  const sudo = ['sudo', '-n'];
  return spawnSync(sudo[0], [sudo[1], 'true'], { stdio: 'ignore' }).status === 0 ? sudo : undefined;
}

function isOnPath(names) {
  const path = (process.env.PATH || '').split(delimiter).filter(Boolean);
  // Debian's servers are in a directory that only root has on its path.
  const directories = [...path, '/usr/sbin'];
  return directories.some((directory) => names.some((name) => isProgram(join(directory, name))));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

// Programs of tests

async function installTestProgram(program) {
  const aptGet = aptGetCommand(rootPrefix());
  if (!aptGet) return;
  const install = [...aptGet, 'install', '-y', '--no-install-recommends', program.package];
  await run(`Installing ${program.package} for the tests`, install).catch((problem) => {
    if (!(problem instanceof SetupError)) throw problem;
    process.stderr.write(`${problem.message}\n`);
  });
}

// Packages

function packagesAreDue() {
  if (read(PACKAGES_STAMP) === packagesWanted()) return false;
  if (!installedByHand()) return true;
  writeFileSync(at(PACKAGES_STAMP), packagesWanted());
  return false;
}

/** The platform is part of the stamp: a tree shared between two systems needs other binaries on each. */
function packagesWanted() {
  const lockfile = sha256(readFileSync(at('package-lock.json')));
  return `${process.platform}-${process.arch} ${lockfile}\n`;
}

/** After an `npm install` npm's own record equals the lockfile: there is nothing to install. */
function installedByHand() {
  const record = read('node_modules/.package-lock.json');
  if (!record) return false;
  const installed = JSON.parse(record).packages;
  const wanted = JSON.parse(read('package-lock.json')).packages;
  const isThere = (path) => installed[path] && installed[path].version === wanted[path].version;
  const isForOthers = (path) => wanted[path].optional && (wanted[path].os || wanted[path].cpu);
  const isSettled = (path) => path === '' || isThere(path) || isForOthers(path);
  return (
    Object.keys(wanted).every(isSettled) && Object.keys(installed).every((path) => wanted[path])
  );
}

/** Development packages are installed whatever NODE_ENV is, because the apps are compiled here. */
async function installPackages() {
  const wanted = packagesWanted();
  const npmScript = process.env.npm_execpath || '';
  const npm = npmScript.endsWith('npm-cli.js') ? [process.execPath, npmScript] : ['npm'];
  // No package needs its install script: docs/dependencies.md says why.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const command = [...npm, 'ci', '--include=dev', '--include=optional', ...quiet];
  await run('Installing packages', command);
  writeFileSync(at(PACKAGES_STAMP), wanted);
}

// Build

function buildIsDue() {
  return read(BUILD_STAMP) !== buildHash();
}

/** Every project compiles the whole tree, so building one app builds them all. */
async function buildApps() {
  const hash = buildHash();
  rmSync(at(BUILD_STAMP), { force: true });
  // With the build info of an earlier build the compiler would skip files that are missing from dist.
  rmSync(at(BUILD_INFO), { force: true });
  const nest = at('node_modules/@nestjs/cli/bin/nest.js');
  await run('Compiling the apps', [process.execPath, nest, 'build', 'standalone']);
  removeStale('dist', '');
  writeFileSync(at(BUILD_STAMP), hash);
}

function pageIsDue() {
  return read(PAGE_STAMP) !== pageHash();
}

async function buildPage() {
  const hash = pageHash();
  rmSync(at(PAGE_STAMP), { force: true });
  await run('Building the page', [process.execPath, at('scripts/page.mjs')]);
  writeFileSync(at(PAGE_STAMP), hash);
}

function buildHash() {
  return hashOf(BUILD_INPUTS.flatMap(filesUnder).filter((path) => !isOfPage(path)));
}

function pageHash() {
  return hashOf(PAGE_INPUTS.flatMap(filesUnder));
}

function isOfPage(path) {
  return path === PAGE || path.startsWith(`${PAGE}/`);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\n${sha256(readFileSync(at(path)))}\n`);
  return `${hash.digest('hex')}\n`;
}

function filesUnder(path) {
  if (!existsSync(at(path))) return [];
  if (statSync(at(path)).isFile()) return /\.(spec\.ts|md|sql)$/.test(path) ? [] : [path];
  const names = readdirSync(at(path)).filter((name) => name !== 'node_modules');
  return names.sort().flatMap((name) => filesUnder(`${path}/${name}`));
}

/** Removes the compiled files of sources that no longer exist. The build of the page removes its own. */
function removeStale(dist, directory) {
  for (const entry of readdirSync(at(join(dist, directory)), { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (isOfPage(path) || path === PAGE_STAMP.slice('dist/'.length)) continue;
    const source = entry.isDirectory() ? path : path.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (!existsSync(at(source))) rmSync(at(join(dist, path)), { recursive: true });
    else if (entry.isDirectory()) removeStale(dist, path);
  }
}

// One setup at a time

/** Runs the work while holding the lock of this tree. The lock of a process that died is removed. */
async function withLock(work) {
  mkdirSync(dirname(at(LOCK)), { recursive: true });
  const done = showProgress('Waiting for another setup of this tree');
  while (!acquireLock()) {
    removeDeadLock();
    await pause(100);
  }
  done();
  const beat = setInterval(refreshLock, 2_000);
  const release = () => rmSync(at(LOCK), { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    clearInterval(beat);
    process.removeListener('exit', release);
    release();
  }
}

function refreshLock() {
  if (existsSync(at(LOCK))) utimesSync(at(LOCK), new Date(), new Date());
}

function acquireLock() {
  return createOnce(at(LOCK), `${process.pid} ${Date.now()}`);
}

/** Two waiting processes may see the same dead lock. The claim file lets only one of them remove it. */
function removeDeadLock() {
  const claim = `${at(LOCK)}.claim`;
  const seen = read(LOCK);
  if (seen === undefined || !isDead(seen)) return;
  if (!createOnce(claim, '')) {
    if (ageMs(claim) > 20_000) rmSync(claim, { force: true });
    return;
  }
  if (read(LOCK) === seen) rmSync(at(LOCK), { force: true });
  rmSync(claim, { force: true });
}

/** The holder has ended, or its pid now belongs to a process that does not refresh the lock. */
function isDead(holder) {
  if (ageMs(at(LOCK)) > 20_000) return true;
  const pid = Number(holder.split(' ')[0]);
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (problem) {
    return problem.code === 'ESRCH';
  }
}

function createOnce(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (problem) {
    if (problem.code === 'EEXIST') return false;
    throw problem;
  }
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

// Running a command with a progress line

/** Resolves when the command has succeeded. Its output is shown only when it fails. */
function run(title, [command, ...args]) {
  const done = showProgress(title);
  return new Promise((resolve, reject) => {
    const output = [];
    const fail = (what) => {
      const sentence = `${title} did not succeed: \`${[command, ...args].join(' ')}\` ${what}.`;
      reject(new SetupError(sentence, Buffer.concat(output).toString()));
    };
    child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (problem) => {
      done();
      fail(`could not be started (${problem.code})`);
    });
    child.on('close', (code, signal) => {
      child = undefined;
      done();
      if (code === 0 && !stopWith) resolve();
      else fail(stopWith ? 'was stopped' : `ended with ${signal || `code ${code}`}`);
    });
  });
}

/** A running command gets the signal first, and the lock is released after the command has ended. */
function stop(signal, code) {
  if (!child || stopWith) process.exit(code);
  stopWith = code;
  child.kill(signal);
}

/** Prints nothing for two seconds, then one moving line on a terminal or a line every five seconds. */
function showProgress(title) {
  const started = Date.now();
  const out = process.stderr;
  const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
  const seconds = () => Math.round((Date.now() - started) / 1000);
  let tick = 0;
  let due = 2_000;
  const show = () => {
    if (Date.now() - started < due) return;
    if (!out.isTTY) due += 5_000;
    tick += 1;
    out.write(out.isTTY ? `\r${frames[tick % frames.length]} ${line('…')}` : `${line('…')}\n`);
  };
  const line = (mark) => `${title} ${mark} ${seconds()} s`;
  const timer = setInterval(show, 100);
  return () => {
    clearInterval(timer);
    if (tick > 0) out.write(`${out.isTTY ? '\r\u001b[K' : ''}${line('took')}\n`);
  };
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function read(path) {
  try {
    return readFileSync(at(path), 'utf8');
  } catch (problem) {
    if (problem.code === 'ENOENT') return undefined;
    throw problem;
  }
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
