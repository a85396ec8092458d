import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 15_000;
const running = new Set();

// When this process exits, it kills every member by its process group. When it is killed itself, the members see that
// their stdin is closed and exit.
process.on('exit', () => running.forEach((member) => member.kill('SIGKILL')));
for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
  process.on(signal, () => process.exit(code));
}

/** One process of a server. It can be killed and started again with the same command, port and data. */
export class Member {
  #child;
  #ended;

  /** `ready` sends one probe and rejects while the process does not respond; `log` is a file. */
  constructor({ name, command, args, env = {}, ready, log }) {
    Object.assign(this, { name, command, args, env, ready, log });
  }

  get pid() {
    return this.#child?.pid;
  }

  get isRunning() {
    return this.#child !== undefined;
  }

  /** Resolves when the process responds. */
  async start() {
    const output = openSync(this.log, 'a');
    const child = spawn(this.command, this.args, {
      detached: true,
      stdio: ['pipe', output, output],
      env: { ...process.env, ...this.env },
    });
    closeSync(output);
    this.#child = child;
    running.add(this);
    child.stdin.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('exit', resolve);
    }).then(() => this.#forget(child));
    await this.#untilReady(child);
  }

  /** Signals the whole process group, so that no child survives. Returns false when the process is not running. */
  kill(signal) {
    if (this.pid === undefined) return false;
    return signalled(-this.pid, signal);
  }

  /** Sends SIGKILL and resolves when the process has ended. */
  async crash() {
    this.kill('SIGKILL');
    await this.#ended;
  }

  async stop() {
    if (!this.isRunning) return;
    this.kill('SIGCONT');
    signalled(this.pid, 'SIGTERM');
    const patience = new AbortController();
    const tooLong = sleep(STOP_WITHIN_MS, 'too long', { signal: patience.signal }).catch(() => '');
    if ((await Promise.race([this.#ended, tooLong])) === 'too long') this.kill('SIGKILL');
    patience.abort();
    await this.#ended;
  }

  /** The last part of the process's log. */
  logTail(characters = 2000) {
    return readFileSync(this.log, 'utf8').slice(-characters);
  }

  #forget(child) {
    signalled(-child.pid, 'SIGKILL');
    if (this.#child !== child) return;
    this.#child = undefined;
    running.delete(this);
  }

  async #untilReady(child) {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (this.#child === child && Date.now() < deadline) {
      const isReady = await this.ready().then(
        () => true,
        () => false,
      );
      if (isReady) return;
      await sleep(20);
    }
    throw new Error(`${this.name} did not start:\n${this.logTail()}`);
  }
}

function signalled(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}
