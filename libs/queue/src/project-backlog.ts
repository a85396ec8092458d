import { Inject, Injectable } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { queueError, QueueFullError, Redis, REDIS_CONFIG } from '@app/redis';
import { CALLS_STREAM } from './streams.js';

/**
 * Limits the pending bytes of one project. Every request reads the current number from Redis. Bytes that this process has
 * admitted and not yet written count too. A request that is larger than the limit is admitted when nothing else is
 * pending, because it could never be sent otherwise.
 */
@Injectable()
export class ProjectBacklog {
  private readonly admitted = new Map<string, number>();
  /** 0 means no limit. */
  private readonly maxBytes: number;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) { limits }: Pick<RedisConfig, 'limits'>,
  ) {
    this.maxBytes = limits.maxPendingBytes;
  }

  /** Rejects with QueueFullError. Resolves to a function to call when the bytes are in Redis or were not written. */
  async admit(projectId: string, bytes: number): Promise<() => void> {
    if (this.maxBytes === 0) return () => undefined;
    const pending = (await this.pendingInRedis(projectId)) + (this.admitted.get(projectId) ?? 0);
    if (pending > 0 && pending + bytes > this.maxBytes) {
      throw new QueueFullError(
        `${projectId} has ${pending} bytes pending, and its limit is ${this.maxBytes}; retry when they are stored.`,
      );
    }
    this.add(projectId, bytes);
    return () => this.add(projectId, -bytes);
  }

  private async pendingInRedis(projectId: string): Promise<number> {
    try {
      return Number((await this.redis.hget(CALLS_STREAM.keys.projectBytes, projectId)) ?? 0);
    } catch (error) {
      throw queueError(error);
    }
  }

  private add(projectId: string, bytes: number): void {
    const sum = (this.admitted.get(projectId) ?? 0) + bytes;
    if (sum > 0) this.admitted.set(projectId, sum);
    else this.admitted.delete(projectId);
  }
}
