import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@app/observability';
import { OutputTail } from './output-tail.js';
import { signalGroup } from './pid-file.js';

const PROBE_EVERY_MS = 20;

export interface ChildPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Takes every line it writes; without it they are debug lines of our own log. */
  readonly output?: (line: string) => void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** When it could not even be spawned. */
  readonly reason?: string;
}

export function describeEnd({ code, signal, reason }: ChildEnd): string {
  return reason ?? (signal === null ? `exit code ${code}` : `signal ${signal}`);
}

/** One life of a supervised process. It ends by itself when its stdin does. */
export class Child {
  readonly ended: Promise<ChildEnd>;
  private readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly tail: OutputTail;
  private readonly bornAt = Date.now();
  private hasEnded = false;

  constructor(plan: ChildPlan) {
    // Its own process group: Ctrl-C in our terminal must reach us alone, so that children stop last.
    this.process = spawn(plan.command, plan.args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...plan.env },
    });
    this.ended = this.end();
    this.tail = new OutputTail(
      plan.output ?? ((line) => plan.logger.debug(`${plan.name}: ${line}`)),
    );
    this.tail.watch(this.process.stdout);
    this.tail.watch(this.process.stderr);
    this.process.stdin.on('error', (error) =>
      plan.logger.debug(`The lifeline of ${plan.name} broke.`, { reason: error.message }),
    );
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get lastWords(): string {
    return this.tail.text;
  }

  ageMs(): number {
    return Date.now() - this.bornAt;
  }

  /** Asks until it answers; false when it ended or the time is over. */
  async answers(probe: () => Promise<void>, timeoutMs: number): Promise<boolean> {
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
    const patience = new AbortController();
    const tooLong = sleep(timeoutMs, 'too long', { signal: patience.signal }).catch(
      () => undefined,
    );
    const outcome = await Promise.race([this.ended, tooLong]);
    patience.abort();
    if (outcome === 'too long' && this.pid !== undefined) signalGroup(this.pid, 'SIGKILL');
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
    // Whatever it left in its group would hold the port or the directory against the next one.
    if (this.pid !== undefined) signalGroup(this.pid, 'SIGKILL');
    return end;
  }
}
