import { Injectable } from '@nestjs/common';
import { messageOf } from '@app/errors';
import { KEY_PREFIX, Redis } from '@app/redis';
import { millis, nowMillis, type Millis } from '@app/wire';

/** hash: name of a maintenance job → its last `MaintenanceRun` as JSON. */
const RUNS = `${KEY_PREFIX}:maintenance-runs`;
const ERROR_MAX_LENGTH = 300;

export interface MaintenanceRun {
  readonly startedAt: Millis;
  readonly tookMs: number;
  /** Null when it succeeded. */
  readonly error: string | null;
}

/** The last run of every maintenance job, of all workers. */
@Injectable()
export class MaintenanceRuns {
  constructor(private readonly redis: Redis) {}

  /** Runs a job and saves how that ended, unless the worker shuts down meanwhile. */
  async record(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const startedAt = nowMillis();
    try {
      await work();
      if (!signal.aborted) await this.save(name, startedAt, null);
    } catch (error) {
      if (!signal.aborted) await this.save(name, startedAt, messageOf(error));
      throw error;
    }
  }

  async last(): Promise<Map<string, MaintenanceRun>> {
    const entries = Object.entries(await this.redis.hgetall(RUNS));
    return new Map(entries.map(([name, text]) => [name, JSON.parse(text) as MaintenanceRun]));
  }

  /** The result is only shown. A job whose result cannot be saved has not failed for that. */
  private async save(name: string, startedAt: Millis, error: string | null): Promise<void> {
    const tookMs = millis(Date.now() - startedAt);
    const run: MaintenanceRun = {
      startedAt,
      tookMs,
      error: error?.slice(0, ERROR_MAX_LENGTH) ?? null,
    };
    await this.redis.hset(RUNS, name, JSON.stringify(run)).catch(() => undefined);
  }
}
