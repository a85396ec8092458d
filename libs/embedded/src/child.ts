import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@app/observability';
import { lowerPriority } from './lower-priority.js';
import { signalGroup } from './pid-file.js';
import { plainEnvironment } from './plain-environment.js';

const PROBE_EVERY_MS = 20;
const TAIL_LINES = 20;

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment that it gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it gets our whole environment. Programs of others get only what they need: ours holds secrets. */
  readonly inheritsEnv?: boolean;
  /** Others go before it when the processors are busy; 0, which is usual, to 19. */
  readonly nice?: number;
  readonly logger: Logger;
  /** Receives every line of output; by default lines are logged at debug level. */
  readonly output?: (line: string) => void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when the process could not be spawned. */
  readonly reason?: string;
}

export function describeEnd({ code, signal, reason }: ChildEnd): string {
  return reason ?? (signal === null ? `exit code ${code}` : `signal ${signal}`);
}

/** One run of a supervised process. The process exits when its stdin ends. */
export class Child {
  readonly ended: Promise<ChildEnd>;
  private readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly tail: OutputTail;
  private readonly startedAt = Date.now();
  private hasEnded = false;

  constructor(options: ChildOptions) {
    // A process group of its own: Ctrl-C must reach only the parent, so that children stop last.
    this.process = spawn(options.command, options.args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...(options.inheritsEnv ? process.env : plainEnvironment()), ...options.env },
    });
    if (options.nice !== undefined && this.pid !== undefined)
      lowerPriority(this.pid, options.nice, options.logger);
    this.ended = this.end();
    this.tail = new OutputTail(
      options.output ?? ((line) => options.logger.debug(`${options.name}: ${line}`)),
    );
    this.tail.watch(this.process.stdout);
    this.tail.watch(this.process.stderr);
    this.process.stdin.on('error', (error) =>
      options.logger.debug(`Writing to the stdin of ${options.name} failed.`, {
        reason: error.message,
      }),
    );
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get lastOutput(): string {
    return this.tail.text;
  }

  ageMs(): number {
    return Date.now() - this.startedAt;
  }

  /** Repeats the probe until it succeeds; false when the process has exited or the time is over. */
  async becomesReady(probe: () => Promise<void>, timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (!this.hasEnded && Date.now() < deadline) {
      const isReady = await probe().then(
        () => true,
        () => false,
      );
      if (isReady) return true;
      await sleep(PROBE_EVERY_MS);
    }
    return false;
  }

  async stop(timeoutMs: number): Promise<void> {
    this.process.stdin.end();
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, 'timeout', { signal: timer.signal }).catch(() => undefined);
    const outcome = await Promise.race([this.ended, timeout]);
    timer.abort();
    if (outcome === 'timeout' && this.pid !== undefined) signalGroup(this.pid, 'SIGKILL');
    await this.ended;
  }

  private async end(): Promise<ChildEnd> {
    const end = await new Promise<ChildEnd>((resolve) => {
      this.process.once('exit', (code, signal) => resolve({ code, signal }));
      this.process.once('error', (error) =>
        resolve({ code: null, signal: null, reason: error.message }),
      );
    });
    this.hasEnded = true;
    // Processes left in its group would keep the port or the directory in use.
    if (this.pid !== undefined) signalGroup(this.pid, 'SIGKILL');
    return end;
  }
}

/** The last lines of a child's output, for the error message when it exits. */
class OutputTail {
  private readonly lines: string[] = [];

  constructor(private readonly onLine: (line: string) => void) {}

  /** Reading also prevents the child from blocking on a full pipe. */
  watch(stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => this.add(line));
  }

  get text(): string {
    return this.lines.join('\n');
  }

  private add(line: string): void {
    if (line.trim() === '') return;
    this.lines.push(line);
    if (this.lines.length > TAIL_LINES) this.lines.shift();
    this.onLine(line);
  }
}
