import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '@app/embedded';
import { eventually } from './processes.js';

const DURABLE = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
  save: '""',
  // A replica begins to copy at once.
  'repl-diskless-sync-delay': '0',
};

/** A Redis or a Sentinel without a supervisor: it is not restarted when it is killed. */
export class RedisServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly directory: string,
    private readonly flags: readonly string[],
  ) {}

  /** Resolves when it accepts commands. It is durable unless the settings differ. */
  static start(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
    return RedisServer.launch(
      Object.entries({ ...DURABLE, ...settings }).map((pair) => pair.join(' ')),
      [],
    );
  }

  static sentinel(lines: readonly string[]): Promise<RedisServer> {
    return RedisServer.launch(lines, ['--sentinel']);
  }

  private static async launch(lines: readonly string[], flags: readonly string[]) {
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), 'heddle-redis-'));
    const config = ['bind 127.0.0.1', `port ${port}`, `dir ${directory}`, ...lines].join('\n');
    await writeFile(join(directory, 'redis.conf'), `${config}\n`);
    const server = new RedisServer(port, directory, flags);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it with the same port and data. Resolves when it accepts commands. */
  async start(): Promise<void> {
    const config = join(this.directory, 'redis.conf');
    this.child = spawn('redis-server', [config, ...this.flags], { stdio: 'ignore' });
    await eventually(() => this.command('PING').then((reply) => reply === 'PONG'), 10_000);
  }

  /** Sends one command over a new connection. */
  async command(name: string, ...args: readonly string[]): Promise<unknown> {
    const redis = new Redis(this.port, '127.0.0.1', { retryStrategy: () => null });
    redis.on('error', () => undefined);
    try {
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  }

  /** Stops it for a while: it keeps its connections and does not reply. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  unfreeze(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (child === undefined) return;
    this.child = undefined;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}
