// The services of docker-compose.yml as containers of podman on the network of this machine.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { exitCode, podman } from './tools.mjs';

const compose = new URL('../../docker-compose.yml', import.meta.url);
export const { services } = parse(readFileSync(compose, 'utf8'), { merge: true });

/** Within what a container as a test machine may have. podman's own defaults are higher. */
const LIMITS = ['--ulimit', 'nofile=10000:10000', '--ulimit', 'nproc=4096:4096'];
const HEALTHY_WITHIN_MS = 120_000;

/** Starts a service from an image, with the restrictions that compose gives it. `env` replaces its environment. */
export function startService(name, image, env, options = []) {
  const { command, read_only, tmpfs, cap_drop, security_opt } = services[name];
  return podman([
    ...['run', '--detach', '--runtime', 'runc', '--network', 'host', ...LIMITS],
    ...['--name', `heddle-test-${name}`, '--replace', ...options],
    ...(read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...tmpfs.flatMap((path) => ['--tmpfs', path]),
    ...cap_drop.map((capability) => `--cap-drop=${capability}`),
    ...security_opt.map((option) => `--security-opt=${option.replace(':true', '')}`),
    ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    image,
    ...command,
  ]);
}

/** Resolves when the health check of compose succeeds in the container. */
export async function healthy(name) {
  const [, ...test] = services[name].healthcheck.test;
  const deadline = Date.now() + HEALTHY_WITHIN_MS;
  while (exitCode(`heddle-test-${name}`, test) !== 0) {
    if (Date.now() > deadline || !isRunning(name))
      throw new Error(`${name} is not healthy:\n${logOf(name)}`);
    await sleep(500);
  }
}

const isRunning = (name) =>
  podman(['inspect', '--format', '{{.State.Running}}', `heddle-test-${name}`]) === 'true';

export const logOf = (name) =>
  podman(['logs', `heddle-test-${name}`], { mayFail: true, withErrors: true });

/** Stops a container as compose does. Returns how long it took, in milliseconds, and its exit code. */
export function stopService(name) {
  const grace = Number(/^(\d+)s$/.exec(services[name].stop_grace_period)[1]);
  const container = `heddle-test-${name}`;
  const beganAt = performance.now();
  podman(['stop', '--time', String(grace), container]);
  const tookMs = performance.now() - beganAt;
  const code = Number(podman(['inspect', '--format', '{{.State.ExitCode}}', container]));
  return { tookMs, code, graceMs: grace * 1000 };
}

export function removeService(name) {
  podman(['rm', '--force', '--ignore', '--time', '5', `heddle-test-${name}`], { mayFail: true });
}
