// Makes a virtual environment with the Python client, once for each version of the requirements file, or of the client.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { otherVersion, REQUIREMENTS } from './sdk-versions.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The path of the interpreter. Without Python it prints a line and returns undefined. */
export async function makePython() {
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  if (version.error) {
    console.log('\nThere is no python3 here: the Python client is not tested.');
    return undefined;
  }
  const packages = packagesOf(otherVersion('python'));
  const wanted = `${version.stdout}${packages.key}`;
  const name = `python-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`;
  const place = join(root, '.cache', name);
  await makeOnce(place, packages.args);
  return join(place, 'bin/python');
}

/** Two suites may start at the same time: the second waits for the environment of the first. */
async function makeOnce(place, packages) {
  const lock = `${place}.lock`;
  mkdirSync(join(root, '.cache'), { recursive: true });
  while (!existsSync(place)) {
    if (isTaken(lock)) {
      await pause(500);
      continue;
    }
    try {
      make(place, packages);
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/** Takes the lock, unless a process that still runs has it. */
function isTaken(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return false;
  } catch {
    if (!isRunning(Number(readFileSync(lock, { encoding: 'utf8', flag: 'a+' })))) rmSync(lock);
    return true;
  }
}

function isRunning(pid) {
  try {
    // 0 would be this process: the owner has not written its id yet.
    return pid === 0 || process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Another version of the client brings what it needs in the versions it accepts. */
function packagesOf(other) {
  const text = readFileSync(REQUIREMENTS, 'utf8');
  if (other === undefined) return { key: text, args: ['-r', REQUIREMENTS] };
  const names = [...text.matchAll(/^([\w.-]+)==/gm)].map(([, name]) => name);
  const args = [`weave==${other}`, ...names.filter((name) => name !== 'weave')];
  return { key: args.join('\n'), args };
}

/** Builds under another name and renames when finished. Python finds its packages by its own path, so that works. */
function make(place, packages) {
  const unfinished = `${place}-${process.pid}`;
  const started = Date.now();
  console.log('\nInstalling the Python client …');
  try {
    run('python3', ['-m', 'venv', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
    run(join(unfinished, 'bin/python'), [...pip, ...packages]);
    renameSync(unfinished, place);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  console.log(`Installing the Python client took ${Math.round((Date.now() - started) / 1000)} s`);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error || status !== 0) {
    throw new Error(
      `\`${command} ${args.join(' ')}\` ${error ? error.message : `ended with ${status}`}.`,
    );
  }
}
