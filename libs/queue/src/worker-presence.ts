import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';
import { nowMillis, type Millis } from '@app/wire';

/** hash: id of a worker process → its `RunningWorker` as JSON. */
const WORKERS = `${KEY_PREFIX}:workers`;
/** Several times the period of the reports. A worker that has not reported for longer has ended. */
const EXPIRES_MS = 30_000;

export interface RunningWorker {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly startedAt: Millis;
  readonly seenAt: Millis;
}

/** Which workers run. BullMQ knows connections only, and those of a killed process for minutes. */
@Injectable()
export class WorkerPresence {
  constructor(private readonly redis: Redis) {}

  async report(worker: Omit<RunningWorker, 'seenAt'>, now = nowMillis()): Promise<void> {
    const text = JSON.stringify({ ...worker, seenAt: now } satisfies RunningWorker);
    await this.redis.hset(WORKERS, worker.id, text);
    const ended = (await this.all()).filter((one) => !isRunning(one, now)).map(({ id }) => id);
    if (ended.length > 0) await this.redis.hdel(WORKERS, ...ended);
  }

  async remove(id: string): Promise<void> {
    await this.redis.hdel(WORKERS, id);
  }

  async running(now = nowMillis()): Promise<RunningWorker[]> {
    const workers = (await this.all()).filter((one) => isRunning(one, now));
    return workers.sort((a, b) => a.startedAt - b.startedAt);
  }

  private async all(): Promise<RunningWorker[]> {
    return (await this.redis.hvals(WORKERS)).map((text) => JSON.parse(text) as RunningWorker);
  }
}

const isRunning = ({ seenAt }: RunningWorker, now: Millis) => now - seenAt < EXPIRES_MS;
