// Makes a virtual environment with the pinned Python client, once for each version of the requirements file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const requirements = join(root, 'test/conformance/python/requirements.txt');

/** The path of the interpreter. Without Python it prints a line and returns undefined. */
export async function makePython() {
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  if (version.error) {
    console.log('\nThere is no python3 here: the Python client is not tested.');
    return undefined;
  }
  const wanted = `${version.stdout}${readFileSync(requirements, 'utf8')}`;
  const name = `python-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`;
  const place = join(root, '.cache', name);
  if (!existsSync(place)) make(place);
  return join(place, 'bin/python');
}

/** Builds under another name and renames when finished. Python finds its packages by its own path, so that works. */
function make(place) {
  const unfinished = `${place}-${process.pid}`;
  const started = Date.now();
  mkdirSync(join(root, '.cache'), { recursive: true });
  console.log('\nInstalling the Python client …');
  try {
    run('python3', ['-m', 'venv', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
    run(join(unfinished, 'bin/python'), [...pip, '-r', requirements]);
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
