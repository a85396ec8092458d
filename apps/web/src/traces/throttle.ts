interface Job {
  /** When it was started last. */
  at: number;
  timer?: ReturnType<typeof setTimeout> | undefined;
  isRunning: boolean;
  next?: (() => void) | undefined;
}

/**
 * Runs at once, and then at most once in a time; what comes in between runs once at the end of it. The next run never
 * interrupts one that goes on: under load every run would be interrupted, and none would end.
 */
export class Throttle {
  private readonly jobs = new Map<string, Job>();

  run(name: string, everyMs: number, act: () => Promise<unknown>): void {
    const job: Job = this.jobs.get(name) ?? { at: -Infinity, isRunning: false };
    this.jobs.set(name, job);
    if (job.isRunning) {
      job.next = () => this.run(name, everyMs, act);
      return;
    }
    const start = () => {
      Object.assign(job, { timer: undefined, at: performance.now(), isRunning: true });
      const ended = () => {
        const { next } = job;
        Object.assign(job, { isRunning: false, next: undefined });
        next?.();
      };
      act().then(ended, ended);
    };
    job.timer ??= setTimeout(start, Math.max(0, job.at + everyMs - performance.now()));
  }

  /** Nothing that waits is run any more. */
  stop(): void {
    for (const job of this.jobs.values()) {
      clearTimeout(job.timer);
      job.next = undefined;
    }
    this.jobs.clear();
  }
}
