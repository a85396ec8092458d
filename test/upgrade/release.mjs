// A release out of the history of this repository, compiled in a directory of its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LOCKFILE = 'package-lock.json';

/** The directory of the compiled release. A later call with the same commit reuses it. */
export function compiledRelease(ref) {
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`).trim();
  const directory = join(tmpdir(), `heddle-release-${commit.slice(0, 12)}`);
  if (existsSync(join(directory, '.compiled'))) return directory;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const archive = git('archive', '--format=tar', commit);
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  installPackages(directory);
  run(directory, process.execPath, 'node_modules/@nestjs/cli/bin/nest.js', 'build', 'standalone');
  writeFileSync(join(directory, '.compiled'), `${commit}\n`);
  return directory;
}

/** Uses the packages of this tree when the lockfiles are equal. */
function installPackages(directory) {
  const lockfile = (tree) => readFileSync(join(tree, LOCKFILE), 'utf8');
  if (lockfile(directory) === lockfile(root))
    return symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  run(directory, 'npm', 'ci', '--ignore-scripts', '--include=dev', '--prefer-offline');
}

function git(...args) {
  const output = execFileSync('git', args, { cwd: root, maxBuffer: 1024 ** 3 });
  return args[0] === 'archive' ? output : output.toString('utf8');
}

function run(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}
