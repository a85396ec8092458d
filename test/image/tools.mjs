// buildah and podman with a storage of their own, so that nothing of the machine's images is changed.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export const DIRECTORY = process.env['IMAGE_TEST_DIR'] ?? '/var/tmp/heddle-image';
mkdirSync(DIRECTORY, { recursive: true });
const STORAGE = [
  ...['--root', join(DIRECTORY, 'storage'), '--runroot', join(DIRECTORY, 'run')],
  ...['--storage-driver', 'overlay'],
];

/** The standard output of a command, and with `withErrors` the other one, without the line end. Throws with everything it printed when it fails. */
export function output(command, args, { mayFail = false, withErrors = false, ...options } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 ** 2,
    ...options,
  });
  if (error) throw error;
  if (status === 0 || mayFail) return (withErrors ? stdout + stderr : stdout).trimEnd();
  throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
}

export const run = (command, args, options) => void output(command, args, options);
export const buildah = (args, options) => output('buildah', [...STORAGE, ...args], options);
export const podman = (args, options) => output('podman', [...STORAGE, ...args], options);

/** The exit code of a command in a container. */
export function exitCode(container, command) {
  const args = [...STORAGE, 'exec', container, ...command];
  return spawnSync('podman', args, { stdio: 'ignore' }).status;
}
