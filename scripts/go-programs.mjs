// Programs and files of Go modules, from the proxy of Go. Everything is kept in the user's cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CACHE = join(homedir(), '.cache', 'heddle');

/** The output of a command, and whether it has ended with 0. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    ...options,
  });
  return { isDone: status === 0, text: `${stdout ?? ''}${stderr ?? ''}${error ?? ''}`, stdout };
}

/** The program from the PATH, or one that is built once. `source` is `module/path/name@version`. */
export function program(source, versionArgument) {
  const [, name, version] = /([^/]+)@v(.*)$/.exec(source);
  const given = process.env[name.toUpperCase()];
  if (given) return given;
  if (run(name, [versionArgument]).isDone) return name;
  const directory = join(CACHE, `${name}-${version}`);
  const binary = join(directory, name);
  if (existsSync(binary)) return binary;
  console.log(`Building ${source} …`);
  mkdirSync(directory, { recursive: true });
  go(['install', source], { GOBIN: directory });
  return binary;
}

/** The directory with the files of a module. */
export function moduleDirectory(source) {
  return JSON.parse(go(['mod', 'download', '-json', source])).Dir;
}

function go(args, env = {}) {
  const { isDone, stdout, text } = run('go', args, { env: { ...process.env, ...env } });
  if (isDone) return stdout;
  console.error(`Install Go (go must be on the PATH), and run this again.\n${text}`);
  process.exit(1);
}
