import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { StartupError } from '@app/config';
import type { Logger } from '@app/observability';
import { Child, describeEnd, type ChildEnd } from './child.js';
import { stopOrphan, writePidFile } from './pid-file.js';

const STOP_TIMEOUT_MS = 10_000;
const RESTART_TIMEOUT_MS = 2000;
const READY_TIMEOUT_MS = 60_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
const STABLE_AFTER_MS = 60_000;

export interface ProcessOptions {
  /** Name in log messages, such as `Redis`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment that it gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it gets our whole environment; for processes of our own only. */
  readonly inheritsEnv?: boolean;
  /** Others go before it when the processors are busy; 0, which is usual, to 19. */
  readonly nice?: number;
  readonly pidFile: string;
  /** Runs before every start. When it rejects, the first start does too; a later one is tried all the same. */
  readonly prepare?: () => Promise<unknown>;
  /** Tests once whether the child is ready; rejects if not. */
  readonly probe: () => Promise<void>;
  readonly readyTimeoutMs?: number;
  readonly logger: Logger;
  /** Receives every line of output; by default lines are logged at debug level. */
  readonly output?: (line: string) => void;
}

export interface ProcessEvents {
  exited: [end: ChildEnd, restartInMs: number];
  ready: [pid: number];
}

/** A child process that is restarted whenever it exits, with the same command and so the same port and password. */
export class SupervisedProcess extends EventEmitter<ProcessEvents> {
  private readonly backOff = new BackOff();
  private child: Child | undefined;
  private restartTimer: NodeJS.Timeout | undefined;
  private stopping = false;
  private restarting = false;

  private constructor(private readonly options: ProcessOptions) {
    super();
  }

  /** Resolves when the probe succeeds. Rejects with a `StartupError` that contains the child's last output. */
  static async start(options: ProcessOptions): Promise<SupervisedProcess> {
    await stopOrphan(options.pidFile, options.name, options.logger);
    const supervised = new SupervisedProcess(options);
    await supervised.startFirst();
    return supervised;
  }

  /** Undefined between an exit and the restart. */
  pid(): number | undefined {
    return this.child?.pid;
  }

  /** Ends the child, which is then started again as after an exit. */
  async restart(reason: string): Promise<void> {
    this.options.logger.warn(`Restarting ${this.options.name}: ${reason}.`);
    if (this.child === undefined) return;
    this.restarting = true;
    await this.child.stop(RESTART_TIMEOUT_MS);
  }

  /** Closes the child's stdin, and kills the child if it does not exit in time. */
  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restartTimer);
    await this.child?.stop(timeoutMs);
    await rm(this.options.pidFile, { force: true });
  }

  private async startFirst(): Promise<void> {
    await this.options.prepare?.();
    const child = await this.launch();
    const outcome = await Promise.race([this.readiness(child), child.ended]);
    if (outcome === 'ready') return this.watch(child);
    await child.stop(0);
    await rm(this.options.pidFile, { force: true });
    const reason = outcome === 'timeout' ? 'not ready in time' : describeEnd(outcome);
    throw new StartupError(`${this.options.name} did not start (${reason}): ${child.lastOutput}`);
  }

  private async launch(): Promise<Child> {
    const child = new Child(this.options);
    this.child = child;
    if (child.pid !== undefined) await this.recordPid(child.pid);
    return child;
  }

  /** A full disk must not stop a running child: the file is only needed after a crash of the parent. */
  private async recordPid(pid: number): Promise<void> {
    const { pidFile, name, logger } = this.options;
    await writePidFile(pidFile, pid).catch((error: Error) =>
      logger.warn(`The pid file of ${name} could not be written.`, { reason: error.message }),
    );
  }

  private async readiness(child: Child): Promise<'ready' | 'timeout'> {
    const isReady = await child.becomesReady(
      this.options.probe,
      this.options.readyTimeoutMs ?? READY_TIMEOUT_MS,
    );
    if (isReady && child.pid !== undefined) this.emit('ready', child.pid);
    return isReady ? 'ready' : 'timeout';
  }

  private watch(child: Child): void {
    void child.ended.then((end) => this.scheduleRestart(child, end));
  }

  private scheduleRestart(child: Child, end: ChildEnd): void {
    this.child = undefined;
    if (this.stopping) return;
    const restartInMs = this.restarting ? 0 : this.backOff.delayAfter(child.ageMs());
    if (!this.restarting) this.reportExit(child, end, restartInMs);
    this.restarting = false;
    this.restartTimer = setTimeout(() => void this.restartNow(), restartInMs);
    this.emit('exited', end, restartInMs);
  }

  private reportExit({ lastOutput }: Child, end: ChildEnd, restartInMs: number): void {
    const { name, logger } = this.options;
    logger.warn(`${name} exited unexpectedly; restarting in ${restartInMs} ms.`, {
      ...end,
      restartInMs,
      lastOutput,
    });
  }

  private async restartNow(): Promise<void> {
    const { prepare, name, logger } = this.options;
    await prepare?.().catch((error: Error) =>
      logger.warn(`${name} is restarted without preparation.`, { reason: error.message }),
    );
    const child = await this.launch();
    this.watch(child);
    if (this.stopping) return child.stop(0);
    if ((await this.readiness(child)) === 'ready') {
      this.options.logger.info(`${this.options.name} is ready again.`, { pid: child.pid });
    }
  }
}

/** The delay before a restart. It doubles with every exit and is reset after a stable minute. */
export class BackOff {
  private exits = 0;

  delayAfter(uptimeMs: number): number {
    if (uptimeMs >= STABLE_AFTER_MS) this.exits = 0;
    return Math.min(FIRST_DELAY_MS * 2 ** this.exits++, LONGEST_DELAY_MS);
  }
}
