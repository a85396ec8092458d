import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
const running = new Set();

// Whatever ends us ends them, each by its own process group. A kill -9 of ours closes their stdin, which they watch.
process.on('exit', () => running.forEach((member) => member.kill('SIGKILL')));
for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
  process.on(signal, () => process.exit(code));
}

/** One process of a server: it can be killed and started again with the same command, port and data. */
export class Member {
  #child;
  #ended;

  /** `ready` asks once and rejects while the process does not answer yet; `log` is a file. */
  constructor({ name, command, args, env = {}, ready, log }) {
    Object.assign(this, { name, command, args, env, ready, log });
  }

  get pid() {
    return this.#child?.pid;
  }

  get isRunning() {
    return this.#child !== undefined;
  }

  /** Resolves when it answers. */
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
    await this.#responses(child);
  }

  /** To the whole group, so that nothing it started stays behind. False when it is not running. */
  kill(signal) {
    if (this.pid === undefined) return false;
    return signalled(-this.pid, signal);
  }

  /** SIGKILL; resolves when it is gone. */
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

  /** The end of what it wrote. */
  lastWords(characters = 2000) {
    return readFileSync(this.log, 'utf8').slice(-characters);
  }

  #forget(child) {
    signalled(-child.pid, 'SIGKILL');
    if (this.#child !== child) return;
    this.#child = undefined;
    running.delete(this);
  }

  async #responses(child) {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (this.#child === child && Date.now() < deadline) {
      const isReady = await this.ready().then(
        () => true,
        () => false,
      );
      if (isReady) return;
      await sleep(20);
    }
    throw new Error(`${this.name} did not start:\n${this.lastWords()}`);
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
