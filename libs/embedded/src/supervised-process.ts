import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { StartupError } from '@app/config';
import type { Logger } from '@app/observability';
import { BackOff } from './back-off.js';
import { Child, describeEnd, type ChildEnd } from './child.js';
import { endOrphan, writePidFile } from './pid-file.js';

const STOP_TIMEOUT_MS = 10_000;
const READY_TIMEOUT_MS = 60_000;

export interface ProcessPlan {
  /** As a reader of the log knows it: `Redis`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly pidFile: string;
  /** Asks once; rejects while the child does not answer. */
  readonly probe: () => Promise<void>;
  readonly readyTimeoutMs?: number;
  readonly logger: Logger;
  /** Takes every line it writes; without it they are debug lines of our own log. */
  readonly output?: (line: string) => void;
}

export interface ProcessEvents {
  died: [end: ChildEnd, restartInMs: number];
  ready: [pid: number];
}

/** A child that is started again whenever it dies, with the same command and so the same port and password. */
export class SupervisedProcess extends EventEmitter<ProcessEvents> {
  private readonly backOff = new BackOff();
  private child: Child | undefined;
  private restart: NodeJS.Timeout | undefined;
  private stopping = false;

  private constructor(private readonly plan: ProcessPlan) {
    super();
  }

  /** Resolves when the child answers its probe; rejects with a `StartupError` that says what it wrote last. */
  static async start(plan: ProcessPlan): Promise<SupervisedProcess> {
    await endOrphan(plan.pidFile, plan.name, plan.logger);
    const supervised = new SupervisedProcess(plan);
    await supervised.startFirst();
    return supervised;
  }

  /** Undefined between a death and the next start. */
  pid(): number | undefined {
    return this.child?.pid;
  }

  /** Closes the child's lifeline, and kills it when it has not ended in time. */
  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    await this.child?.stop(timeoutMs);
    await rm(this.plan.pidFile, { force: true });
  }

  private async startFirst(): Promise<void> {
    const child = await this.launch();
    const outcome = await Promise.race([this.readiness(child), child.ended]);
    if (outcome === 'ready') return this.watch(child);
    await child.stop(0);
    await rm(this.plan.pidFile, { force: true });
    const how = outcome === 'silent' ? 'it does not answer' : describeEnd(outcome);
    throw new StartupError(`${this.plan.name} did not start (${how}): ${child.lastWords}`);
  }

  private async launch(): Promise<Child> {
    const child = new Child(this.plan);
    this.child = child;
    if (child.pid !== undefined) await this.recordPid(child.pid);
    return child;
  }

  /** A full disk must not stop a child that runs: the file only helps after a crash of ours. */
  private async recordPid(pid: number): Promise<void> {
    const { pidFile, name, logger } = this.plan;
    await writePidFile(pidFile, pid).catch((error: Error) =>
      logger.warn(`The pid of ${name} could not be written down.`, { reason: error.message }),
    );
  }

  private async readiness(child: Child): Promise<'ready' | 'silent'> {
    const isReady = await child.answers(
      this.plan.probe,
      this.plan.readyTimeoutMs ?? READY_TIMEOUT_MS,
    );
    if (isReady && child.pid !== undefined) this.emit('ready', child.pid);
    return isReady ? 'ready' : 'silent';
  }

  private watch(child: Child): void {
    void child.ended.then((end) => this.mourn(child, end));
  }

  private mourn(child: Child, end: ChildEnd): void {
    this.child = undefined;
    if (this.stopping) return;
    const restartInMs = this.backOff.delayAfter(child.ageMs());
    this.plan.logger.warn(`${this.plan.name} died and is started again.`, {
      ...end,
      restartInMs,
      lastWords: child.lastWords,
    });
    this.restart = setTimeout(() => void this.startAgain(), restartInMs);
    this.emit('died', end, restartInMs);
  }

  private async startAgain(): Promise<void> {
    const child = await this.launch();
    this.watch(child);
    if (this.stopping) return child.stop(0);
    if ((await this.readiness(child)) === 'ready') {
      this.plan.logger.info(`${this.plan.name} answers again.`, { pid: child.pid });
    }
  }
}
